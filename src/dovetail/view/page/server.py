"""Serving the player on this machine only."""

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from dovetail.errors import InputError
from dovetail.view.page.document import document
from dovetail.view.page.overlays import KINDS, overlay
from dovetail.view.page.recording import Recording
from dovetail.view.page.stream import MAX_MESSAGE, FrameStream

LONG_POLL = 15.0  # [s] that a request for frames waits
LOOPBACK = "127.0.0.1"  # a result is nobody else's business
OWN_NAMES = {LOOPBACK, "localhost"}


class PageServer:
    """The page and the recordings at `address`, until `close`."""

    def __init__(self, recordings: list[Recording], port: int = 8080) -> None:
        self.recordings = recordings
        self._answers: dict[str, tuple[str, bytes]] = {}
        self._making = threading.Lock()  # one answer at a time; each is made once
        try:
            self._server = _Server((LOOPBACK, port), self)
        except OSError as error:
            raise InputError(
                f"port {port} must be free, but it cannot be used ({error.strerror}); "
                "give another --port, or 0 for any"
            ) from error
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """Content type and bytes of what is at `path`; None where there is nothing."""
        with self._making:
            if path not in self._answers:
                made = self._made(path.strip("/").split("/"))
                if made is None:
                    return None
                self._answers[path] = made
            return self._answers[path]

    def _made(self, parts: list[str]) -> tuple[str, bytes] | None:
        match parts:
            case [""]:
                title = " | ".join(recording.title for recording in self.recordings)
                page = document(f"{title} - dovetail", len(self.recordings))
                return "text/html; charset=utf-8", page.encode()
            case ["recording", number] if self._known(number):
                recording = self.recordings[int(number)]
                kinds = list(KINDS) if recording.surfaces else []
                return "application/octet-stream", recording.packed(kinds)
            case ["overlay", number, kind, shape] if self._known(number) and shape.isdecimal():
                try:
                    packed = overlay(self.recordings[int(number)], kind, int(shape))
                except InputError:
                    return None
                return "application/octet-stream", packed
        return None

    def stream(self, number: Any) -> FrameStream | None:
        """That of a recording, where there is one."""
        return self.recordings[int(number)].stream if self._known(str(number)) else None

    def _known(self, number: str) -> bool:
        return number.isdecimal() and int(number) < len(self.recordings)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], owner: PageServer) -> None:
        self.owner = owner
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        host = (self.headers.get("Host") or "").rsplit(":", 1)[0]
        if host not in OWN_NAMES:  # a web page elsewhere that points its own name at us
            self.send_error(403, "only for this machine")
            return
        path = self.path.partition("?")[0]
        if path.startswith("/frames/"):
            self._frames(path.split("/")[2:])
            return
        found = self.server.owner.answer(path)
        if found is None:
            self.send_error(404)
            return
        self._send(*found)

    def do_POST(self) -> None:
        owner = self.server.owner
        host = (self.headers.get("Host") or "").rsplit(":", 1)[0]
        origin = self.headers.get("Origin") or owner.address.rstrip("/")
        names = {f"http://{name}:{owner.port}" for name in OWN_NAMES}
        size = self.headers.get("Content-Length") or ""
        if host not in OWN_NAMES or origin not in names:  # a web page elsewhere
            self.send_error(403, "only for this machine")
        elif self.path != "/command" or not size.isdecimal() or int(size) > MAX_MESSAGE:
            self.send_error(404)
        else:
            self._command(self.rfile.read(int(size)))

    def _command(self, message: bytes) -> None:
        try:
            number = json.loads(message).get("recording", 0)
            stream = self.server.owner.stream(number)
            if stream is None:
                self.send_error(404)
                return
            stream.take(message)
        except (ValueError, AttributeError, InputError) as error:
            self.send_error(400, str(error)[:200])
            return
        self._send("application/json", b"{}")

    def _frames(self, parts: list[str]) -> None:
        """Those from a number on, as soon as there are some; 410 where none will come."""
        known = len(parts) == 2 and parts[1].isdecimal()
        stream = self.server.owner.stream(parts[0]) if known else None
        if stream is None:
            self.send_error(404)
            return
        found = stream.after(int(parts[1]), LONG_POLL)
        if found is None:
            self.send_error(410)
        else:
            self._send("application/octet-stream", found)

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
