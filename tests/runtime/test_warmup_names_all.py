"""Every kernel that Python calls has a line `warm(...)` that `dovetail warmup` finds."""

import dis
import importlib
import pkgutil
import types

import pytest

import dovetail
from dovetail.runtime import warmup
from dovetail.runtime.jit import is_compiled_kernel, jit
from dovetail.runtime.kernel import Kernel
from dovetail.runtime.piece_compiler import kernels

pytestmark = pytest.mark.skipif(
    not is_compiled_kernel(jit(lambda x: x)), reason="kernels are plain Python"
)


def plain_functions(module):
    """The functions and methods of a module that are not kernels."""
    for value in list(vars(module).values()):
        inside = list(vars(value).values()) if isinstance(value, type) else [value]
        for one in inside:
            for name in ("__func__", "fget", "func"):  # of methods and properties
                one = getattr(one, name, one)
            if isinstance(one, types.FunctionType) and one.__module__ == module.__name__:
                yield one


def without_kernels(code, of_kernels):
    """A code object and those of functions inside it, but for those that are compiled."""
    if code not in of_kernels:
        yield code
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                yield from without_kernels(constant, of_kernels)


def kernels_named(function, of_kernels):
    """The kernels that Python code names, `kernel` or `module.kernel`."""
    for code in without_kernels(function.__code__, of_kernels):
        module = None
        for instruction in dis.get_instructions(code):
            value = None
            if instruction.opname == "LOAD_GLOBAL":
                value = function.__globals__.get(instruction.argval)
            elif module is not None and instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                value = getattr(module, instruction.argval, None)
            if isinstance(value, Kernel):
                yield value
            module = value if isinstance(value, types.ModuleType) else None


def test_every_kernel_that_python_calls_is_named():
    walked = pkgutil.walk_packages(dovetail.__path__, "dovetail.")
    modules = [
        importlib.import_module(name)
        for _, name, _ in walked
        if not name.endswith("__main__") and not name.startswith("dovetail.validation")
    ]
    covered = warmup.modules_of(warmup.PACKAGES)
    warmup.gather(covered)
    named = {kernel.place for kernel, _ in warmup.registered() if kernel.place[0] in covered}
    of_kernels = {kernel.py_func.__code__ for kernel in kernels.values()}
    missing = {
        kernel.place
        for module in modules
        for function in plain_functions(module)
        for kernel in kernels_named(function, of_kernels)
        if kernel.place not in named
    }
    if missing:
        pytest.fail("not named: " + ", ".join(sorted(map(":".join, missing))))
