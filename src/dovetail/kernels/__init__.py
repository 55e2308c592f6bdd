"""Compiled inner loops: arrays in, arrays out; imports nothing above."""

from dovetail.kernels.jit import jit

__all__ = ["jit"]
