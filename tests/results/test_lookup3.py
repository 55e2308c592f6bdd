"""The checksum of HDF5's metadata against the values its author published (lookup3.c, driver5)."""

import numpy as np
import pytest

from dovetail.results.lookup3 import lookup3, write_checksums_of_metadata

FOUR = b"Four score and seven years ago"


@pytest.mark.parametrize(("text", "expected"), [(b"", 0xDEADBEEF), (FOUR, 0x17770551)])
def test_published_values(text, expected):
    data = np.frombuffer(b"abc" + text + b"xyz", np.uint8)
    assert lookup3(data, 3, 3 + len(text)) == expected


def test_checksums_are_written_behind_their_bytes_lowest_byte_first():
    image = np.frombuffer(FOUR + bytes(6), np.uint8).copy()
    write_checksums_of_metadata(image, np.array([[0, len(FOUR)]]))
    assert image[-6:].tobytes() == (0x17770551).to_bytes(4, "little") + bytes(2)
