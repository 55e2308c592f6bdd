"""Writing a result that is already complete."""

import os
from os import PathLike
from pathlib import Path

import numpy as np

from dovetail.results.columns import TABLES, tables_of
from dovetail.results.layout import ROWS, lay_out
from dovetail.results.lock import locked
from dovetail.results.raw_bytes import replace_durably, write_at
from dovetail.results.side_files import side_path
from dovetail.results.stored import Stored


def save(stored: Stored, path: str | PathLike[str]) -> None:
    """Write all rows to `path`, replacing what is there in one move."""
    final = Path(path)
    with locked(final):
        temporary = side_path(final, "new")
        places = lay_out(temporary, stored.header, stored.rows, stored.status, stored.reason)
        descriptor = os.open(temporary, os.O_RDWR)
        try:
            for columns in tables_of(len(stored.header.names)).values():
                for column in columns:
                    data = np.ascontiguousarray(stored.column(column.path))
                    raw = data.reshape(-1).view(np.uint8).data
                    write_at(descriptor, raw, places[column.path].offset)
            counts = np.array([stored.rows[table] for table in TABLES], "<i8")
            write_at(descriptor, counts.tobytes(), places[ROWS].offset)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)
        replace_durably(temporary, final)
