"""Watch a run for contacts that are inconsistent, not unique or unstable."""

import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.friction_curve import curve_of
from dovetail.model.frozen import GROUND, Model
from dovetail.model.values import GROUND_NAME
from dovetail.multibody.state import BodyState
from dovetail.runtime.options import named_parameters
from dovetail.stability.finding import Finding
from dovetail.stability.findings import find_problems
from dovetail.stability.island_contacts import scene_contacts

Array = NDArray[np.float64]
TOUCHING = 1e-4  # of the bodies' size: a contact without force counts if it is this near
ONE_PLACE = 1e-3  # of it: contacts of a pair that are this near each other are one
ONE_NORMAL = 0.99  # cosine of the angle between their normals


def coefficients(model: Model, friction: Any, pairs: Any) -> Array:
    """(p,) friction of pairs of bodies: the method's, or their materials'; mu_d where it slips."""
    values = np.zeros(len(pairs))
    for k, (i, j) in enumerate(np.asarray(pairs).tolist()):
        material = model.pair_material(i, j)
        given = friction
        if material is not None and material.friction is not None:
            given = material.friction
        curve = curve_of(given)
        if curve is not None:
            given = float(curve.coefficient(np.ones(1))[0])  # that of a slip of 1 m/s
        parts = np.atleast_1d(np.asarray(0.0 if given is None else given, dtype=float))
        values[k] = parts[0] if len(parts) == 1 else parts[1]
    return values


@named_parameters
@dataclass(eq=False)
class Monitor:
    """Pass it to `dt.simulate(..., monitor=...)`; it examines every recorded state.

    c, k: damping and stiffness of Kelvin's contact in the stability verdict (eqs. 17-33).
    report: whether to print the first finding of each kind and pair of bodies on stderr.

    `findings` are all of them, in the order of time.
    """

    c: float = 1.0
    k: float = 1.0
    report: bool = True
    findings: list[Finding] = field(default_factory=list)
    _reported: set[tuple[str, tuple[str, ...]]] = field(default_factory=set, repr=False)

    def __post_init__(self) -> None:
        mistakes = [
            f"`{name}` of the monitor must be a number > 0, got {value!r}"
            for name, value in (("c", self.c), ("k", self.k))
            if isinstance(value, bool)
            or not isinstance(value, int | float | np.number)
            or not 0 < value < np.inf
        ]
        if mistakes:
            raise InputError(mistakes)

    def begin(self) -> None:
        """Forget what was found and reported."""
        self.findings = []
        self._reported = set()

    def look(self, model: Model, state: BodyState, contacts: Any, friction: Any) -> list[Finding]:
        """Analyse the contacts (bodies, points, normals, forces, gaps) of one state.

        `friction` is the contact method's own; materials of the model override it.
        """
        rows = touching_rows(model, contacts)
        pairs = contacts.bodies[rows]
        mu = coefficients(model, friction, pairs)
        islands = scene_contacts(
            model, state, pairs, contacts.points[rows], contacts.normals[rows], mu
        )
        new = []
        for island in islands:
            for verdict in find_problems(island, self.c, self.k):
                which = pairs[island.contacts[list(verdict.contacts)]]
                names = dict.fromkeys(_name(model, i) for i in which.ravel().tolist())
                new.append(Finding(state.t, verdict.kind, tuple(names), verdict.message))
        self.findings += new
        if self.report:
            self._print(new)
        return new

    def _print(self, new: list[Finding]) -> None:
        for finding in new:
            key = finding.kind, finding.bodies
            if key not in self._reported:
                self._reported.add(key)
                print(f"dovetail: {finding}", file=sys.stderr)


def touching_rows(model: Model, contacts: Any) -> NDArray[np.intp]:
    """Contacts that press, or whose gap is almost closed; of those at one place, one.

    A mesh or a barrier may see twenty where a rounded end touches. Taken one by one they would keep
    the body from rotating about that end, by arms much shorter than what rigid contact can mean.
    """
    press = np.einsum("ci,ci->c", contacts.forces, contacts.normals)
    sizes = _sizes(model, contacts.bodies)
    touching = np.flatnonzero((press > 0.0) | (contacts.gaps <= TOUCHING * sizes))
    strongest = np.lexsort((contacts.gaps[touching], -np.maximum(press[touching], 0.0)))
    kept: dict[tuple[int, ...], list[int]] = {}
    for row in touching[strongest].tolist():
        others = kept.setdefault(tuple(contacts.bodies[row].tolist()), [])
        apart = np.linalg.norm(contacts.points[others] - contacts.points[row], axis=1)
        alike = contacts.normals[others] @ contacts.normals[row] > ONE_NORMAL
        if not (alike & (apart <= ONE_PLACE * sizes[row])).any():
            others.append(row)
    return np.array(sorted(row for rows in kept.values() for row in rows), dtype=np.intp)


def _name(model: Model, i: int) -> str:
    return GROUND_NAME if i == GROUND else model.names[i]


def _sizes(model: Model, pairs: Any) -> Array:
    """(p,) [m] size of the smaller body of each pair."""
    sizes = np.full(model.n_bodies + 1, np.inf)
    for i, body in enumerate(model.bodies):
        if len(body.surface.vertices) and np.isfinite(model.mass[i]):
            lower, upper = body.surface.bounds
            sizes[i] = float(np.linalg.norm(upper - lower))
    least = sizes[np.asarray(pairs, dtype=np.int64).reshape(-1, 2)].min(axis=1)
    return np.where(np.isfinite(least), least, 0.0)
