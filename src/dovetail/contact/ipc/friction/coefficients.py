"""The coefficients of friction between bodies."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.material import friction_of_pair
from dovetail.errors import InputError
from dovetail.model.friction_curve import curve_of
from dovetail.model.frozen import Model
from dovetail.model.values import quote
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.records import FloatArray, Int32Array

NO_SPEEDS = (1.0, 2.0)  # [m/s] of a law with one coefficient, where they do not matter


class FrictionLaws(NamedTuple):
    """Laws (mu_s, mu_d, v_s, v_d) by kinds of body; bodies of one kind meet others alike."""

    laws: FloatArray  # (m, 4)
    law_of: Int32Array  # (k, k) number of the law of two kinds
    kind: Int32Array  # (n,) of each body

    @property
    def any(self) -> bool:
        """Whether there is friction between any two bodies."""
        return bool(np.any(self.laws[:, 0] > 0))


def friction_laws(model: Model, friction: Any) -> FrictionLaws:
    """`friction` of the method, overridden by the scene's pairs of materials."""
    named = {name for pair in model.materials for name in (pair.a, pair.b)}
    kinds: dict[tuple[Any, ...], int] = {}
    first: list[int] = []
    kind = np.zeros(model.n_bodies, np.int32)
    for i, body in enumerate(model.bodies):
        who = (body.name if body.name in named else None, body.material)
        if who not in kinds:
            kinds[who] = len(kinds)
            first.append(i)
        kind[i] = kinds[who]
    laws: dict[tuple[float, ...], int] = {law(friction): 0}
    law_of = np.zeros((len(kinds), len(kinds)), np.int32)
    for p, a in enumerate(first):
        for q, b in enumerate(first):
            own = law(friction_of_pair(model, friction, a, b))
            law_of[p, q] = laws.setdefault(own, len(laws))
    return FrictionLaws(np.array(list(laws), float).reshape(-1, 4), law_of, kind)


def no_friction(n_bodies: int) -> FrictionLaws:
    """The laws of bodies without friction."""
    return FrictionLaws(np.zeros((1, 4)), np.zeros((1, 1), np.int32), np.zeros(n_bodies, np.int32))


def law(friction: Any) -> tuple[float, ...]:
    """A number or (mu_s, mu_d, v_s, v_d) as (mu_s, mu_d, v_s, v_d)."""
    if curve_of(friction) is not None:
        raise InputError(
            "contact method 'ipc' takes friction as a number or (mu_s, mu_d, v_s, v_d), not as a "
            f"friction curve, got {quote(friction)}; use dt.contact.SDF or dt.contact.LCP"
        )
    values = np.atleast_1d(np.asarray(friction, float))
    if len(values) == 1:
        return (float(values[0]), float(values[0]), *NO_SPEEDS)
    return tuple(values.tolist())


@jit_in_place
def any_friction(laws):
    """Whether there is friction between any two bodies; `laws` (m, 4)."""
    for k in range(laws.shape[0]):
        if laws[k, 0] > 0.0:
            return True
    return False
