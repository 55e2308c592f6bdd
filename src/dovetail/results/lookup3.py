"""Checksums of HDF5's own metadata: `hashlittle` of lookup3.c (Bob Jenkins, 2006, public domain).

HDF5 file format specification 3.0, section II.B: object headers of version 2 and superblocks of
version 2 and 3 end with it.
"""

import numpy as np

from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

ALL = 0xFFFFFFFF  # 32 bits
FIRST = 0xDEADBEEF


@jit
def write_checksums_of_metadata(image, ranges):
    """Put the checksum of bytes [begin, end) at `end`, for each row of `ranges` (n, 2)."""
    for row in range(len(ranges)):
        begin, end = ranges[row]
        total = lookup3(image, begin, end)
        for k in range(4):
            image[end + k] = (total >> (8 * k)) & 0xFF


@jit
def lookup3(image, begin, end):
    """The checksum of some bytes, in rounds of 12."""
    a = b = c = (FIRST + end - begin) & ALL
    at = begin
    while end - at > 12:
        a = (a + _word(image, at, end)) & ALL
        b = (b + _word(image, at + 4, end)) & ALL
        c = (c + _word(image, at + 8, end)) & ALL
        a, b, c = _mixed(a, b, c)
        at += 12
    if at == end:
        return c
    a = (a + _word(image, at, end)) & ALL
    b = (b + _word(image, at + 4, end)) & ALL
    c = (c + _word(image, at + 8, end)) & ALL
    return _last(a, b, c)


@jit
def _word(image, at, end):
    """Four bytes, the lowest first; 0 for those that are not there."""
    word = 0
    for k in range(4):
        if at + k < end:
            word |= int(image[at + k]) << (8 * k)
    return word


@jit
def _turned(x, bits):
    return ((x << bits) | (x >> (32 - bits))) & ALL


@jit
def _mixed(a, b, c):
    a, c = ((a - c) & ALL) ^ _turned(c, 4), (c + b) & ALL
    b, a = ((b - a) & ALL) ^ _turned(a, 6), (a + c) & ALL
    c, b = ((c - b) & ALL) ^ _turned(b, 8), (b + a) & ALL
    a, c = ((a - c) & ALL) ^ _turned(c, 16), (c + b) & ALL
    b, a = ((b - a) & ALL) ^ _turned(a, 19), (a + c) & ALL
    c, b = ((c - b) & ALL) ^ _turned(b, 4), (b + a) & ALL
    return a, b, c


@jit
def _last(a, b, c):
    c = ((c ^ b) - _turned(b, 14)) & ALL
    a = ((a ^ c) - _turned(c, 11)) & ALL
    b = ((b ^ a) - _turned(a, 25)) & ALL
    c = ((c ^ b) - _turned(b, 16)) & ALL
    a = ((a ^ c) - _turned(c, 4)) & ALL
    b = ((b ^ a) - _turned(a, 14)) & ALL
    return ((c ^ b) - _turned(b, 24)) & ALL


warm(write_checksums_of_metadata, np.zeros(16, np.uint8), np.zeros((0, 2), np.int64))
