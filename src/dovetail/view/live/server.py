"""The page of a live simulation, on this machine only."""

import json
import secrets
from importlib.resources import files
from typing import Any

from dovetail.view.live.session import LiveSession
from dovetail.view.loopback import LoopbackHandler, LoopbackServer

MAX_REQUEST = 10_000  # [bytes]


class LiveServer:
    """The page at `address`, until `close`; what changes something needs the page's own token."""

    def __init__(self, session: LiveSession, port: int = 0) -> None:
        self.session, self.token = session, secrets.token_urlsafe(16)
        self._server = _Server(port, self)

    @property
    def address(self) -> str:
        return self._server.address

    def page(self) -> bytes:
        text = files("dovetail.view.live").joinpath("page.html").read_text(encoding="utf-8")
        return text.replace("@TOKEN@", self.token).encode()

    def close(self) -> None:
        self._server.close()
        self.session.close()


class _Server(LoopbackServer):
    def __init__(self, port: int, owner: LiveServer) -> None:
        self.owner = owner
        super().__init__(port, _Handler)


class _Handler(LoopbackHandler):
    server: _Server

    def do_GET(self) -> None:
        if not self.is_ours():
            return
        owner, path = self.server.owner, self.path.partition("?")[0]
        if path == "/":
            self.send("text/html; charset=utf-8", owner.page())
        elif path == "/picture.png":
            self.send("image/png", owner.session.picture())
        elif path == "/shown":
            self.send("application/json", json.dumps(owner.session.shown()).encode())
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        if not self.is_ours():
            return
        owner = self.server.owner
        given = self.headers.get("X-Token") or ""
        if not secrets.compare_digest(given.encode(), owner.token.encode()):
            self.send_error(403, "not from the page")
            return
        body = self.body(MAX_REQUEST)
        if body is None:
            self.send_error(413)
            return
        try:
            request: Any = json.loads(body or b"{}")
        except ValueError:
            self.send_error(400, "not JSON")
            return
        if not isinstance(request, dict):
            self.send_error(400, "not an object")
            return
        shown = owner.session.do(self.path.strip("/"), request)
        self.send("application/json", json.dumps(shown).encode())
