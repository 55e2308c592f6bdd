"""Driven by a motor or by weight, with contact: does it reach the end, and if not, what holds it?

A motor is a spring and a damper towards a target that goes at a constant rate from the start of the
range to its end. It pulls with no more than a force F: the target is kept within F / stiffness of
the joint. Where the joint is not at the end after the target has waited there, the motion jams, and
the contacts of that moment hold it. The whole run is recorded and verified between its steps too.
The least clearance is that of the recorded positions.
"""

from collections.abc import Mapping
from math import inf, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from dovetail.contact import IPC
from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.model.scene import Scene
from dovetail.model.values import Array, Mistakes, number, quote
from dovetail.prove.driven.clearance import least_at_frames, pairs_that_move
from dovetail.prove.driven.examination import Examined, examine
from dovetail.prove.motion.sweeps import Coordinate, screws_of, swept_coordinates
from dovetail.prove.output.progress import ProofProgress
from dovetail.prove.verdict import Doubt, Holding, Meeting, Motion, Proof, Verdict
from dovetail.results import Result
from dovetail.results.loading import load
from dovetail.simulate.live.simulation import Simulation
from dovetail.verifier.certificate import Certificate
from dovetail.verifier.overlaps import Overlap
from dovetail.verifier.path_search import PathFinding
from dovetail.verifier.recorded_states import Crossing

BY = ("motor", "weight")
FRAMES = 61  # kept for pictures
STEPS = 200  # of the motion
WAITING = 0.25  # of its time: that long a motor pulls at the end
REACHED = 0.01  # of the range: as near the end counts as there, where nothing holds it
CLOSE = 1e-3  # of the range: a motor pulls until it is as near
STANDS = 0.01  # of the mean speed of the motion: at CLOSE a free joint follows CREEP at twice that
STRONG = 20.0  # times the weight of all that moves: how strong a motor is by default
YIELDS = 0.02  # of the range: a motor falls behind its target by that much at full force
OBLIQUE = 2.0  # times the gaps that contacts keep: what they hold up along a motion that meets them
CREEP = 0.1  # of what is left: that far the target of a motor at the end moves on in a step
EARTH = 9.81  # [m/s^2] by which motors and times are measured where the scene has no gravity
TIMES = 10.0  # the motion takes that many times what a fall over its length takes
FALLS = 5.0  # and a motion by weight is waited for that many times longer


class DrivenQuestion:
    """A scene and its driven joints."""

    def __init__(
        self, scene: Scene, drive: Any, clearance: float, contact: Any, by: str, force: Any,
        duration: Any,
    ) -> None:  # fmt: skip
        if by not in BY:
            raise InputError(f"`by` must be one of {', '.join(BY)}, got {quote(by)}")
        self._scene, self._clearance, self._by = scene, clearance, by
        self._contact = IPC() if contact is None else contact
        self._model = scene.build()
        self._driven = _driven(self._model, drive)
        if by == "weight" and not np.any(self._model.gravity):
            raise InputError("the scene must have `gravity` to be driven by its weight")
        self._force = [self._strength(one, force) for one in self._driven]
        self._ranges = [(one.low, one.high) for one in self._driven]
        self._ends = _ends(drive, self._driven)
        self._duration = self._default_time() if duration is None else _positive(duration)

    def answer(self, progress: ProofProgress | None = None) -> Proof:
        self._progress = ProofProgress() if progress is None else progress
        started = perf_counter()
        with TemporaryDirectory() as folder:
            file = Path(folder) / "driven.h5"
            reached, held, needed, notes = self._run(file)
            result = load(file)
            examined = examine(result, self._model, self._clearance)
            if examined.deviation > 0.0 and self._clearance == 0.0:
                notes = [*notes, examined.note]
            return self._proof(result, examined, reached, held, needed, notes, started)

    def _arm_length(self, one: Coordinate) -> float:
        """[m] from the axis of a joint to the farthest point that may be moved; 1 for a length."""
        if one.quantity == "length":
            return 1.0
        screw = screws_of(self._model.joints[one.joint])[one.number]
        far = 0.0
        for x, R, body in zip(
            self._model.position, self._model.rotation, self._model.bodies, strict=True
        ):
            if body.motion == "dynamic" and len(body.surface.vertices):
                points = body.surface.vertices @ R.T + x
                speeds = np.linalg.norm(np.cross(screw[:3], points) + screw[3:], axis=1)
                far = max(far, float(speeds.max()))
        return far or 1.0

    def _weight(self) -> float:
        g = float(np.linalg.norm(self._model.gravity)) or EARTH
        moving = [body.motion == "dynamic" for body in self._model.bodies]
        return g * float(self._model.mass[moving].sum())

    def _strength(self, one: Coordinate, force: Any) -> float:
        """[N or N m]."""
        given = force
        if isinstance(force, Mapping):
            given = force.get(one.name, force.get(one.name.rpartition(" (")[0]))
        if given is None:
            return STRONG * self._weight() * self._arm_length(one)
        return _positive(given, f"`force` of joint {quote(one.name)}", "N or N m")

    def _default_time(self) -> float:
        g = float(np.linalg.norm(self._model.gravity)) or EARTH
        way = max(
            abs(end - start) * self._arm_length(one)
            for one, (start, end) in zip(self._driven, self._ends, strict=True)
        )
        return TIMES * sqrt(way / g)

    def _run(self, file: Path) -> tuple[bool, list[Holding], dict[str, float], list[str]]:
        """Move; whether it got there, what holds it if not, the largest efforts."""
        by_motor = self._by == "motor"
        step = self._duration / STEPS
        sim = Simulation(self._scene, step=step, contact=self._contact)
        joints = [sim.joint(self._model.joints[one.joint].name) for one in self._driven]
        starts = {
            joint.name: start
            for joint, (start, _) in zip(joints, self._ends, strict=True) if start != 0.0
        }  # fmt: skip
        if starts:
            sim.set_state(q=starts)
        gains = []
        for one, strength, (start, end) in zip(self._driven, self._force, self._ends, strict=True):
            stiffness = strength / (YIELDS * abs(end - start))
            inertia = self._weight() / EARTH * self._arm_length(one) ** 2
            pace = abs(end - start) / self._duration
            gains.append((stiffness, min(2.0 * sqrt(stiffness * inertia), 0.5 * strength / pace)))
        needed = dict.fromkeys((one.name for one in self._driven), 0.0)
        steps = int(STEPS * (1.0 + WAITING if by_motor else FALLS))
        reached, notes = False, []
        self._beyond = [0.0] * len(joints)  # of the targets, past the ends
        with sim.recording(str(file)):
            for i in range(1, steps + 1):
                self._progress.show(i, steps, f"step {i} of at most {steps}")
                if by_motor:
                    self._pull(joints, gains, min(1.0, i / STEPS))
                try:
                    sim.step()
                except Exception as error:  # what was computed is kept
                    notes.append(f"the run ended at t = {sim.time:.4g} s: {error}")
                    break
                for one, joint in zip(self._driven, joints, strict=True):
                    needed[one.name] = max(needed[one.name], abs(_number(joint.effort)))
                reached = self._there(joints) and (by_motor is False or i >= STEPS)
                if reached and (by_motor is False or max(self._left(joints)) <= CLOSE):
                    break
            if reached and by_motor:
                reached = not self._blocked(sim, joints)
            if reached:
                notes += self._short_of_the_end(joints)
            held = [] if reached else _holding(sim, self._model)
        return reached, held, needed if by_motor else {}, notes

    def _left(self, joints: list[Any]) -> list[float]:
        """How far each joint is from its end, of its range; < 0 beyond it."""
        return [
            (end - _number(joint.position)) / (end - start)
            for joint, (start, end) in zip(joints, self._ends, strict=True)
        ]

    def _blocked(self, sim: Simulation, joints: list[Any]) -> bool:
        """Whether contacts hold a joint short of its end, farther than the gaps that they keep."""
        contacts = sim.contacts
        pressing = contacts.gaps[contacts.forces.any(axis=1)]
        if not len(pressing):
            return False
        for one, joint, left, (start, end) in zip(
            self._driven, joints, self._left(joints), self._ends, strict=True
        ):
            length = abs(end - start)
            stands = abs(_number(joint.velocity)) < STANDS * length / self._duration
            kept = OBLIQUE * float(pressing.max()) / (self._arm_length(one) * length)
            if stands and left > max(CLOSE, kept):
                return True
        return False

    def _short_of_the_end(self, joints: list[Any]) -> list[str]:
        """A sentence for each joint that came near its end but not there."""
        return [
            f"joint {quote(joint.name)} came to {_number(joint.position):.6g} of {end:.6g} "
            f"{'m' if one.quantity == 'length' else 'rad'}; what lies beyond was not examined"
            for one, joint, left, (_, end) in zip(
                self._driven, joints, self._left(joints), self._ends, strict=True
            )
            if left > CLOSE
        ]

    def _pull(self, joints: list[Any], gains: list[tuple[float, float]], share: float) -> None:
        for n, (joint, (k, d), strength, (start, end)) in enumerate(
            zip(joints, gains, self._force, self._ends, strict=True)
        ):
            here, rate = _number(joint.position), _number(joint.velocity)
            step = self._duration / STEPS
            if share >= 1.0:  # a load leaves the joint short of its target
                self._beyond[n] += CREEP * (end - here)
            wanted = start + share * (end - start) + self._beyond[n]
            pace = 0.0 if share >= 1.0 else (end - start) / self._duration
            if d * abs(pace - rate) > strength:  # far too fast or slow: it brakes or pushes with F
                k, d = 0.0, strength / abs(pace - rate)
                joint.set_target(position=here, velocity=pace, stiffness=k, damping=d)
                continue
            ahead = here + rate * step  # the end of the step, where the spring acts
            brake = d * (pace - rate)
            wanted = min(
                max(wanted, ahead - (strength + brake) / k), ahead + (strength - brake) / k
            )
            joint.set_target(position=wanted, velocity=pace, stiffness=k, damping=d)

    def _there(self, joints: list[Any]) -> bool:
        for left in self._left(joints):
            if left > REACHED or (self._by == "motor" and left < -REACHED):
                return False
        return True

    def _proof(
        self, result: Result, known: Examined, reached: bool, held: list[Holding],
        needed: dict[str, float], notes: list[str], started: float,
    ) -> Proof:  # fmt: skip
        meets, doubts, certificate = [], [], known.surely
        histories = {one.name: _history(result, self._model, one) for one in self._driven}
        driver = self._driven[0].name

        def at(t: float) -> dict[str, float]:
            return {
                name: float(np.interp(t, result.time, values)) for name, values in histories.items()
            }

        for overlap in certificate.overlaps:
            low, high = (at(t)[driver] for t in _times_of(certificate, overlap))
            meets.append(Meeting(driver, low, high, (overlap.body_a, overlap.body_b)))
        for path in certificate.paths:
            if path.verdict == "undecided":
                doubts.append(Doubt((path.body_a, path.body_b), at(path.time), path.reason))
        if known.is_in_doubt:
            reason = f"triangles may be {known.deviation:.3g} m off the true surfaces"
            for overlap in known.perhaps.overlaps:
                pair = overlap.body_a, overlap.body_b
                doubts.append(Doubt(pair, at(overlap.time), reason))
            for path in known.perhaps.paths:
                if path.verdict == "undecided":
                    doubts.append(Doubt((path.body_a, path.body_b), at(path.time), path.reason))
        if notes and not reached:
            doubts.append(Doubt(("", ""), at(float(result.time[-1])), notes[0]))
        verdict: Verdict = "proven"
        if meets or certificate.verdict == "intersecting":
            verdict = "meets"
        elif doubts:
            verdict = "undecided"
        elif not reached:
            verdict = "jams"
        gap, between, when, point = _least(result)
        off = {frozenset((e.body_a, e.body_b)) for e in certificate.excused}
        names = self._model.names
        off |= {frozenset((names[a], names[b])) for a, b in self._model.excluded}
        examined = pairs_that_move(self._model, off)
        near = least_at_frames(result, self._model, examined)
        if near.clearance < gap:
            gap, between, point = max(0.0, near.clearance), near.between, near.point
            when = float(result.time[near.frame])
        proven = self._clearance if verdict == "proven" else 0.0
        # boxes around the paths tell most pairs apart: one test between two recorded positions
        boxes = len(examined) * (len(result.time) - 1)
        return Proof(
            verdict, self._clearance, gap, proven, between,
            at(float(result.time[-1]) if verdict == "jams" else when), point,
            tuple(meets), tuple(doubts),
            tuple((e.body_a, e.body_b, e.reason) for e in certificate.excused),
            max([known.deviation, *certificate.smooth.values()]),
            len(examined), boxes + certificate.tests + near.tests, perf_counter() - started,
            tuple(notes), tuple(held), needed, _motion(result, histories[driver], driver),
        )  # fmt: skip


def _times_of(certificate: Certificate, overlap: Overlap) -> tuple[float, float]:
    """[s] from the first to the last time that the two bodies of an overlap were found to meet."""
    where: list[PathFinding | Crossing] = [*certificate.paths, *certificate.states.crossings]
    pair = {overlap.body_a, overlap.body_b}
    found = [one.time for one in where if {one.body_a, one.body_b} == pair]
    return min([overlap.first, *found]), max([overlap.time, *found])


def _motion(result: Result, values: Array, driver: str) -> Motion:
    """At most FRAMES of the run, the last among them."""
    frames = np.unique(np.linspace(0, len(result.time) - 1, FRAMES).astype(int))
    places = np.stack([result.position(name)[frames] for name in result.names], axis=1)
    turns = np.stack([result.rotation(name)[frames] for name in result.names], axis=1)
    return Motion(driver, values[frames], places, turns, result.min_distance[frames])


def _number(value: Any) -> float:
    return float(np.asarray(value).reshape(-1)[0])


def _positive(value: Any, what: str = "`duration`", unit: str = "s") -> float:
    found = number(value, what, unit)
    if not found > 0.0:
        raise InputError(f"{what} must be > 0 {unit}, got {found:g}")
    return found


def _driven(model: Model, drive: Any) -> list[Coordinate]:
    try:
        driven = swept_coordinates(model, drive, directed=True)
    except InputError as error:
        raise InputError([line.replace("`sweep`", "`drive`") for line in error.mistakes]) from None
    found = Mistakes()
    for one in driven:
        if one.low == one.high:
            found.append(
                f"`drive` of joint {quote(one.name)} must go somewhere, got a single value"
            )
        if len(model.joints[one.joint].joint.coordinates) != 1:
            found.append(
                f"joint {quote(one.name)} must have one coordinate to be driven; drive revolute or "
                "prismatic joints"
            )
    found.raise_if_any()
    return driven


def _ends(drive: Any, driven: list[Coordinate]) -> list[tuple[float, float]]:
    """From, to, in the order they were given."""
    return [(float(drive[one.name][0]), float(drive[one.name][1])) for one in driven]


def _holding(sim: Simulation, model: Model) -> list[Holding]:
    """The pairs of bodies that press on each other, the strongest first."""
    found = []
    contacts = sim.contacts
    pairs = {(int(a), int(b)) for a, b in contacts.bodies}
    names = ["ground", *model.names]
    for a, b in sorted(pairs):
        own = (contacts.bodies[:, 0] == a) & (contacts.bodies[:, 1] == b)
        forces = contacts.forces[own]
        strength = np.linalg.norm(forces, axis=1)
        if not strength.sum() > 0.0:
            continue
        point = (strength[:, None] * contacts.points[own]).sum(axis=0) / strength.sum()
        net = forces.sum(axis=0)
        found.append(Holding((names[a + 1], names[b + 1]), _triple(net), _triple(point)))
    return sorted(found, key=lambda one: -one.strength)


def _triple(x: Array) -> tuple[float, float, float]:
    a, b, c = (float(value) for value in x)
    return a, b, c


def _history(result: Result, model: Model, one: Coordinate) -> Array:
    values = np.asarray(result.joint(model.joints[one.joint].name).position, float)
    return values.reshape(len(result.time), -1)[:, 0]


def _least(
    result: Result,
) -> tuple[float, tuple[str, str] | None, float, tuple[float, float, float] | None]:
    """Least recorded distance [m], between which bodies, when and where."""
    frames, contacts = result.contacts.all()
    least = result.min_distance
    lowest = float(np.nanmin(least)) if np.isfinite(least).any() else inf
    when = float(result.time[int(np.nanargmin(least))]) if np.isfinite(least).any() else 0.0
    if not len(frames):
        return lowest, None, when, None
    k = int(np.argmin(contacts.gaps))
    names = ["ground", *result.names]
    a, b = (int(n) + 1 for n in contacts.bodies[k])
    gap = min(lowest, float(contacts.gaps[k]))
    return gap, (names[a], names[b]), float(result.time[frames[k]]), _triple(contacts.points[k])
