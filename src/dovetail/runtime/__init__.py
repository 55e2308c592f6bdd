"""Compilation of kernels: jit, records, cache on disk, warm-up, registry."""

from dovetail.runtime.compile_notice import notice
from dovetail.runtime.jit import jit

__all__ = ["jit", "notice"]
