"""Arrays with a JSON header in one piece of bytes, as the player's script reads them."""

import gzip
import io
import json
import struct
from collections.abc import Iterable, Mapping
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

KINDS = ("<f4", "<f8", "<i2", "<i4", "<u4")  # what the script knows
ALIGNED = 8


class Streamed(NamedTuple):
    """An array that is made a part at a time."""

    kind: str
    size: int  # number of values
    parts: Iterable[NDArray[Any]]


def pack(
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any] | Streamed],
    compress: bool = False,
) -> bytes:
    """What `write_packed` writes."""
    packed = io.BytesIO()
    write_packed(packed, header, arrays, compress)
    return packed.getvalue()


def write_packed(
    out: IO[bytes],
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any] | Streamed],
    compress: bool = False,
) -> None:
    """Length of the header (8 bytes, little endian), header, arrays; gzip on request.

    The header has under `arrays` the kind, number of values and place of each, counted from
    its own end.
    """
    places: dict[str, dict[str, Any]] = {}
    chunks: list[Streamed] = []
    offset = 0
    for name, array in arrays.items():
        one = array
        if not isinstance(one, Streamed):
            one = Streamed(np.dtype(one.dtype).newbyteorder("<").str, one.size, (one,))
        assert one.kind in KINDS, f"{name} has kind {one.kind}"
        chunks.append(one)
        places[name] = {"kind": one.kind, "size": one.size, "offset": offset}
        n_bytes = one.size * np.dtype(one.kind).itemsize
        offset += n_bytes + -n_bytes % ALIGNED
    text = json.dumps({**header, "arrays": places}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNED)
    # no date inside: the same result gives the same bytes
    squeezed = gzip.GzipFile("", "wb", 6, out, mtime=0) if compress else out
    squeezed.write(struct.pack("<Q", len(text)) + text)
    for chunk in chunks:
        n_bytes = 0
        for part in chunk.parts:
            flat = np.ascontiguousarray(part, dtype=chunk.kind).reshape(-1)
            squeezed.write(flat.view(np.uint8).data)
            n_bytes += flat.nbytes
        squeezed.write(b"\0" * (-n_bytes % ALIGNED))
    if compress:
        squeezed.close()


def unpack(packed: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays, flat."""
    whole = gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed
    (length,) = struct.unpack_from("<Q", whole)
    header = json.loads(whole[8 : 8 + length])
    arrays = {
        name: np.frombuffer(whole, place["kind"], place["size"], 8 + length + place["offset"])
        for name, place in header["arrays"].items()
    }
    return header, arrays
