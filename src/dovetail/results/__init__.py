"""What a run leaves behind: store, analysis, certificate."""

from dovetail.results.loading import load
from dovetail.results.result import EventRecord, Result

__all__ = ["EventRecord", "Result", "load"]
