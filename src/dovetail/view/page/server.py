"""Serving the player on this machine only."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from dovetail.errors import InputError
from dovetail.view.page.document import document
from dovetail.view.page.overlays import KINDS, overlay
from dovetail.view.page.recording import Recording

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
        found = self.server.owner.answer(self.path.partition("?")[0])
        if found is None:
            self.send_error(404)
            return
        kind, content = found
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the user."""
