"""Result files: HDF5 store, resume, what a `Result` offers."""

from dovetail.results.loading import load
from dovetail.results.result import EventRecord, Result

__all__ = ["EventRecord", "Result", "load"]
