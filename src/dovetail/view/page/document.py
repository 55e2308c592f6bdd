"""The HTML of the player: with everything inside it, or for the local server."""

import base64
import html
import io
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import IO

PIECE = 3 << 20  # [bytes] encoded at once: a multiple of 3, so that no padding is within

# Nothing may be fetched but what this very server gives.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src {connect}"
)


def document(title: str, count: int, embedded: Mapping[str, bytes] | None = None) -> str:
    """The page for `count` recordings; `embedded` holds what it would ask a server for."""
    return "".join(document_parts(title, count, embedded))


def document_parts(
    title: str, count: int, embedded: Mapping[str, bytes | IO[bytes]] | None = None
) -> Iterator[str]:
    """The page, a part at a time; what is embedded may be open files."""
    here = files(__package__)
    policy = POLICY.format(connect="'self'" if embedded is None else "'none'")
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{html.escape(title)}</title>\n"
        f"<style>\n{here.joinpath('player.css').read_text(encoding='utf-8')}</style>\n</head>\n"
        f'<body data-recordings="{count}">\n'
    )
    yield here.joinpath("player.html").read_text(encoding="utf-8")
    for name, packed in (embedded or {}).items():
        yield f'<script type="application/octet-stream" id="{name}">'
        file = io.BytesIO(packed) if isinstance(packed, bytes) else packed
        while piece := file.read(PIECE):
            yield base64.b64encode(piece).decode()
        yield "</script>\n"
    script = here.joinpath("player.min.js").read_text(encoding="utf-8")
    yield f"<script>{script}</script>\n</body>\n</html>\n"
