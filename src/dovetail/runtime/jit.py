"""The one decorator every compiled kernel uses."""

from numba import typeof
from numba.core import config, event
from numba.core.dispatcher import Dispatcher

from dovetail.runtime import later
from dovetail.runtime.boxing import box_records_safely
from dovetail.runtime.compile_notice import notice
from dovetail.runtime.fingerprint import NoFingerprintError, fingerprint
from dovetail.runtime.kernel import Kernel
from dovetail.runtime.later_units import load_or_compile
from dovetail.runtime.target import choose_target

_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None}


class _OurKernels(event.Listener):
    """Passes on the compilation of kernels made by `jit`, not of other Numba code."""

    def on_start(self, event) -> None:
        if isinstance(event.data["dispatcher"], Kernel):
            notice.on_start(event)

    def on_end(self, event) -> None:
        if isinstance(event.data["dispatcher"], Kernel):
            notice.on_end(event)


event.register("numba:compile", _OurKernels())
choose_target()
box_records_safely()
later.load_or_compile = load_or_compile


def jit(function):
    """Compile `function` with Numba: cached on disk, without the GIL, IEEE division.

    The cache notices an edit of the function and of all it calls, in whatever file.
    With NUMBA_DISABLE_JIT=1 the function stays plain Python, for a debugger to step through.
    """
    return _compiled(function)


def jit_in_place(function):
    """As `jit`, for kernels that only write into arrays they are given.

    They must neither make nor return arrays, so Numba need not count references. That counting,
    in kernels that take many arrays, can cost more than the work: 5 of 9 us for the forward
    dynamics of 30 bodies. Numba compiles what such a kernel calls in the same way, so its callees
    must not make or return arrays either (a returned one would be freed while in use).
    """
    return _compiled(function, _nrt=False)


def jit_within(function):
    """As `jit_in_place`, for small kernels that are to become part of those that call them.

    A matrix is passed as nine numbers, so a call with ten of them can cost more than its work.
    """
    return _compiled(function, _nrt=False, forceinline=True)


def apart(kernel):
    """Let a large kernel be machine code of its own, which those that call it jump to.

    Written above `jit` or `jit_in_place`. Else it is optimised again in every kernel that Python
    calls and that calls it. For kernels whose work is much more than a call: nothing of it becomes
    part of its callers. Results do not depend on it.
    """
    if is_compiled_kernel(kernel):
        kernel.apart = True
    return kernel


def when_called(returns):
    """As `apart`, compiled or loaded only when a kernel calls it first (`runtime.later`).

    For what many scenes do not need. `returns` is an example of what it returns, of which only the
    type matters: callers are compiled without looking into it.
    """

    def marked(kernel):
        if is_compiled_kernel(kernel):
            kernel.apart, kernel.returns = True, typeof(returns)
        return kernel

    return marked


def _compiled(function, **options):
    if function.__closure__:
        _name_by_content(function)
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return Kernel(function, targetoptions=_OPTIONS | options)


def is_compiled_kernel(kernel) -> bool:
    """Whether `kernel` is compiled, and not plain Python because of NUMBA_DISABLE_JIT=1."""
    return isinstance(kernel, Dispatcher)


def _name_by_content(function) -> None:
    """Tell functions made by one factory apart by name.

    They share a qualified name, which is what machine code loaded from the cache is linked by.
    """
    try:
        function.__qualname__ += f"_{fingerprint(function)[:8]}"
    except NoFingerprintError:
        return
