"""The page of a live simulation, on this machine only."""

import contextlib
import json
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from dovetail.errors import InputError
from dovetail.view.live.session import LiveSession
from dovetail.view.page.server import LOOPBACK, OWN_NAMES

MAX_REQUEST = 10_000  # [bytes]


class LiveServer:
    """The page at `address`, until `close`; what changes something needs the page's own token."""

    def __init__(self, session: LiveSession, port: int = 0) -> None:
        self.session, self.token = session, secrets.token_urlsafe(16)
        try:
            self._server = _Server((LOOPBACK, port), self)
        except OSError as error:
            raise InputError(
                f"port {port} must be free, but it cannot be used ({error.strerror}); 0 takes any"
            ) from error
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{int(self._server.server_address[1])}/"

    def page(self) -> bytes:
        text = files("dovetail.view.live").joinpath("page.html").read_text(encoding="utf-8")
        return text.replace("@TOKEN@", self.token).encode()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)
        self.session.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], owner: LiveServer) -> None:
        self.owner = owner
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def _is_ours(self) -> bool:
        host = (self.headers.get("Host") or "").rsplit(":", 1)[0]
        if host in OWN_NAMES:
            return True
        self.send_error(403, "only for this machine")
        return False

    def do_GET(self) -> None:
        if not self._is_ours():
            return
        owner, path = self.server.owner, self.path.partition("?")[0]
        if path == "/":
            self._send("text/html; charset=utf-8", owner.page())
        elif path == "/picture.png":
            self._send("image/png", owner.session.picture())
        elif path == "/shown":
            self._send("application/json", json.dumps(owner.session.shown()).encode())
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        if not self._is_ours():
            return
        owner = self.server.owner
        given = self.headers.get("X-Token") or ""
        if not secrets.compare_digest(given.encode(), owner.token.encode()):
            self.send_error(403, "not from the page")
            return
        size = self.headers.get("Content-Length") or ""
        if not size.isdecimal() or int(size) > MAX_REQUEST:
            self.send_error(413)
            return
        try:
            request: Any = json.loads(self.rfile.read(int(size)) or b"{}")
        except ValueError:
            self.send_error(400, "not JSON")
            return
        if not isinstance(request, dict):
            self.send_error(400, "not an object")
            return
        shown = owner.session.do(self.path.strip("/"), request)
        self._send("application/json", json.dumps(shown).encode())

    def _send(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        with contextlib.suppress(ConnectionError):  # the page was closed
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the user."""
