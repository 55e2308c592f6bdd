"""Makes Python strict about memory, in every process that has this folder on PYTHONPATH.

With NUMBA_BOUNDSCHECK=1 Numba refuses an index at or behind the end of an array; a negative one it
counts from the end, and a slice it cuts to the array. Here kernels refuse these too: none of ours
means them.

What `np.empty` returns, in Python and in kernels, is filled with the byte DOVETAIL_FILL: 255, the
default, is NaN and -1; 85 is 1e103 and numbers past the end of every array. Then what is read
before it is written is the same in every run, and conspicuous. MALLOC_PERTURB_ of the C library
fills other memory, but NumPy keeps small blocks and hands them out again.

`suite_everywhere.py` runs the suite so. Kernels made so need a cache of their own
(DOVETAIL_CACHE_DIR); they read the byte when they run, so one cache does for all bytes.
"""

import ctypes
import functools
import importlib.abc
import importlib.machinery
import os
import sys

FILL = ctypes.c_int8(int(os.environ.get("DOVETAIL_FILL", "255")))
_SYMBOL = "dovetail_fill"


def _refuse_indices(arrayobj):
    """Let kernels refuse negative indices, and slices that leave the array."""
    cgutils, types = arrayobj.cgutils, arrayobj.types

    def refuse(context, builder, wrong, message):
        with cgutils.if_unlikely(builder, wrong):
            context.call_conv.return_user_exc(builder, IndexError, (message,))

    def fix_integer_index(context, builder, idxty, idx, size):
        kind = types.intp if idxty.signed else types.uintp
        index = context.cast(builder, idx, idxty, kind)
        if idxty.signed and context.enable_boundscheck:
            negative = builder.icmp_signed("<", index, index.type(0))
            refuse(context, builder, negative, "index is negative")
        return index

    basic_indexing = arrayobj.basic_indexing

    @functools.wraps(basic_indexing)
    def checked_indexing(context, builder, aryty, ary, index_types, indices, boundscheck=None):
        plain = not any(kind is types.ellipsis for kind in index_types)
        if boundscheck and plain:
            shapes = cgutils.unpack_tuple(builder, ary.shape, aryty.ndim)
            axes = [k for k in index_types if not arrayobj.is_nonelike(k)]
            given = [
                i for i, k in zip(indices, index_types, strict=True) if not arrayobj.is_nonelike(k)
            ]
            for kind, index, size in zip(axes, given, shapes, strict=False):
                if isinstance(kind, types.SliceType) and not kind.has_step:
                    part = context.make_helper(builder, kind, value=index)
                    zero, most = size.type(0), size.type(sys.maxsize)
                    for end in (part.start, part.stop):
                        low = builder.icmp_signed("<", end, zero)
                        high = builder.icmp_signed(">", end, size)
                        high = builder.and_(high, builder.icmp_signed("!=", end, most))
                        refuse(context, builder, builder.or_(low, high), "slice leaves the array")
        return basic_indexing(
            context, builder, aryty, ary, index_types, indices, boundscheck=boundscheck
        )

    arrayobj.fix_integer_index = fix_integer_index
    arrayobj.basic_indexing = checked_indexing


def _fill_arrays_of_kernels(arrayobj):
    """Let arrays that kernels make begin with the byte everywhere."""
    from llvmlite import binding, ir

    binding.add_symbol(_SYMBOL, ctypes.addressof(FILL))
    unfilled = arrayobj._empty_nd_impl

    def filled(context, builder, arrtype, shapes):
        array = unfilled(context, builder, arrtype, shapes)
        size = builder.mul(array.itemsize, array.nitems)
        byte = builder.module.globals.get(_SYMBOL)
        if byte is None:
            byte = ir.GlobalVariable(builder.module, ir.IntType(8), _SYMBOL)
        arrayobj.cgutils.memset(builder, array.data, size, builder.load(byte))
        return array

    arrayobj._empty_nd_impl = filled


def _fill_arrays(numpy):
    """Let `np.empty` and `np.empty_like` return arrays of the byte."""

    def filling(make):
        @functools.wraps(make)
        def filled(*args, **kwargs):
            array = make(*args, **kwargs)
            if type(array) is numpy.ndarray and not array.dtype.hasobject and array.size:
                rows = array if array.flags.c_contiguous else array.T
                if rows.flags.c_contiguous:
                    rows.reshape(-1).view(numpy.int8)[...] = FILL.value
            return array

        return filled

    numpy.empty, numpy.empty_like = filling(numpy.empty), filling(numpy.empty_like)


def _after_import(name, module):
    if name == "numpy":
        _fill_arrays(module)
        return
    if os.environ.get("NUMBA_BOUNDSCHECK") == "1":
        _refuse_indices(module)
    _fill_arrays_of_kernels(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules that are changed after their import."""

    def find_spec(self, name, path=None, target=None):
        if name not in ("numpy", "numba.np.arrayobj"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module):
                run(module)
                _after_import(name, module)

            spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, _Finder())
