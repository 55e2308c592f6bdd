"""Which bodies can touch, and how stiff, how rough and how bouncy their contact is."""

from collections.abc import Sequence
from math import inf, pi, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dovetail.contact.material import restitution_of_pair
from dovetail.contact.penalty.compliant.records import ARREST, N_COMPLIANT
from dovetail.contact.penalty.pairs import (
    ContactPairs,
    PairedBody,
    PairRow,
    expected_speed,
    settings_of_pair,
)
from dovetail.model.connected import component_labels
from dovetail.model.friction_curve import FrictionCurve, curve_of
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array

if TYPE_CHECKING:
    from dovetail.contact.penalty.method import SDF

RESTING_DEPTH = 1e-6  # of the smaller body: how deep the weight presses
IMPACT_DEPTH = 1e-4  # of it: how deep the expected impact goes
DAMPING_RATIO = 5.0  # z of contacts as oscillators: they rebound with 1 / (4 z^2) of the speed
RECOVERY_SPEED = 0.01  # of the expected speed: no overlap pushes bodies apart faster
HEAVIEST = 1e-2  # of the scene's heaviest body, which may lie on a light one: least mass of a pair
NEAR_RIGID = 4.0 * pi**2  # m / h^2: stiffer, a step gains nothing (SAP, Castro et al. 2021)


class Impact(NamedTuple):
    """The expected impact of a pair."""

    mass: float  # [kg] reduced, of the bodies with all that joints connect them with
    speed: float  # [m/s]
    weight: float  # [m/s^2] gravity


class CompliantPairs(ContactPairs):
    """The pairs that were near each other so far, with the columns of `records`."""

    width = N_COMPLIANT

    def __init__(self, model: Model, bodies: Sequence[PairedBody | None], settings: "SDF") -> None:
        super().__init__(model, bodies, settings)
        self.curves: dict[int, FrictionCurve] = {}
        self._carried = carried_mass(model)
        self._heaviest = float(self._carried[model.motion == DYNAMIC].max(initial=0.0))
        self.step = 0.0  # [s] of the printed values

    def any_restitution(self) -> bool:
        """Whether any pair may bounce."""
        given = [self._settings.restitution, *(pair.restitution for pair in self._model.materials)]
        return any(value is not None and value > 0 for value in given)

    def _row(self, i: int, j: int, derived: dict[str, None]) -> PairRow:
        model, settings = self._model, self._settings
        a, b = self._bodies[i], self._bodies[j]
        assert a is not None and b is not None
        size = min(a.size, b.size)
        mass = 1 / sum(1 / self._carried[k] for k in (i, j) if model.motion[k] == DYNAMIC)
        mass = max(mass, HEAVIEST * self._heaviest)
        speed = expected_speed(model, i, j, size)
        weight = float(np.linalg.norm(model.gravity))
        own = settings_of_pair(model, settings, i, j)
        restitution = float(restitution_of_pair(model, settings.restitution or 0.0, i, j))
        n, k, cap, arrest = settings.exponent, own["stiffness"], 0.0, 0.0
        if k is None:
            n, cap, arrest = 1.0, NEAR_RIGID * mass, mass * speed / (IMPACT_DEPTH * size)
            k = compliant_stiffness(mass, size, speed, weight)
        depth = (mass * weight / k) ** (1 / n) if weight else (mass * speed**2 / k) ** (1 / (n + 1))
        tangent = n * k * depth ** (n - 1)
        relaxation = 2 * DAMPING_RATIO * sqrt(mass / tangent)
        names = f"{model.names[i]}-{model.names[j]}"
        stiffest = k
        if own["stiffness"] is None and self.step > 0:
            stiffest = min(k, max(cap, self.step * arrest) / self.step**2)
        derived[self._sentence(names, stiffest, n, Impact(mass, speed, weight))] = None
        friction = own["friction"]
        curve = curve_of(friction)
        if curve is not None:
            self.curves[i * model.n_bodies + j] = curve
            friction = float(curve.coefficient(np.zeros(1))[0])
        slowly = RECOVERY_SPEED * speed
        law = (k, n, relaxation, *_friction(friction), restitution, cap, slowly, arrest)
        return PairRow((i, j), law, 0.0, 0.0, 0.0, size, mass)

    def _sentence(self, names: str, k: float, n: float, impact: Impact) -> str:
        """How stiff a pair is in the steps of this run, and how deep its bodies press."""
        mass, speed, weight = impact
        rest = (mass * weight / k) ** (1 / n)
        omega = sqrt(n * k * max(rest, 1e-300) ** (n - 1) / mass)
        deep = min(speed / (2 * DAMPING_RATIO * omega), speed * self.step) if self.step else inf
        said = f"stiffness of {names} = {k:.4g} N/m" + ("" if n == 1 else f"^{n:g}")
        return f"{said}: rests {rest:.2g} m deep, an impact at {speed:.3g} m/s goes {deep:.2g} m"


def carried_mass(model: Model) -> Array:
    """(n,) [kg] of each body together with those that joints connect it with."""
    links = [(p.body_a, p.body_b) for p in model.joints]
    moves = model.motion == DYNAMIC
    both = [(a, b) for a, b in links if a >= 0 and b >= 0 and moves[a] and moves[b]]
    label = component_labels(model.n_bodies, np.array(both, np.int64).reshape(-1, 2))
    mass = np.where(moves, model.mass, 0.0)
    total: Array = np.bincount(label, mass)[label].astype(np.float64)
    return total


def compliant_stiffness(mass: float, size: float, speed: float, acceleration: float) -> float:
    """k [N/m] with which weight and the expected impact press no deeper than allowed.

    m a = k d at rest; an impact at v with the damping ratio z goes d = v / (2 z omega) deep.
    """
    at_rest = acceleration / (RESTING_DEPTH * size)
    in_impact = (speed / (2 * DAMPING_RATIO * IMPACT_DEPTH * size)) ** 2
    return float(mass * max(at_rest, in_impact))


def _friction(value: Any) -> tuple[float, float, float, float]:
    if np.ndim(value) == 0:
        return float(value), float(value), 0.0, 1.0
    mu_s, mu_d, v_s, v_d = (float(part) for part in value)
    return mu_s, mu_d, v_s, v_d


assert N_COMPLIANT == ARREST + 1
