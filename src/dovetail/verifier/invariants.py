"""Invariants of a scene, examined from the recorded columns alone.

What must hold follows from the scene: energy that nothing supplies does not rise, momentum that
nothing acts on stays, friction is in balance, joints hold, columns agree with each other. Where
something acts from outside an invariant cannot be examined, and that is said. No solver code is
used.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dovetail.model.loads import ConstantForce, SpringDamper
from dovetail.model.values import Array
from dovetail.results.result import Result
from dovetail.verifier.recorded_columns import Columns

ENERGY_BOUND = 0.02  # of the largest kinetic energy or change of potential energy
MOMENTUM_BOUND = 0.01  # of the largest sum of the magnitudes of the bodies' momenta
JOINT_BOUND = 1e-3  # of the scene's size, at most 1e-3 [m or rad]
BEHIND_BOUND = 1e-2  # of the scene's size
COLUMN_BOUND = 1e-9  # relative: columns that follow from others
FIT_BOUND = 0.5  # of the path: velocities that do not lead from one pose to the next


@dataclass(frozen=True)
class Invariant:
    """Something that must hold of a result."""

    name: str
    broken: bool
    note: str  # what was found, or why it cannot be examined
    examined: bool = True
    time: float = float("nan")  # [s] where it is broken most
    bodies: tuple[str, ...] = ()


def invariants_of(result: Result, verdict: str, tolerance: float = 0.0) -> tuple[Invariant, ...]:
    """All invariants of the scene of a result; `verdict` is that about intersections."""
    columns = Columns(result)
    return (
        _energy(columns),
        *_momentum(columns),
        _agreement(columns),
        _fit(columns),
        _converged(columns),
        _friction(columns),
        *_joints(columns),
        *_trajectories(columns),
        _least_distance(columns, verdict, tolerance),
    )


def _energy(columns: Columns) -> Invariant:
    outside = sorted(set(_work_from_outside(columns)))
    if outside:
        return _not_examined("energy", f"{', '.join(outside[:3])} may do work")
    total, scale = columns.total_energy, columns.energy_scale
    if not np.isfinite(total).all():
        return Invariant("energy", True, "the recorded energy is not finite")
    rise = total - np.minimum.accumulate(total)
    at = int(np.argmax(rise))
    worst, bound = float(rise[at]), ENERGY_BOUND * scale
    note = (
        f"rises by {worst:.3g} J at most, allowed {bound:.3g} J ({ENERGY_BOUND:g} of {scale:.3g} J)"
    )
    bound += 1e-12 * float(np.max(np.abs(total)))
    if not worst > bound:
        return Invariant("energy", False, note)
    at = int(np.argmax(rise > bound))  # the first time
    low = int(np.argmin(total[: at + 1]))
    return Invariant("energy", True, note, True, columns.time[at], columns.gained_most(low, at))


def _work_from_outside(columns: Columns) -> Iterator[str]:
    """What can supply energy to a scene that is not in the recorded energies."""
    scene, result = columns.result.scene, columns.result
    for name in columns.kinematic_that_move():
        yield f"kinematic body '{name}'"
    for name, (joint, _, _) in scene.joints.items():
        if any(entry.motor is not None for entry in joint.actuation):
            yield f"the motor of joint '{name}'"
    for name, load in scene.loads.items():
        if isinstance(load, ConstantForce):
            fixed = load.frame == "world" and not np.any(np.asarray(load.torque, float))
            if not (fixed and load.point is None):
                yield f"load '{name}'"
        elif not isinstance(load, SpringDamper):
            yield f"load '{name}'"
    yield from columns.settings.get("functions_not_kept") or ()
    if result.stored.header.event_names and columns.settings.get("events"):
        for event in columns.settings["events"]:
            if isinstance(event, dict) and event.get("action"):
                yield f"event '{event.get('name', '')}'"


def _momentum(columns: Columns) -> Iterator[Invariant]:
    outside = sorted(set(columns.acting_from_outside()))
    if outside:
        yield _not_examined("momentum", f"{', '.join(outside[:3])} may act from outside")
        return
    elapsed = columns.time - columns.time[0]
    linear, angular = columns.momenta()
    pull = columns.mass.sum() * columns.gravity
    expected = linear[0] + elapsed[:, None] * pull
    yield _kept("linear momentum", linear - expected, columns.momentum_scale[0], columns, "kg m/s")
    if np.any(columns.gravity):
        yield _not_examined("angular momentum", "gravity acts about the world's origin")
    else:
        change = angular - angular[0]
        yield _kept("angular momentum", change, columns.momentum_scale[1], columns, "kg m^2/s")


def _kept(name: str, change: Array, scale: float, columns: Columns, unit: str) -> Invariant:
    sizes = np.linalg.norm(change, axis=1)
    at = int(np.argmax(sizes))
    worst, bound = float(sizes[at]), MOMENTUM_BOUND * scale
    note = f"changes by {worst:.3g} {unit} at most, allowed {bound:.3g} {unit}"
    return Invariant(name, worst > bound, note, True, columns.time[at])


def _agreement(columns: Columns) -> Invariant:
    """Kinetic energy and momentum follow from velocities and masses."""
    kinetic = columns.kinetic_energies().sum(axis=1)
    linear, _ = columns.momenta()
    recorded = columns.result.energy["kinetic"], columns.result.momentum["linear"]
    total = columns.result.energy
    parts = total["kinetic"] + total["potential"] + total["contact"]
    for what, ours, theirs in (
        ("kinetic energy", kinetic, recorded[0]),
        ("linear momentum", linear, recorded[1]),
        ("total energy", parts, total["total"]),
    ):
        off = np.abs(ours - theirs).reshape(len(ours), -1).max(axis=1)
        scale = float(np.max(np.abs(ours)))
        at = int(np.argmax(off))
        if not off[at] <= COLUMN_BOUND * scale:
            note = f"the recorded {what} is off by {off[at]:.3g} from what the motion gives"
            return Invariant("columns", True, note, True, columns.time[at])
    return Invariant("columns", False, "energies and momenta follow from the recorded velocities")


def _fit(columns: Columns) -> Invariant:
    """Recorded velocities lead from each pose to the next, where every step was recorded."""
    if columns.settings.get("every") != 1 or columns.settings.get("step_control") is not None:
        return _not_examined("velocities", "not every step was recorded")
    for name, what, off, path, size in columns.misfits():
        if off > FIT_BOUND * path + 0.05 * size:
            note = (
                f"the {what} of '{name}' accounts for its poses only up to {off:.3g} of {path:.3g}"
            )
            return Invariant("velocities", True, note, True, float("nan"), (name,))
    return Invariant("velocities", False, "they lead from each recorded pose to the next")


def _converged(columns: Columns) -> Invariant:
    residual = columns.result.stats["residual"]
    bad = np.flatnonzero(~np.isfinite(residual))
    if len(bad):
        note = f"steps before {len(bad)} frame(s) did not converge"
        return Invariant("convergence", True, note, True, columns.time[int(bad[0])])
    return Invariant("convergence", False, f"largest residual {float(np.max(residual)):.2g}")


def _friction(columns: Columns) -> Invariant:
    unsettled = columns.result.stats.get("unsettled")
    if unsettled is None:
        return _not_examined("friction", "the file does not say whether it settled")
    count = int(np.sum(unsettled))
    if count:
        at = int(np.argmax(unsettled > 0))
        note = f"not in balance with the contact forces in {count} step(s)"
        return Invariant("friction", True, note, True, columns.time[at], columns.in_contact(at))
    return Invariant("friction", False, "in balance in every step")


def _joints(columns: Columns) -> Iterator[Invariant]:
    if not columns.result.scene.joints:
        return
    off = columns.result.constraint_violation["position"]
    at = int(np.argmax(off))
    bound = JOINT_BOUND * min(1.0, columns.size)
    note = f"off by {off[at]:.3g} m or rad at most, allowed {bound:.3g}"
    yield Invariant("joints", not off[at] <= bound, note, True, columns.time[at])


def _trajectories(columns: Columns) -> Iterator[Invariant]:
    header = columns.result.stored.header
    if "kinematic" not in header.motion or "kinematic/behind" in header.without:
        return
    driven = [n for n, how in zip(header.names, header.motion) if how == "kinematic"]
    bound = BEHIND_BOUND * columns.size
    behind = {name: columns.result.behind(name) for name in driven}
    worst = max(driven, key=lambda name: float(np.max(behind[name])))
    at = int(np.argmax(behind[worst]))
    off = float(behind[worst][at])
    note = f"'{worst}' is {off:.3g} m off its trajectory at most, allowed {bound:.3g} m"
    yield Invariant("trajectories", off > bound, note, True, columns.time[at], (worst,))


def _least_distance(columns: Columns, verdict: str, tolerance: float) -> Invariant:
    """What the run itself measured, against the verdict."""
    least = columns.result.min_distance
    known = np.isfinite(least)
    if not known.any():
        return _not_examined("least distance", "the run did not measure any")
    at = int(np.argmin(np.where(known, least, np.inf)))
    value = float(least[at])
    note = f"the run measured {value:.3g} m at least"
    deeper = value < -tolerance * (1 + 1e-6) - 1e-12 * columns.size
    broken = deeper and verdict in ("free", "touching")
    if broken:
        note += f", the verdict is '{verdict}'"
    return Invariant("least distance", broken, note, True, columns.time[at])


def _not_examined(name: str, why: str) -> Invariant:
    return Invariant(name, False, f"not examined: {why}", examined=False)
