"""Writing a result that is already complete."""

import os
from os import PathLike
from pathlib import Path

from dovetail.errors import InputError
from dovetail.model.values import quote
from dovetail.results.layout import lay_out, write_checksums, write_row_counts
from dovetail.results.lock import locked
from dovetail.results.overwriting import refuse_foreign
from dovetail.results.raw_bytes import replace_durably, write_array_at
from dovetail.results.sealing import put_seal
from dovetail.results.side_files import side_path
from dovetail.results.stored import Stored

EXPORTS = (".csv", ".glb", ".html", ".usda", ".vtkhdf", ".png", ".gif", ".mp4")


def save(stored: Stored, path: str | PathLike[str]) -> None:
    """Write all rows to `path`, replacing what is there in one move."""
    if not isinstance(path, str | PathLike):
        raise InputError(f"`path` of a result must be a file name, got {quote(path)}")
    final = Path(path)
    if final.suffix.lower() in EXPORTS:
        raise InputError(
            f"a result file is HDF5, with the ending .h5, got {quote(final.name)}; use "
            f"result.export({quote(final.name)})"
        )
    refuse_foreign(final, "the file of a result")
    with locked(final):
        temporary = side_path(final, "new")
        places = lay_out(temporary, stored.header, stored.rows, stored.status, stored.reason)
        descriptor = os.open(temporary, os.O_RDWR)
        try:
            for columns in stored.header.tables.values():
                for column in columns:
                    offset = places[column.path].offset
                    write_array_at(descriptor, stored.column(column.path), offset)
            write_row_counts(descriptor, places, stored.rows)
            tables, rows = stored.header.tables, stored.rows
            write_checksums(descriptor, places, tables, rows, rows)
            put_seal(descriptor)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)
        replace_durably(temporary, final)
