"""Which bodies can be in contact, and the parameters of their force law."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.body_pairs import BodyPairs
from dovetail.contact.material import friction_of_pair
from dovetail.contact.penalty.records import N_PARAMETERS
from dovetail.contact.penalty.restitution import LEAST, MODELS
from dovetail.contact.penalty.stiffness import stiffness_for
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import FloatArray, Int64Array

if TYPE_CHECKING:
    from dovetail.contact.penalty.method import SDF

STICKING_SPEED = 1e-3  # [m/s] v_s where friction is a single number; v_d is twice that
ROUNDING = 1e-5  # of the smaller body: the parabola that makes a linear spring C1
SLOWEST_IMPACT = 1e-3  # of the expected speed: slower impacts count as this fast
MAX_DERIVED = 1000  # pairs whose derived parameters are reported


class PairedBody(Protocol):
    """What pairs need to know of a body."""

    @property
    def field(self) -> Any:
        """None for one that encloses nothing."""

    @property
    def samples(self) -> Any:
        """None for one that is not sought in fields."""

    @property
    def size(self) -> float:
        """[m]."""


class PairRow(NamedTuple):
    """Parameters of one pair: a row of `PairColumns`, with its fields."""

    bodies: tuple[int, int]
    laws: tuple[float, ...]
    damping: float
    damping_by_speed: float
    slowest_impact: float
    size: float
    mass: float


@dataclass(eq=False)
class PairColumns:
    """Parameters of m pairs, one row each."""

    bodies: Int64Array  # (m, 2)
    laws: FloatArray  # (m, N_PARAMETERS): columns see `records`
    damping: FloatArray  # (m,) [s/m] fixed chi / k, or nan where restitution gives it
    damping_by_speed: FloatArray  # (m,) a v0 of the restitution
    slowest_impact: FloatArray  # (m,) [m/s] slower impacts count as this fast
    size: FloatArray  # (m,) [m] of the smaller body
    mass: FloatArray  # (m,) [kg] reduced


class ContactPairs(PairColumns):
    """The pairs that were near each other so far.

    A pair gets its row when its bodies first come near each other: of the half million pairs of a
    thousand bodies only a few thousand ever do.
    """

    width: ClassVar[int] = N_PARAMETERS

    def __init__(self, model: Model, bodies: Sequence[PairedBody | None], settings: "SDF") -> None:
        super().__init__(
            np.zeros((0, 2), np.int64), read_only(np.zeros((0, self.width))),
            *(np.zeros(0) for _ in range(5)),
        )  # fmt: skip
        self._model, self._bodies, self._settings = model, bodies, settings
        self._pairs = BodyPairs(model)
        self.any_by_speed = False  # whether damping of any pair depends on its impact speed
        self._keys, self._rows = np.zeros(0, np.int64), np.zeros(0, np.int64)  # by key

    def __len__(self) -> int:
        return len(self.bodies)

    def rows_of(self, pairs: NDArray[Any]) -> Int64Array:
        """(k,) rows of pairs (k, 2) of bodies i < j; -1 for those without contact."""
        keys = pairs[:, 0].astype(np.int64) * self._model.n_bodies + pairs[:, 1]
        at = np.searchsorted(self._keys, keys)
        known = at < len(self._keys)
        known[known] = self._keys[at[known]] == keys[known]
        if not known.all():
            self._add(np.unique(keys[~known]))
            at = np.searchsorted(self._keys, keys)
        rows: Int64Array = self._rows[at]
        return rows

    def derived(self) -> Iterator[str]:
        """What was derived for the first pairs, each sentence once."""
        lines: dict[str, None] = {}
        every = combinations(range(self._model.n_bodies), 2)
        for i, j in islice(every, MAX_DERIVED):
            if self.may_collide(i, j):
                known = len(lines)
                self._row(i, j, lines)
                yield from islice(lines, known, None)

    def may_collide(self, i: int, j: int) -> bool:
        """Whether contact acts between them, and one has points and the other one a field."""
        a, b = self._bodies[i], self._bodies[j]
        if a is None or b is None:
            return False
        if (a.samples is None or b.field is None) and (b.samples is None or a.field is None):
            return False
        return self._pairs.may_collide(i, j)

    def _add(self, keys: Int64Array) -> None:
        """Rows for new pairs, in the order of their keys."""
        n = self._model.n_bodies
        new: list[PairRow] = []
        rows = np.full(len(keys), -1)
        for k, (i, j) in enumerate(zip((keys // n).tolist(), (keys % n).tolist())):
            if self.may_collide(i, j):
                rows[k] = len(self) + len(new)
                new.append(self._row(i, j, {}))
        order = np.argsort(np.concatenate([self._keys, keys]), kind="stable")
        self._keys = np.concatenate([self._keys, keys])[order]
        self._rows = np.concatenate([self._rows, rows])[order]
        if new:
            for column, values in zip(fields(PairColumns), zip(*new)):
                old = getattr(self, column.name)
                longer = np.concatenate([old, np.array(values, dtype=old.dtype)])
                setattr(self, column.name, read_only(longer) if column.name == "laws" else longer)
            self.any_by_speed = bool(np.isnan(self.damping).any())

    def _row(self, i: int, j: int, derived: dict[str, None]) -> PairRow:
        """The parameters of one pair; sentences on derived ones are added to `derived`."""
        model, settings = self._model, self._settings
        a, b = self._bodies[i], self._bodies[j]
        assert a is not None and b is not None
        size = min(a.size, b.size)
        inverse = [1 / model.mass[body] for body in (i, j) if model.motion[body] == DYNAMIC]
        mass = 1 / sum(inverse)
        speed = expected_speed(model, i, j, size)
        own = settings_of_pair(model, settings, i, j)
        n, stiffness = settings.exponent, own["stiffness"]
        if stiffness is None:
            weight = float(np.linalg.norm(model.gravity))
            stiffness = stiffness_for(mass, size, speed, weight, n)
            names = f"{model.names[i]}-{model.names[j]}"
            derived[
                f"stiffness of {names} = {stiffness:.4g} N/m^{n:g} (impact at {speed:.3g} m/s)"
            ] = None
        damping = by_speed = 0.0
        if own["damping"] is not None:
            damping = float(own["damping"]) / stiffness
        elif own["restitution"] is not None:
            damping = np.nan
            by_speed = MODELS[settings.damping_model](max(float(own["restitution"]), LEAST))
        else:
            derived["damping = 0 (no `restitution` given: impacts are elastic)"] = None
        law = (stiffness, n, ROUNDING * size, *_friction(own["friction"]))
        return PairRow((i, j), law, damping, by_speed, SLOWEST_IMPACT * speed, size, mass)


def settings_of_pair(model: Model, settings: "SDF", i: int, j: int) -> dict[str, Any]:
    """The settings, overridden by the material of the pair."""
    own = {name: getattr(settings, name) for name in ("restitution", "stiffness", "damping")}
    own["friction"] = friction_of_pair(model, settings.friction, i, j)
    material = model.pair_material(i, j)
    if material is None:
        return own
    if material.restitution is not None or material.damping is not None:
        own["restitution"], own["damping"] = material.restitution, material.damping
    if material.stiffness is not None:
        own["stiffness"] = material.stiffness
    return own


def _friction(value: Any) -> tuple[float, float, float, float]:
    if np.ndim(value) == 0:
        return float(value), float(value), STICKING_SPEED, 2 * STICKING_SPEED
    mu_s, mu_d, v_s, v_d = (float(part) for part in value)
    return mu_s, mu_d, v_s, v_d


def expected_speed(model: Model, i: int, j: int, size: float) -> float:
    """[m/s] the expected speed of impact: as it starts, or after a fall by its own size."""
    approach = float(np.linalg.norm(model.velocity[i] - model.velocity[j]))
    rotating = (
        float(sum(np.linalg.norm(model.angular_velocity[body]) for body in (i, j))) * size / 2
    )
    fallen = float(np.sqrt(2 * np.linalg.norm(model.gravity) * size))
    return max(approach + rotating, fallen) or size  # one size per second where nothing moves
