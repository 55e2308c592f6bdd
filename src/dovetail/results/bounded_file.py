"""What an HDF5 file announces, looked at before any of it is read.

A few bytes can describe any number of rows (chunks never written, packed zeros, texts that share
one place), and for the content of other files. None of that is in a result of ours.
"""

import h5py

from dovetail.errors import InputError

MAX_OBJECTS = 20_000  # groups and datasets
DEEPEST = 8  # groups in groups
SMALL = 1 << 28  # [bytes] that may be unpacked from any file
LARGEST_RATIO = 100  # of what is unpacked to the size of the file, above that


def refuse_unbounded(file: h5py.File, size: int) -> None:
    """Raise InputError where reading `file` of `size` bytes could need far more than that."""
    waiting: list[tuple[h5py.Group, int]] = [(file, 0)]
    seen, unpacked = {_address(file)}, 0
    while waiting:
        group, depth = waiting.pop()
        if depth > DEEPEST:
            raise InputError(f"its groups are nested deeper than {DEEPEST}")
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise InputError(f"{name!r} is a link, which a dovetail result does not have")
            item = group[name]
            if _address(item) in seen:
                continue
            seen.add(_address(item))
            if len(seen) > MAX_OBJECTS:
                raise InputError(f"it has more than {MAX_OBJECTS} groups and datasets")
            if isinstance(item, h5py.Group):
                waiting.append((item, depth + 1))
            elif isinstance(item, h5py.Dataset):
                unpacked += _bytes_of(item, name)
            if unpacked > max(SMALL, LARGEST_RATIO * size):
                raise InputError(
                    f"its {size:,} bytes announce more than {unpacked:,} bytes of data; write it "
                    "without compression if that is right"
                )


def _address(item: h5py.Group | h5py.Dataset) -> int:
    return int(h5py.h5o.get_info(item.id).addr)


def _bytes_of(item: h5py.Dataset, name: str) -> int:
    if item.external is not None or item.is_virtual:
        raise InputError(f"{name!r} lies in another file, a dovetail result is one file")
    if item.dtype.kind == "O":
        raise InputError(f"{name!r} has entries of any length, which no dovetail result has")
    return int(item.size or 0) * int(item.dtype.itemsize)
