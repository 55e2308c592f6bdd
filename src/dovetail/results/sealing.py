"""Putting a seal on a result file, and what is wrong with one."""

import os

from dovetail.results.raw_bytes import write_at
from dovetail.results.seal import BLOCK, NOT_SEALED, ReadAt, Seal, make_seal, read_seal


def put_seal(descriptor: int, changes: dict[int, bytes] | None = None) -> Seal:
    """Seal a file as it will be after `changes`, bytes by offset, which are written later.

    So a kill between the two leaves a file that says it is not finished.
    """
    size = os.fstat(descriptor).st_size
    later = changes or {}

    def read(count: int, at: int) -> bytes:
        data = bytearray(_read_all(descriptor, count, at))
        for offset, new in later.items():
            first, last = max(offset, at), min(offset + len(new), at + count)
            if first < last:
                data[first - at : last - at] = new[first - offset : last - offset]
        return bytes(data)

    seal = make_seal(read, size)
    write_at(descriptor, seal.block(), 0)
    return seal


def take_seal_off(descriptor: int) -> None:
    write_at(descriptor, NOT_SEALED, 0)


def _read_all(descriptor: int, count: int, at: int) -> bytes:
    parts = []
    while count > 0:
        data = os.pread(descriptor, count, at)
        if not data:
            raise OSError(f"the file ends {count} bytes early")
        parts.append(data)
        count, at = count - len(data), at + len(data)
    return b"".join(parts)


def seal_mistake(seal: Seal | None, read: ReadAt, size: int) -> str:
    """Why a file of `size` bytes is not the one that was sealed; empty where it is."""
    if seal is None:
        return "the file says that it is finished, but it has no seal"
    if size != seal.size:
        return f"the file was sealed with {seal.size:,} bytes and has {size:,}"
    if make_seal(read, size).root != seal.root:
        return "the file is not as it was sealed"
    return ""


def seal_in(first: bytes) -> "tuple[Seal | None, str]":
    """The seal in the first bytes of a file, and what is wrong with it."""
    try:
        return read_seal(first[:BLOCK]), ""
    except (ValueError, KeyError, IndexError):
        return None, "the first bytes of the file, which hold its seal, are damaged"
