"""Serving the player on this machine only."""

import json
import threading
from typing import Any

from dovetail.errors import InputError
from dovetail.view.loopback import OWN_NAMES, LoopbackHandler, LoopbackServer
from dovetail.view.page.document import document
from dovetail.view.page.overlays import KINDS, overlay
from dovetail.view.page.recording import Recording
from dovetail.view.page.stream import MAX_MESSAGE, FrameStream

LONG_POLL = 15.0  # [s] that a request for frames waits


class PageServer:
    """The page and the recordings at `address`, until `close`."""

    def __init__(self, recordings: list[Recording], port: int = 8080) -> None:
        self.recordings = recordings
        self._answers: dict[str, tuple[str, bytes]] = {}
        self._making = threading.Lock()  # one answer at a time; each is made once
        self._server = _Server(port, self)

    @property
    def port(self) -> int:
        return self._server.port

    @property
    def address(self) -> str:
        return self._server.address

    def close(self) -> None:
        self._server.close()

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


class _Server(LoopbackServer):
    def __init__(self, port: int, owner: PageServer) -> None:
        self.owner = owner
        super().__init__(port, _Handler)


class _Handler(LoopbackHandler):
    server: _Server

    def do_GET(self) -> None:
        if not self.is_ours():
            return
        path = self.path.partition("?")[0]
        if path.startswith("/frames/"):
            self._frames(path.split("/")[2:])
            return
        found = self.server.owner.answer(path)
        if found is None:
            self.send_error(404)
            return
        self.send(*found)

    def do_POST(self) -> None:
        if not self.is_ours():
            return
        owner = self.server.owner
        origin = self.headers.get("Origin") or owner.address.rstrip("/")
        if origin not in {f"http://{name}:{owner.port}" for name in OWN_NAMES}:
            self.send_error(403, "only for this machine")  # asked by a web page elsewhere
            return
        message = self.body(MAX_MESSAGE) if self.path == "/command" else None
        if message is None:
            self.send_error(404)
        else:
            self._command(message)

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
        self.send("application/json", b"{}")

    def _frames(self, parts: list[str]) -> None:
        """Frames from a number on and the newest report, as soon as there are some; 410 at the end.

        `parts`: number of the recording, of the next frame, of the last report.
        """
        known = 2 <= len(parts) <= 3 and all(part.isdecimal() for part in parts)
        stream = self.server.owner.stream(parts[0]) if known else None
        if stream is None:
            self.send_error(404)
            return
        news = stream.after(int(parts[1]), LONG_POLL, int(parts[2]) if len(parts) > 2 else 0)
        if news is None:
            self.send_error(410)
            return
        report = {"next": news.next_frame, "number": news.reports, **news.report}
        headers = {"X-Report": json.dumps(report)}  # ASCII
        self.send("application/octet-stream", news.frames, headers)
