"""Wrong arguments of a call, reported with the name that was probably meant."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

from dovetail.errors import InputError
from dovetail.runtime.registry import option_mistakes

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)


class OptionError(InputError, TypeError):
    """A call with an argument that the function does not take, or without one that it needs."""


def named_options(function: Callable[P, R]) -> Callable[P, R]:
    """Let `function` answer wrong arguments with a sentence instead of Python's TypeError."""

    @wraps(function)
    def called(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return function(*arguments, **options)
        except TypeError as error:
            mistakes = call_mistakes(function, arguments, options)
            if not mistakes:
                raise
            raise OptionError(mistakes) from error

    return called


def named_parameters(cls: C) -> C:
    """Let the class answer wrong arguments with a sentence."""
    if cls.__init__ is object.__init__:  # type: ignore[misc]

        def no_options(self: Any) -> None:
            """Nothing to set."""

        no_options.__qualname__ = f"{cls.__name__}.__init__"
        cls.__init__ = no_options  # type: ignore[misc]
    cls.__init__ = named_options(cls.__init__)  # type: ignore[misc]
    return cls


def call_mistakes(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> list[str]:
    """What is wrong with the arguments themselves; [] where the function can be called so."""
    try:
        signature(function).bind(*arguments, **options)
    except TypeError as error:
        problem = str(error)
    else:
        return []
    parts = function.__qualname__.split(".")
    in_class = len(parts) > 1 and "<locals>" not in parts[-2:]
    who = f"{parts[-1]}()"
    if parts[-1] == "__init__":  # of a class that may have it from another
        who = f"{type(arguments[0]).__name__}()"
    found = option_mistakes(who, function, options, leading=1 if in_class else 0)
    if found:
        return found
    parameters = list(signature(function).parameters.values())[1 if in_class else 0 :]
    positional = [p.name for p in parameters if p.kind == Parameter.POSITIONAL_OR_KEYWORD]
    given = len(arguments) - (1 if in_class else 0)
    if given > len(positional):
        return [
            f"{who} takes {len(positional)} values without a name ({', '.join(positional)}), got "
            f"{given}; give the others by name"
        ]
    missing = [
        p.name for p in parameters[given:]
        if p.default is Parameter.empty and p.name not in options
        and p.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    ]  # fmt: skip
    if missing:
        return [f"{who} needs {' and '.join(f'`{name}`' for name in missing)}"]
    return [f"{who}: {problem}"]
