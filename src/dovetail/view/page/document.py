"""The HTML of the player: with everything inside it, or for the local server."""

import base64
import html
from collections.abc import Mapping
from importlib.resources import files

# Nothing may be fetched but what this very server gives.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src {connect}"
)


def document(title: str, count: int, embedded: Mapping[str, bytes] | None = None) -> str:
    """The page for `count` recordings; `embedded` holds what it would ask a server for."""
    here = files(__package__)
    body = here.joinpath("player.html").read_text(encoding="utf-8")
    data = "".join(
        f'<script type="application/octet-stream" id="{name}">'
        f"{base64.b64encode(packed).decode()}</script>\n"
        for name, packed in (embedded or {}).items()
    )
    policy = POLICY.format(connect="'self'" if embedded is None else "'none'")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{html.escape(title)}</title>\n"
        f"<style>\n{here.joinpath('player.css').read_text(encoding='utf-8')}</style>\n</head>\n"
        f'<body data-recordings="{count}">\n{body}{data}'
        f"<script>{here.joinpath('player.min.js').read_text(encoding='utf-8')}</script>\n"
        "</body>\n</html>\n"
    )
