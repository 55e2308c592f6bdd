"""How a record that a kernel returns becomes one of Python: a signal in between is an error.

Numba calls the class of a named tuple, or of an enumeration, when a kernel returns. If a handler of
a signal raises at that moment (Ctrl-C while a step is solved), Numba goes on with what it did not
get, and the process ends with a segmentation fault. Here nothing is called after an error.
"""

from typing import Any

from numba.core import cgutils, pythonapi, types
from numba.core.boxing import box_tuple

BOXING = 2  # increases when kernels that return records have to be compiled again


def box_values(kind: Any, value: Any, context: Any) -> Any:
    """The tuple of these values; a null pointer, with the error set, after an error."""
    builder, api = context.builder, context.pyapi
    values = box_tuple(kind, value, context)
    made = cgutils.alloca_once_value(builder, values)
    with builder.if_then(cgutils.is_not_null(builder, api.err_occurred()), likely=False):
        api.decref(values)
        builder.store(api.get_null_object(), made)
    return builder.load(made)


def box_record(record: Any, value: Any, context: Any) -> Any:
    """The named tuple of these values; a null pointer, with the error set, after an error."""
    builder, api = context.builder, context.pyapi
    values = box_values(record, value, context)
    made = cgutils.alloca_once_value(builder, api.get_null_object())
    with builder.if_then(cgutils.is_not_null(builder, values), likely=True):
        cls = api.unserialize(api.serialize_object(record.instance_class))
        with builder.if_then(cgutils.is_not_null(builder, cls), likely=True):
            builder.store(api.call(cls, values), made)
            api.decref(cls)
        api.decref(values)
    return builder.load(made)


def box_records_safely() -> None:
    """Let Numba use these for all that is compiled from now on."""
    boxers = pythonapi._boxers.functions
    boxers.update(dict.fromkeys((types.Tuple, types.UniTuple), box_values))
    boxers.update(dict.fromkeys((types.NamedTuple, types.NamedUniTuple), box_record))
