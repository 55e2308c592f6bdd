"""Compilation of kernels: jit, records, cache on disk, warm-up, registry."""
