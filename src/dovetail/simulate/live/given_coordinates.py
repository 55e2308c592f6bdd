"""Coordinates, velocities or accelerations as users give them: all, or some by name."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import Array, quote


def given_coordinates(
    given: Any, old: Array, name: str, where: Callable[[str], slice]
) -> Array:  # fmt: skip
    """A new array: `given` instead of `old` (n,), whole or by joint or free body.

    `where` says where a joint or free body has its own. Raises InputError for anything else.
    """
    if given is None:
        return old.copy()
    if not isinstance(given, Mapping):
        array = finite_numbers(given)
        if array is None or array.shape != old.shape:
            raise InputError(
                f"`{name}` must be {len(old)} finite number{'s' * (len(old) != 1)}, as "
                f"`{'q' if name == 'q' else 'v'}` of the simulation is, or a dict by joint; got "
                f"{quote(given)}"
            )
        return array
    new = old.copy()
    for one, value in given.items():
        place = where(one)
        part, size = finite_numbers(value), place.stop - place.start
        if part is None or part.shape not in ((size,), () if size == 1 else (size,)):
            raise InputError(
                f"`{name}` of {quote(one)} must be {size} finite number{'s' * (size > 1)}, "
                f"got {quote(value)}"
            )
        new[place] = part
    return new


def finite_numbers(value: Any) -> Array | None:
    """A new array of them, None of what is none."""
    try:
        array = np.array(value)
    except Exception:  # ragged lists
        return None
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        return None
    return array.astype(float)
