"""Pages for this machine only: a server on loopback that answers requests made to its own name."""

import contextlib
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from dovetail.errors import InputError
from dovetail.model.values import quote

LOOPBACK = "127.0.0.1"  # a result is nobody else's business
OWN_NAMES = {LOOPBACK, "localhost"}


class LoopbackServer(ThreadingHTTPServer):
    """A server in a thread of its own, at `address` until `close`; port 0 takes any."""

    daemon_threads = True

    def __init__(self, port: int, handler: type["LoopbackHandler"]) -> None:
        if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 2**16:
            raise InputError(f"`port` must be a whole number from 0 to 65535, got {quote(port)}")
        try:
            super().__init__((LOOPBACK, port), handler)
        except OSError as error:
            raise InputError(
                f"port {port} must be free, but it cannot be used ({error.strerror}); "
                "give another port (--port in a command), or 0 for any"
            ) from error
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that was closed while it was answered is no error of this program."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join(timeout=5)


class LoopbackHandler(BaseHTTPRequestHandler):
    """What all answers share: who may ask, the headers, and silence."""

    def is_ours(self) -> bool:
        """Whether the request names this machine; a web page elsewhere may point its name at us."""
        host = (self.headers.get("Host") or "").rsplit(":", 1)[0]
        if host in OWN_NAMES:
            return True
        self.send_error(403, "only for this machine")
        return False

    def body(self, max_bytes: int) -> bytes | None:
        """What was sent with the request; None where its size is not given or too large."""
        size = self.headers.get("Content-Length") or ""
        if not size.isdecimal() or int(size) > max_bytes:
            return None
        return self.rfile.read(int(size))

    def send(self, kind: str, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(200)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        with contextlib.suppress(ConnectionError):  # the page was closed
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the user."""
