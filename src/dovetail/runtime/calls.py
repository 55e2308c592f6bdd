"""How kernels call each other: large records by address, errors passed on as they are.

Numba passes every number of a tuple by itself. A record of fourteen arrays is a hundred arguments,
which each call takes out of the record and each kernel puts together again: a third of the LLVM
code of a kernel that calls others. Here a tuple of more than `_MOST` numbers is passed as its
address. Kernels do not change their arguments, so one that only passes a record on passes the
address that it was given.

Every call of Numba's has a slot for errors and looks at seven kinds of them. Here the kernel that
is called gets the slot of its caller, which returns what the call returned if that is not 0.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import callconv, cgutils, imputils, types
from numba.core.datamodel.packer import ArgPacker
from numba.core.datamodel.registry import default_manager

_MOST = 16  # numbers that a tuple may have to be passed one by one
_PASSES_ERRORS_ON = "dovetail_passes_errors_on"  # attribute of builders: functions without `try`
_ADDRESSES = "dovetail_addresses"  # attribute of builders: where values are, by their id


class _ByAddress:
    """Numba's model of a tuple, passed as its address."""

    def __init__(self, model: Any) -> None:
        self._type = model.get_value_type()

    def get_argument_type(self) -> ir.Type:
        return self._type.as_pointer()

    def as_argument(self, builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        addresses = builder.__dict__.setdefault(_ADDRESSES, {})
        if id(value) not in addresses:
            slot = _slot(builder, self._type)
            builder.store(value, slot)
            addresses[id(value)] = slot, value
        return addresses[id(value)][0]

    def from_argument(self, builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
        return builder.load(address)


class _Models:
    """Numba's models, with `_ByAddress` for large tuples."""

    def __init__(self) -> None:
        self._known: dict[types.Type, Any] = {}

    def lookup(self, kind: types.Type) -> Any:
        if kind not in self._known:
            model = default_manager.lookup(kind)
            large = _numbers(model.get_argument_type()) > _MOST
            tuples = isinstance(kind, types.BaseTuple)
            self._known[kind] = _ByAddress(model) if tuples and large else model
        return self._known[kind]


def _numbers(argument_type: Any) -> int:
    if isinstance(argument_type, (tuple, list)):
        return sum(map(_numbers, argument_type))
    return 1


_models = _Models()
_packers: dict[tuple, ArgPacker] = {}


class Convention(callconv.CPUCallConv):
    """As Numba's, with large tuples by address."""

    def _get_arg_packer(self, argtypes: Iterable[types.Type]) -> ArgPacker:
        kinds = tuple(argtypes)
        if kinds not in _packers:
            _packers[kinds] = ArgPacker(_models, kinds)
        return _packers[kinds]


def is_by_address(kind: types.Type) -> bool:
    """Whether values of a type are passed as their address."""
    return isinstance(kind, types.BaseTuple) and isinstance(_models.lookup(kind), _ByAddress)


def with_convention(context: Any) -> Any:
    """As `context`, for what calls kernels from outside."""

    class Context(type(context)):  # type: ignore[misc]
        call_conv = property(Convention)

    other = context.subtarget()
    other.__class__ = Context
    return other


def declare(context: Any, module: ir.Module, description: Any) -> ir.Function:
    """The function of a kernel in `module`, declared where it is not."""
    known = module.globals.get(description.mangled_name)
    if known is not None:
        return known
    convention = Convention(context)
    kind = convention.get_function_type(description.restype, description.argtypes)
    function = cgutils.get_or_insert_function(module, kind, description.mangled_name)
    context.apply_target_attributes(function, description.argtypes, description.restype)
    addresses = [function.args[i] for i in _positions(convention, description.argtypes).values()]
    for argument in (*function.args[:2], *addresses):
        argument.add_attribute("captures(none)")
        argument.add_attribute("noalias")
    if description.inline:
        function.attributes.add("alwaysinline")
    return function


def arguments_of(context: Any, builder: ir.IRBuilder, description: Any) -> list[ir.Value]:
    """The values of the arguments of the kernel that `builder` is in."""
    convention, function = Convention(context), builder.function
    values = list(convention.decode_arguments(builder, description.argtypes, function))
    for which, position in _positions(convention, description.argtypes).items():
        is_at(builder, values[which], function.args[position])
    return values


def _positions(convention: Convention, kinds: Sequence[types.Type]) -> dict[int, int]:
    """Which arguments are passed by address, and by which argument of the function."""
    found, position = {}, 2  # after the slots of what is returned and of errors
    for which, kind in enumerate(kinds):
        if is_by_address(kind):
            found[which] = position
        position += len(convention._get_arg_packer((kind,)).argument_types)
    return found


def address_of(builder: ir.IRBuilder, value: ir.Value) -> ir.Value | None:
    """Where a value is that has an address which stays."""
    return getattr(builder, _ADDRESSES, {}).get(id(value), (None,))[0]


def is_at(builder: ir.IRBuilder, value: ir.Value, address: ir.Value) -> None:
    """Remember where a value is."""
    builder.__dict__.setdefault(_ADDRESSES, {})[id(value)] = address, value


def pass_errors_on(builder: ir.IRBuilder) -> None:
    """Let calls in a function that has no `try` return the errors of what they call."""
    setattr(builder, _PASSES_ERRORS_ON, True)


def caller_of(description: Any, libraries: Iterable[Any]) -> Callable[..., Any]:
    """What Numba lowers a call of a kernel by, as its `user_function`."""

    def call(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
        function = declare(context, builder.module, description)
        simple = not isinstance(description.restype, types.Optional)
        emit = _short if simple and hasattr(builder, _PASSES_ERRORS_ON) else _whole
        value = emit(context, builder, function, description, sig, args)
        assert value.type == context.get_value_type(sig.return_type)
        return imputils.impl_ret_new_ref(context, builder, description.restype, value)

    call.signature = description.argtypes  # type: ignore[attr-defined]
    call.libs = tuple(libraries)  # type: ignore[attr-defined]
    return call


def _short(
    context: Any, builder: ir.IRBuilder, function: ir.Function, description: Any, _: Any, args: Any
) -> ir.Value:
    convention = Convention(context)
    packed = convention._get_arg_packer(description.argtypes).as_arguments(builder, args)
    slot = _slot(builder, convention.get_return_type(description.restype).pointee)
    code = builder.call(function, [slot, builder.function.args[1], *packed])
    failed = builder.icmp_signed("!=", code, ir.Constant(code.type, callconv.RETCODE_OK.constant))
    with cgutils.if_unlikely(builder, failed):
        builder.ret(code)
    return context.get_returned_value(builder, description.restype, builder.load(slot))


def _whole(
    context: Any, builder: ir.IRBuilder, function: ir.Function, description: Any, sig: Any,
    args: Any,
) -> ir.Value:  # fmt: skip
    convention = Convention(context)
    status, value = convention.call_function(
        builder, function, description.restype, description.argtypes, args
    )
    with cgutils.if_unlikely(builder, status.is_error):
        context.call_conv.return_status_propagate(builder, status)
    return imputils.fix_returning_optional(context, builder, sig, status, value)


def _slot(builder: ir.IRBuilder, kind: ir.Type) -> ir.Value:
    """Memory of the function that `builder` is in, made once."""
    with builder.goto_entry_block():
        return builder.alloca(kind)
