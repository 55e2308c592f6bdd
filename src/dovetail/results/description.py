"""The HDF5 description of a result file: made by the HDF5 library once for each kind of file.

To lay out some fifty datasets takes HDF5 ten milliseconds, more than a short run. Files of the same
bodies, joints and tables differ in sizes and places alone, so these are written into a copy of the
description that HDF5 made of an empty file, where they are in
    dataspace message (IV.A.2.b)     its dimensions
    datatype message (IV.A.2.d)      the length of a text
    data layout message (IV.A.2.i)   address and size
    superblock (II.A)                the end of the file
with the checksums of what they lie in. Sections are those of the HDF5 file format specification,
version 3.0. All that HDF5 needs to know lies first: a file that was cut short still opens.
"""

import struct
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from math import prod
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from dovetail.results.datasets import Dataset, Kind, Place, text_of
from dovetail.results.lookup3 import write_checksums_of_metadata
from dovetail.results.seal import BLOCK

FORMAT, FORMAT_VERSION = "dovetail result", 2
ALIGNED = 8  # [bytes] where datasets begin that are at least as long
NOWHERE = 0xFFFFFFFFFFFFFFFF  # address of a dataset without bytes
SUPERBLOCK_END_AT, SUPERBLOCK_BYTES = 28, 44  # of the file's end; without the checksum
DATASPACE, DATATYPE, DATA_LAYOUT = 1, 3, 8  # numbers of messages
KEPT = 32  # descriptions

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Numbers:
    """Where in the description the numbers of one dataset are."""

    dimensions: tuple[int, ...]  # offsets of the first, and of the first of the largest allowed
    text_length: int  # offset, or 0 where the dataset holds no text
    address: int  # offset; that of the size follows


@dataclass(frozen=True, eq=False)
class Description:
    """The first bytes of files of one kind."""

    image: Bytes
    numbers: tuple[Numbers, ...]  # by dataset
    checked: NDArray[np.int64]  # (n, 2) ranges of bytes after which their checksum is

    def filled_in(self, datasets: list[Dataset]) -> tuple[Bytes, dict[str, Place], int]:
        """The description of these datasets, where each lies, and the size of the file."""
        image = self.image.copy()
        raw = image.data
        places: dict[str, Place] = {}
        end = len(image)
        for dataset, numbers in zip(datasets, self.numbers):
            size = prod(dataset.shape) * dataset.dtype.itemsize
            if size >= ALIGNED:
                end += -end % ALIGNED
            offset = end if size else 0
            places[dataset.path] = Place(offset, dataset.shape, dataset.dtype)
            for at in numbers.dimensions:
                struct.pack_into(f"<{len(dataset.shape)}Q", raw, at, *dataset.shape)
            if numbers.text_length:
                struct.pack_into("<I", raw, numbers.text_length, dataset.dtype.itemsize)
            address = offset - BLOCK if size else NOWHERE
            struct.pack_into("<2Q", raw, numbers.address, address, size)
            end += size
        struct.pack_into("<Q", raw, BLOCK + SUPERBLOCK_END_AT, end)
        write_checksums_of_metadata(image, self.checked)
        return image, places, end


def described_datasets(
    version: str, datasets: list[Dataset]
) -> tuple[Bytes, dict[str, Place], int]:
    """First bytes, places and size of a file of `datasets`."""
    return _description(version, tuple(dataset.kind for dataset in datasets)).filled_in(datasets)


@lru_cache(maxsize=KEPT)
def _description(version: str, kinds: tuple[Kind, ...]) -> Description:
    """What HDF5 writes for empty arrays and texts of length 1."""
    written = BytesIO()
    with h5py.File(
        written, "w", libver=("v110", "v110"), alignment_threshold=ALIGNED,
        alignment_interval=ALIGNED, userblock_size=BLOCK,
    ) as file:  # fmt: skip
        file.attrs["format"] = _attribute(FORMAT)
        file.attrs["format_version"] = np.int64(FORMAT_VERSION)
        file.attrs["dovetail_version"] = _attribute(version)
        file.attrs["units"] = _attribute("SI: m, kg, s, rad, N, J")
        creation = _contiguous()
        made = [_made(file, creation, *kind) for kind in kinds]
        headers = [BLOCK + int(h5py.h5o.get_info(dataset.id).addr) for dataset in made]
    image = np.frombuffer(written.getvalue(), np.uint8).copy()
    numbers, checked = [], [(BLOCK, BLOCK + SUPERBLOCK_BYTES)]
    for at, kind in zip(headers, kinds):
        of_dataset, end = _numbers_in(image, at, is_text=kind[2] == "text")
        numbers.append(of_dataset)
        checked.append((at, end))
    return Description(image, tuple(numbers), np.array(checked, np.int64))


def _numbers_in(image: Bytes, at: int, is_text: bool) -> tuple[Numbers, int]:
    """What an object header of version 2 (IV.A.1.b) at `at` holds, and where its checksum is."""
    data = image[at:].data
    assert bytes(data[:5]) == b"OHDR\x02"
    flags = data[5]
    assert not flags & 0b110100  # no creation order, no sizes of attributes, no times
    first = 6 + (1 << (flags & 3))
    end = first + int.from_bytes(data[6:first], "little")
    dimensions: tuple[int, ...] = ()
    text_length = address = 0
    message = first
    while end - message >= 4:
        number, size, _ = struct.unpack_from("<BHB", data, message)
        inside = message + 4
        if number == DATASPACE:
            rank, has_largest = data[inside + 1], data[inside + 2] & 1
            if rank:
                begin = at + inside + 4
                dimensions = (begin, begin + 8 * rank) if has_largest else (begin,)
        elif number == DATATYPE and is_text:
            text_length = at + inside + 4
        elif number == DATA_LAYOUT:
            address = at + inside + 2
        message = inside + size
    assert address
    return Numbers(dimensions, text_length, address), at + end


def _made(
    file: h5py.File, creation: Any, path: str, rank: int, dtype: str, meaning: str, unit: str
) -> h5py.Dataset:
    group, _, name = path.rpartition("/")
    parent = file.require_group(group) if group else file
    held = h5py.string_dtype("utf-8", 1) if dtype == "text" else np.dtype(dtype)
    kind, space = h5py.h5t.py_create(held, logical=True), h5py.h5s.create_simple((0,) * rank)
    dataset = h5py.Dataset(h5py.h5d.create(parent.id, name.encode(), kind, space, creation))
    if meaning:
        dataset.attrs["meaning"] = _attribute(meaning)
    if unit:
        dataset.attrs["unit"] = _attribute(unit)
    return dataset


def _contiguous() -> Any:
    """Datasets whose space is set aside at once and never filled by HDF5."""
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_layout(h5py.h5d.CONTIGUOUS)
    creation.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    creation.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    creation.set_obj_track_times(False)
    return creation


def _attribute(text: str) -> NDArray[Any]:
    raw = text_of(text)
    return raw.astype(h5py.string_dtype("utf-8", raw.dtype.itemsize))
