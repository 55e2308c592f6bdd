"""Compiled inner loops: arrays in, arrays out; imports nothing above."""

from dovetail.kernels.compile_notice import notice
from dovetail.kernels.jit import jit

__all__ = ["jit", "notice"]
