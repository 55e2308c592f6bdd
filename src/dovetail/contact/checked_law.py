"""Laws from outside the package: what `prepare` returned, checked, and every value it gives.

A law that lacks a method, returns an array of the wrong shape or a value that is no number, or
fails with an exception, ends the run with a sentence that names it. The package's own laws are
passed on as they are.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from dovetail.contact.law import (
    ContactGeometry,
    ContactMethod,
    ContactReport,
    RowImpulseLaw,
)
from dovetail.errors import DovetailError, InputError, RunError, error_text
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote

Check = Callable[[Any, tuple[Any, ...]], Any]  # (value returned, arguments) -> the value to use

NEEDED = {
    "force": ("wrenches(state)", "report(state)"),
    "potential": ("value(x, R)", "gradient(x, R)", "hessian(x, R)", "report(x, R)"),
    "impulse": ("contacts(x, R, reach)", "impulses(problem)"),
}
ASYMMETRIC = 1e-6  # of the largest entry: rounding of a Hessian by finite differences


def prepared(method: ContactMethod, model: Model) -> Any:
    """The law of `method` for `model`; raises InputError for what is no law of its kind."""
    try:
        law = method.prepare(model)
    except DovetailError:
        raise
    except Exception as error:
        raise InputError(
            f"contact method {method.name!r} could not be prepared: {error_text(error)}"
        ) from error
    own = type(law).__module__.startswith("dovetail.")
    if own or (method.kind == "impulse" and isinstance(law, RowImpulseLaw)):
        return law
    _refuse_incomplete(method, law)
    return _guarded(method, law, model.n_bodies)


def _refuse_incomplete(method: ContactMethod, law: Any) -> None:
    needed = NEEDED[method.kind]
    names = [signature.split("(")[0] for signature in needed]
    missing = [name for name in names if not callable(getattr(law, name, None))]
    what = f"the {method.kind} law that contact method {method.name!r} prepares"
    if missing:
        raise InputError(
            f"{what} must have {', '.join(needed)}; {type(law).__name__} lacks {', '.join(missing)}"
        )
    for name, written in zip(names, needed):
        count = written.count(",") + 1
        if not _takes(getattr(law, name), count):
            raise InputError(
                f"{what} must have {written}, but `{name}` of {type(law).__name__} takes "
                f"{signature(getattr(law, name))}"
            )


def _takes(function: Any, count: int) -> bool:
    """Whether a function can be called with that many positional arguments."""
    try:
        signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # one written in C may not say
        return True
    return True


def _guarded(method: ContactMethod, law: Any, n: int) -> Any:
    """An object with the methods of `law` that integrators call, each checked.

    Methods become attributes of a class of its own, so that the runtime protocols for optional
    methods (`KeepsHistory`, `LaggedPotential`, ...) see just those that the law has.
    """
    checks = _checks(n)
    members: dict[str, Any] = {
        name: _checked(method.name, law, name, checks.get(name))
        for name in dir(law)
        if not name.startswith("_") and callable(getattr(law, name, None))
    }
    guard: Any = type(type(law).__name__, (), members)()
    guard.law = law
    return guard


def _checked(method: str, law: Any, name: str, check: Check | None) -> Callable[..., Any]:
    function = getattr(law, name)
    who = f"`{name}` of contact method {method!r}"

    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            value = function(*arguments, **named)
        except DovetailError:
            raise
        except Exception as error:
            raise RunError(f"{who} failed: {error_text(error)}") from error
        if check is None:
            return value
        try:
            return check(value, arguments)
        except ValueError as error:
            raise RunError(f"{who} {error}") from None

    return call


def _checks(n: int) -> dict[str, Check]:
    """What each method must return, for n bodies; a ValueError says what must hold."""
    return {
        "wrenches": lambda value, _: _wrenches(value, n),
        "value": lambda value, _: _energy(value),
        "gradient": lambda value, _: finite_array(value, (n, 6)),
        "hessian": lambda value, _: _hessian(value, n),
        "collision_free_step_size": lambda value, _: _share(value),
        "report": lambda value, _: _report(value),
        "contacts": lambda value, _: _geometry(value, n),
        "impulses": lambda value, given: finite_array(value, (len(given[0].geometry.gaps), 3)),
    }


def finite_array(value: Any, shape: tuple[int, ...]) -> Array:
    """`value` as an array of floats of that shape; ValueError where it is none."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"must return numbers of shape {shape}, got {quote(value)}") from None
    if array.shape != shape:
        raise ValueError(f"must return an array of shape {shape}, got shape {array.shape}")
    if not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0]
        at = ", ".join(str(int(k)) for k in where)
        raise ValueError(f"must return finite numbers, got {array[tuple(where)]} at [{at}]")
    return array


def _wrenches(value: Any, n: int) -> tuple[Array, Array]:
    if not isinstance(value, tuple | list | np.ndarray) or len(value) != 2:
        raise ValueError(f"must return (force, torque), got {quote(value)}")
    return finite_array(value[0], (n, 3)), finite_array(value[1], (n, 3))


def _energy(value: Any) -> float:
    try:
        energy = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"must return an energy [J], got {quote(value)}") from None
    if np.isnan(energy) or energy == -np.inf:
        raise ValueError(f"must return an energy [J] or inf, got {energy}")
    return energy


def _hessian(value: Any, n: int) -> Array:
    shape = getattr(value, "shape", None)
    if shape == (6 * n, 6 * n):
        value = value.reshape(n, 6, n, 6)
    flat = finite_array(value, (n, 6, n, 6)).reshape(6 * n, 6 * n)
    off = float(np.abs(flat - flat.T).max(initial=0.0))
    if off > ASYMMETRIC * float(np.abs(flat).max(initial=0.0)):
        raise ValueError(f"must return a symmetric matrix, entries differ by {off:.3g}")
    return flat.reshape(n, 6, n, 6)


def _share(value: Any) -> float:
    try:
        share = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"must return a number in (0, 1], got {quote(value)}") from None
    if not 0.0 < share <= 1.0:
        raise ValueError(f"must return a number in (0, 1], got {share:g}")
    return share


def _report(value: Any) -> ContactReport:
    if not isinstance(value, ContactReport):
        raise ValueError(f"must return a dt.extend.ContactReport, got {quote(value)}")
    return value


def _geometry(value: Any, n: int) -> ContactGeometry:
    if not isinstance(value, tuple | list) or len(value) != 4:
        raise ValueError(
            "must return a dt.extend.ContactGeometry(bodies, points, normals, gaps), "
            f"got {quote(value)}"
        )
    gaps = np.asarray(value[3])
    m = len(gaps) if gaps.ndim == 1 else 0
    bodies = finite_array(value[0], (m, 2)).astype(np.int32)
    if m and not (bodies.min() >= 0 and bodies.max() < n):
        raise ValueError(f"must return numbers of bodies from 0 to {n - 1}, got {quote(value[0])}")
    points, normals = (finite_array(part, (m, 3)) for part in value[1:3])
    lengths = np.linalg.norm(normals, axis=1)
    if m and np.abs(lengths - 1.0).max() > 1e-6:
        raise ValueError(f"must return normals of length 1, got one of length {lengths[0]:g}")
    return ContactGeometry(bodies, points, normals, finite_array(gaps, (m,)))
