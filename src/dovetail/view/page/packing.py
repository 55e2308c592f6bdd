"""Arrays with a JSON header in one piece of bytes, as the player's script reads them."""

import gzip
import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

KINDS = ("<f4", "<f8", "<i2", "<i4", "<u4")  # what the script knows
ALIGNED = 8


def pack(
    header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], compress: bool = False
) -> bytes:
    """Length of the header (8 bytes, little endian), header, arrays; gzip on request.

    The header has under `arrays` the kind, number of values and place of each, counted from
    its own end.
    """
    places: dict[str, dict[str, Any]] = {}
    chunks: list[bytes] = []
    offset = 0
    for name, array in arrays.items():
        kind = np.dtype(array.dtype).newbyteorder("<").str
        assert kind in KINDS, f"{name} has kind {kind}"
        raw = np.ascontiguousarray(array, dtype=kind).tobytes()
        places[name] = {"kind": kind, "size": array.size, "offset": offset}
        chunks += [raw, b"\0" * (-len(raw) % ALIGNED)]
        offset += len(raw) + len(chunks[-1])
    text = json.dumps({**header, "arrays": places}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNED)
    whole = struct.pack("<Q", len(text)) + text + b"".join(chunks)
    # no date inside: the same result gives the same bytes
    return gzip.compress(whole, compresslevel=6, mtime=0) if compress else whole


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
