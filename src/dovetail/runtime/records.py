"""Many arrays passed to a kernel as one pointer.

A tuple of arrays is taken apart at every call: 82 arrays cost 11 us per call from Python, and each
kernel that only passes them on took seconds to compile. A bundle is a Numba structref with the
fields of a named tuple; kernels read `bundle.x` just the same. With NUMBA_DISABLE_JIT=1 it is the
named tuple itself.

Kernels made by `jit` count references at every read of a field; those made by `jit_in_place` do
not. Only a `jit` kernel may take a bundle from Python: it gives back the reference that the call
takes. So the kernel that Python calls is a `jit` kernel, and what it calls are `jit_in_place` ones.
"""

import hashlib
import sys
from inspect import Parameter, Signature
from typing import Any

import numpy as np
from numba import typeof, types
from numba.core import cgutils, config, imputils
from numba.core.datamodel import models
from numba.core.datamodel.registry import default_manager
from numba.core.extending import lower_builtin, lower_getattr_generic, type_callable
from numba.core.runtime.nrtdynmod import _meminfo_struct_type
from numba.core.typing.typeof import typeof_impl
from numba.experimental import structref
from numba.experimental.jitclass.base import imp_dtor

from dovetail.runtime import warmup
from dovetail.runtime.jit import jit

# the types of the fields of records
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
Float32Array = np.ndarray[Any, np.dtype[np.float32]]
Int64Array = np.ndarray[Any, np.dtype[np.int64]]
Int32Array = np.ndarray[Any, np.dtype[np.int32]]
Int8Array = np.ndarray[Any, np.dtype[np.int8]]
ByteArray = np.ndarray[Any, np.dtype[np.uint8]]
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]

# Numba asks every bundle for its type at every call; its own property is a Python function.
_TYPE_OF_PROXY = structref.StructRefProxy.__dict__["_type"]
_DATA = 3  # which field of the header of an allocation is the address of its data

_ANY_WAY = Parameter.POSITIONAL_OR_KEYWORD
_DIGITS = 16  # hexadecimal, of the digest of the fields of a bundle
_payloads: dict[types.Type, types.Type] = {}


class _Bundle(types.StructRef):
    def __init__(self, fields) -> None:
        """Named by a digest of its fields: Numba writes the name into every symbol, many times."""
        super().__init__(fields)
        digest = hashlib.sha256(self.name.encode()).hexdigest()[:_DIGITS]
        self.name = f"{type(self).__name__}_{digest}"

    def preprocess_fields(self, fields):
        return tuple((name, types.unliteral(kind)) for name, kind in fields)

    def get_data_type(self):
        """The type of what the bundle points to; made once, since every read of a field asks."""
        if self not in _payloads:
            _payloads[self] = super().get_data_type()
        return _payloads[self]


class _Bundler:
    """Makes bundles of one kind; while warm-up collects kernels, only their types."""

    def __init__(self, kernel, kind: type, fields: tuple[str, ...]) -> None:
        self.kernel, self._kind, self._fields = kernel, kind, fields

    def __call__(self, *values):
        if not warmup.is_collecting():
            return self.kernel(*values)
        warmup.warm(self.kernel, *values)
        return _Typed(self._kind(list(zip(self._fields, map(typeof, values)))))


class _Typed:
    """Stands for a bundle where only its type matters: making a real one compiles a kernel."""

    def __init__(self, kind) -> None:
        self.kind = kind


@typeof_impl.register(_Typed)
def _typeof_typed(value, context):
    return value.kind


def bundler(named_tuple: type) -> Any:
    """What makes bundles from the fields of `named_tuple`, one each."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return named_tuple
    fields: tuple[str, ...] = named_tuple._fields  # type: ignore[attr-defined]
    module = sys.modules[named_tuple.__module__]
    kind = type(f"{named_tuple.__name__}Bundle", (_Bundle,), {"__module__": module.__name__})
    proxy = type(
        f"{named_tuple.__name__}Proxy", (structref.StructRefProxy,),
        {"__module__": module.__name__, "_fields": fields, "_numba_type_": _TYPE_OF_PROXY},
    )  # fmt: skip
    for made in (kind, proxy):  # the cache on disk finds types by module and name
        setattr(module, made.__name__, made)
    default_manager.register(kind, models.StructRefModel)
    _define_attributes(kind)
    _define_constructor(proxy, kind, fields)
    structref.define_boxing(kind, proxy)
    names = ", ".join(fields)
    source = f"def bundle_{named_tuple.__name__}({names}):\n    return {proxy.__name__}({names})\n"
    scope = {proxy.__name__: proxy, "__name__": module.__name__}
    exec(compile(source, module.__file__ or "", "exec"), scope)
    return _Bundler(jit(scope[f"bundle_{named_tuple.__name__}"]), kind, fields)


def _define_constructor(proxy: type, kind: type, fields: tuple[str, ...]) -> None:
    """Let kernels make a bundle.

    As `structref.define_constructor`, whose function of as many statements as fields Numba compiles
    to machine code before it becomes part of the kernel.
    """

    @type_callable(proxy)
    def type_of_new(context):
        def of_values(*values):
            return kind(list(zip(fields, values)))

        of_values.pysig = Signature([Parameter(field, _ANY_WAY) for field in fields])  # type: ignore[attr-defined]
        return of_values

    @lower_builtin(proxy, types.VarArg(types.Any))
    def make(context, builder, signature, values):
        bundle = signature.return_type
        content = bundle.get_data_type()
        layout = context.data_model_manager[content].get_value_type()
        size = context.get_constant(types.uintp, context.get_abi_sizeof(layout))
        destroy = imp_dtor(context, builder.module, bundle)
        memory = context.nrt.meminfo_alloc_dtor(builder, size, destroy)
        data = builder.bitcast(context.nrt.meminfo_data(builder, memory), layout.as_pointer())
        filled = cgutils.create_struct_proxy(content)(context, builder, ref=data)
        for (name, wanted), given, value in zip(bundle._fields, signature.args, values):
            kept = context.cast(builder, value, given, wanted)
            context.nrt.incref(builder, wanted, kept)
            setattr(filled, name, kept)
        made = context.make_helper(builder, bundle)
        made.meminfo = memory
        return imputils.impl_ret_new_ref(context, builder, bundle, made._getvalue())


def _define_attributes(kind: type) -> None:
    """Let kernels read the fields of a bundle, those of `jit_in_place` too.

    As `structref.define_attributes`, which asks Numba's runtime where the fields lie. Kernels that
    count no references have no runtime; the address is read from the header of the allocation.
    """
    structref.define_attributes(kind)

    @lower_getattr_generic(kind)
    def read_field(context, builder, bundle, value, name):
        header = cgutils.create_struct_proxy(bundle)(context, builder, value=value).meminfo
        header = builder.bitcast(header, _meminfo_struct_type.as_pointer())
        data = builder.load(cgutils.gep(builder, header, 0, _DATA))
        fields = bundle.get_data_type()
        layout = context.data_model_manager[fields].get_value_type()
        data = builder.bitcast(data, layout.as_pointer())
        field = getattr(cgutils.create_struct_proxy(fields)(context, builder, ref=data), name)
        return imputils.impl_ret_borrowed(context, builder, bundle.field_dict[name], field)
