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
from dovetail.verifier.body_balance import balances
from dovetail.verifier.file_agreement import disagreement
from dovetail.verifier.joint_gaps import joint_gaps
from dovetail.verifier.recorded_columns import Columns
from dovetail.verifier.trajectory_gaps import off_trajectory

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
    """All invariants of the scene of a result; `verdict` is that about intersections.

    A changed file may hold any number: what is not finite is a finding, not a warning of NumPy.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return _examined(Columns(result), verdict, tolerance)


def _examined(columns: Columns, verdict: str, tolerance: float) -> tuple[Invariant, ...]:
    result = columns.result
    return (
        _file(result),
        _energy(columns),
        *_momentum(columns),
        _newton(columns),
        _agreement(columns),
        _fit(columns),
        _converged(columns),
        _friction(columns),
        *_joints(columns),
        *_trajectories(columns),
        _least_distance(columns, verdict, tolerance),
    )


def _file(result: Result) -> Invariant:
    wrong = disagreement(result)
    return Invariant("file", bool(wrong), wrong or "bodies, settings and times agree")


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
    scene = columns.result.scene
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
    yield from _actions(columns)


def _actions(columns: Columns) -> list[str]:
    """Events that do something."""
    events = columns.settings.get("events") or ()
    if not columns.result.stored.header.event_names:
        return []
    acting = [one for one in events if isinstance(one, dict) and one.get("action")]
    return [f"event '{one.get('name', '')}'" for one in acting]


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
    worst, bound = float(np.max(sizes)), MOMENTUM_BOUND * scale
    note = f"changes by {worst:.3g} {unit} at most, allowed {bound:.3g} {unit}"
    if not worst > bound:
        return Invariant(name, False, note)
    at = int(np.argmax(sizes > bound))  # the first time
    jump = int(np.argmax(np.linalg.norm(np.diff(change, axis=0), axis=1)[:at])) + 1
    return Invariant(name, True, note, True, columns.time[at], columns.pushed_most(jump))


def _newton(columns: Columns) -> Invariant:
    """Bodies that nothing touches fall; contact forces account for the rest."""
    name = "Newton's law"
    lost = columns.settings.get("functions_not_kept") or ()
    outside = [one for one in lost if not one.startswith(("motor of joint", "trajectory of body"))]
    if outside:
        return _not_examined(name, f"{', '.join(outside[:3])} may act")
    if not columns.every_step_is_there or _actions(columns):
        why = "events may act" if _actions(columns) else "not every step was recorded"
        return _not_examined(name, why)
    integrator = columns.settings.get("integrator") or {}
    found = list(balances(columns.result, str(integrator.get("type"))))
    if not found:
        return _not_examined(name, "joints or loads act on every body that moves")
    worst = max(found, key=lambda one: one.part)
    most = int(np.argmax(worst.parts))
    note = (
        f"'{worst.name}' gains {worst.defect[most]:.3g} kg m/s that no weight and no recorded "
        f"contact gives it, allowed {worst.allowed[most]:.3g} kg m/s"
    )
    if not worst.part > 1.0:
        return Invariant(name, False, note)
    at = int(np.argmax(worst.parts > 1.0))
    return Invariant(name, True, note, True, columns.time[at], (worst.name,))


def _agreement(columns: Columns) -> Invariant:
    """Energies and momenta follow from poses, velocities, masses and loads."""
    kinetic = columns.kinetic_energies().sum(axis=1)
    linear, angular = columns.momenta()
    momentum, total = columns.result.momentum, columns.result.energy
    parts = total["kinetic"] + total["potential"] + total["contact"]
    potential, size = columns.potential_energy()
    if potential is None:  # joints store energy
        potential = total["potential"]
    for what, ours, theirs, scale in (
        ("kinetic energy", kinetic, total["kinetic"], 0.0),
        ("potential energy", potential, total["potential"], size),
        ("linear momentum", linear, momentum["linear"], columns.momentum_scale[0]),
        ("angular momentum", angular, momentum["angular"], columns.momentum_scale[1]),
        ("total energy", parts, total["total"], size),
    ):
        off = np.abs(ours - theirs).reshape(len(ours), -1).max(axis=1)
        scale = max(scale, float(np.max(np.abs(ours))))
        at = int(np.argmax(off))
        if not off[at] <= COLUMN_BOUND * scale:
            note = f"the recorded {what} is off by {off[at]:.3g} from what the motion gives"
            return Invariant("columns", True, note, True, columns.time[at])
    return Invariant("columns", False, "energies and momenta follow from the recorded motion")


def _fit(columns: Columns) -> Invariant:
    """Recorded velocities lead from each pose to the next, where every step was recorded."""
    again = columns.repeated()
    if again is not None:
        name, time = again
        note = f"'{name}' moves, and its frame at t = {time:g} s repeats the one before"
        return Invariant("velocities", True, note, True, time, (name,))
    if not columns.every_step_is_there:
        return _not_examined("velocities", "not every step was recorded")
    for name, what, off, path, size, time in columns.misfits():
        if off > FIT_BOUND * path + 0.05 * size:
            note = (
                f"the {what} of '{name}' accounts for its poses only up to {off:.3g} of {path:.3g}"
            )
            return Invariant("velocities", True, note, True, time, (name,))
    return Invariant("velocities", False, "they lead from each recorded pose to the next")


def _converged(columns: Columns) -> Invariant:
    stats = columns.result.stats
    residual = stats["residual"]
    steps = stats.get("unconverged", np.zeros(len(residual), int))
    bad = ~np.isfinite(residual) | (steps != 0)  # a count below 0 is none
    if bad.any():
        at, count = int(np.argmax(bad)), max(int(np.sum(steps)), int(np.sum(bad)))
        note = f"{count} step(s) did not converge"
        return Invariant("convergence", True, note, True, columns.time[at], columns.in_contact(at))
    return Invariant("convergence", False, f"largest residual {float(np.max(residual)):.2g}")


def _friction(columns: Columns) -> Invariant:
    unsettled = columns.result.stats.get("unsettled")
    if unsettled is None:
        return _not_examined("friction", "the file does not say whether it settled")
    bad = unsettled != 0
    if bad.any():
        at, count = int(np.argmax(bad)), max(int(np.sum(unsettled)), int(np.sum(bad)))
        note = f"not in balance with the contact forces in {count} step(s)"
        return Invariant("friction", True, note, True, columns.time[at], columns.in_contact(at))
    return Invariant("friction", False, "in balance in every step")


def _joints(columns: Columns) -> Iterator[Invariant]:
    """What the run measured, and what the recorded poses say."""
    if not columns.result.scene.joints:
        return
    off = columns.result.constraint_violation["position"]
    who: tuple[str, ...] = ()
    for one in joint_gaps(columns.result):
        if not np.max(one.off) <= np.max(off):
            off, who = one.off, one.bodies
    bound = JOINT_BOUND * min(1.0, columns.size)
    note = f"off by {np.max(off):.3g} m or rad at most, allowed {bound:.3g}"
    open_ = ~(off <= bound)
    at = int(np.argmax(open_ if open_.any() else off))
    yield Invariant("joints", bool(open_.any()), note, True, columns.time[at], who)


def _trajectories(columns: Columns) -> Iterator[Invariant]:
    """What the run measured, and what the recorded poses say."""
    result, header = columns.result, columns.result.stored.header
    behind: dict[str, Array] = {}
    for name, how in zip(header.names, header.motion):
        if how != "kinematic":
            continue
        found = [off_trajectory(result, name, columns.settings)]
        if "kinematic/behind" not in header.without:
            found.append(result.behind(name))
        known = [off for off in found if off is not None]
        if known:
            behind[name] = np.max(known, axis=0)
    if not behind:
        return
    bound = BEHIND_BOUND * columns.size
    worst = max(behind, key=lambda name: float(np.max(behind[name])))
    at = int(np.argmax(behind[worst]))
    off = float(behind[worst][at])
    note = f"'{worst}' is {off:.3g} m off its trajectory at most, allowed {bound:.3g} m"
    yield Invariant("trajectories", not off <= bound, note, True, columns.time[at], (worst,))


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
