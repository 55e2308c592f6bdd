"""What a PLY or OFF file announces, looked at before its arrays are made."""

import re

from dovetail.errors import InputError
from dovetail.model.mesh_files.raw import MAX_TRIANGLES, refuse_too_many

LARGEST_HEADER = 1 << 16  # bytes
MAX_LINES = 5_000_000  # of text, which takes ten times its size while it is read
ELEMENT = re.compile(rb"^[ \t]*element[ \t]+(\S+)[ \t]+(\S+)[ \t]*\r?$", re.MULTILINE)
COUNT = re.compile(rb"[0-9]{1,18}")


def check_counts(data: bytes, kind: str, what: str) -> None:
    """Refuse counts that the bytes after them cannot fill, or beyond the limits.

    Every row of a file takes at least one byte, so more rows than bytes are a lie.
    """
    if (kind == "off" or b"ascii" in data[:LARGEST_HEADER]) and data.count(b"\n") > MAX_LINES:
        raise InputError(f"{what} must have at most {MAX_LINES:,} lines; use a binary format")
    for name, word in _ply_counts(data, what) if kind == "ply" else _off_counts(data):
        if not COUNT.fullmatch(word):
            raise InputError(
                f"{what} is not a usable {kind.upper()} file: the number of its {name} "
                f"must be a whole number, got {word[:40].decode('latin-1')!r}"
            )
        count = int(word)
        if name == "vertex":
            refuse_too_many(count, 0, what)
        refuse_too_many(0, count if count <= len(data) else max(count, MAX_TRIANGLES + 1), what)


def _ply_counts(data: bytes, what: str) -> list[tuple[str, bytes]]:
    end = data.find(b"end_header", 0, LARGEST_HEADER)
    if not data.startswith(b"ply") or end < 0:
        raise InputError(
            f"{what} is not a usable PLY file: it must begin with `ply`, and `end_header` must "
            f"come within {LARGEST_HEADER:,} bytes"
        )
    found = ELEMENT.findall(data, 0, end)
    if b"property" not in data[:end]:
        raise InputError(f"{what} is not a usable PLY file: its elements have no properties")
    return [(name[:40].decode("latin-1"), word) for name, word in found]


def _off_counts(data: bytes) -> list[tuple[str, bytes]]:
    """Of vertices and faces; none where the file does not begin with them."""
    lines = (line.partition(b"#")[0] for line in data[:LARGEST_HEADER].splitlines())
    words = b" ".join(lines).split()[:3]
    if words and not words[0][:1].isdigit():
        words = words[1:]
    return list(zip(("vertex", "face"), words))
