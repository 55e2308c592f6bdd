"""Compiled inner loops: arrays in, arrays out; imports nothing above."""

from dovetail.runtime.compile_notice import notice
from dovetail.runtime.jit import jit

__all__ = ["jit", "notice"]
