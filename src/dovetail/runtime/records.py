"""Many arrays passed to a kernel as one pointer.

A tuple of arrays is taken apart at every call: 82 arrays cost 11 us per call from Python, and each
kernel that only passes them on took seconds to compile. A bundle is a Numba structref with the
fields of a named tuple; kernels read `bundle.x` just the same (once, at their top: every read
counts references). With NUMBA_DISABLE_JIT=1 it is the named tuple itself.
"""

import sys
from typing import Any

import numpy as np
from numba import types
from numba.core import config
from numba.experimental import structref

from dovetail.runtime.jit import jit

# the types of the fields of records
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
Float32Array = np.ndarray[Any, np.dtype[np.float32]]
Int64Array = np.ndarray[Any, np.dtype[np.int64]]
Int32Array = np.ndarray[Any, np.dtype[np.int32]]
Int8Array = np.ndarray[Any, np.dtype[np.int8]]
ByteArray = np.ndarray[Any, np.dtype[np.uint8]]
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]


class _Bundle(types.StructRef):
    def preprocess_fields(self, fields):
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


def bundler(named_tuple: type) -> Any:
    """The compiled function that makes bundles from the fields of `named_tuple`, one each."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return named_tuple
    fields: tuple[str, ...] = named_tuple._fields  # type: ignore[attr-defined]
    module = sys.modules[named_tuple.__module__]
    kind = type(f"{named_tuple.__name__}Bundle", (_Bundle,), {"__module__": module.__name__})
    proxy = type(
        f"{named_tuple.__name__}Proxy", (structref.StructRefProxy,),
        {"__module__": module.__name__, "_fields": fields},
    )  # fmt: skip
    for made in (kind, proxy):  # the cache on disk finds types by module and name
        setattr(module, made.__name__, made)
    structref.register(kind)
    structref.define_constructor(proxy, kind, fields)
    structref.define_boxing(kind, proxy)
    names = ", ".join(fields)
    source = f"def bundle_{named_tuple.__name__}({names}):\n    return {proxy.__name__}({names})\n"
    scope = {proxy.__name__: proxy, "__name__": module.__name__}
    exec(compile(source, module.__file__ or "", "exec"), scope)
    return jit(scope[f"bundle_{named_tuple.__name__}"])
