"""Driven by a motor or by weight, with contact, recorded.

A motor is a spring and a damper towards a target that goes at a constant rate from the start of the
range to its end. It pulls with no more than a force F: the target is kept within F / stiffness of
the joint. Where the joint is not at the end after the target has waited there, the motion jams, and
the contacts of that moment hold it.
"""

from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dovetail.model.frozen import Model
from dovetail.model.scene import Scene
from dovetail.model.values import quote
from dovetail.prove.driven.drive import EARTH, Drive
from dovetail.prove.driven.holding import holding
from dovetail.prove.output.progress import ProofProgress
from dovetail.prove.verdict import Holding
from dovetail.simulate.live.simulation import Simulation

STEPS = 200  # of the motion
WAITING = 0.25  # of its time: that long a motor pulls at the end
REACHED = 0.01  # of the range: as near the end counts as there, where nothing holds it
CLOSE = 1e-3  # of the range: a motor pulls until it is as near
STANDS = 0.01  # of the mean speed of the motion: at CLOSE a free joint follows CREEP at twice that
YIELDS = 0.02  # of the range: a motor falls behind its target by that much at full force
OBLIQUE = 2.0  # times the gaps that contacts keep: what they hold up along a motion that meets them
CREEP = 0.1  # of what is left: that far the target of a motor at the end moves on in a step
FALLS = 5.0  # and a motion by weight is waited for that many times longer


class Outcome(NamedTuple):
    """Of a run."""

    reached: bool
    held: list[Holding]  # by what, where it did not get there
    needed: dict[str, float]  # [N or N m] the largest efforts of motors
    notes: list[str]
    failure: str = ""  # why the run ended before its time


class DrivenRun:
    """A simulation in which joints are moved."""

    def __init__(
        self, scene: Scene, model: Model, drive: Drive, contact: Any, progress: ProofProgress
    ) -> None:
        self._scene, self._model, self._drive = scene, model, drive
        self._contact, self._progress = contact, progress
        self._beyond = [0.0] * len(drive.joints)  # of the targets, past the ends

    def record(self, file: Path) -> Outcome:
        """Move; whether it got there, what holds it if not, the largest efforts."""
        drive = self._drive
        steps = int(STEPS * (1.0 + WAITING if drive.by_motor else FALLS))
        sim = Simulation(self._scene, step=drive.duration / STEPS, contact=self._contact)
        joints = [sim.joint(name) for name in drive.names]
        starts = {
            name: start for name, (start, _) in zip(drive.names, drive.ends, strict=True)
            if start != 0.0
        }  # fmt: skip
        if starts:
            sim.set_state(q=starts)
        gains = self._gains()
        needed = dict.fromkeys((one.name for one in drive.joints), 0.0)
        reached, notes, failure = False, [], ""
        with sim.recording(str(file)):
            for i in range(1, steps + 1):
                self._progress.show(i, steps, f"step {i} of at most {steps}")
                if drive.by_motor:
                    self._pull(joints, gains, min(1.0, i / STEPS))
                try:
                    sim.step()
                except Exception as error:  # what was computed is kept
                    failure = f"the run ended at t = {sim.time:.4g} s: {error}"
                    notes.append(failure)
                    break
                for one, joint in zip(drive.joints, joints, strict=True):
                    needed[one.name] = max(needed[one.name], abs(_number(joint.effort)))
                reached = self._there(joints) and (not drive.by_motor or i >= STEPS)
                if reached and (not drive.by_motor or max(self._left(joints)) <= CLOSE):
                    break
            if reached and drive.by_motor:
                reached = not self._blocked(sim, joints)
            if reached:
                notes += self._short_of_the_end(joints)
            held = [] if reached else holding(sim, self._model)
        return Outcome(reached, held, needed if drive.by_motor else {}, notes, failure)

    def _gains(self) -> list[tuple[float, float]]:
        """Stiffness and damping of each motor."""
        drive, gains = self._drive, []
        for one, strength, (start, end) in zip(drive.joints, drive.force, drive.ends, strict=True):
            stiffness = strength / (YIELDS * abs(end - start))
            inertia = drive.weight() / EARTH * drive.arm_length(one) ** 2
            pace = abs(end - start) / drive.duration
            gains.append((stiffness, min(2.0 * sqrt(stiffness * inertia), 0.5 * strength / pace)))
        return gains

    def _left(self, joints: list[Any]) -> list[float]:
        """How far each joint is from its end, of its range; < 0 beyond it."""
        return [
            (end - _number(joint.position)) / (end - start)
            for joint, (start, end) in zip(joints, self._drive.ends, strict=True)
        ]

    def _blocked(self, sim: Simulation, joints: list[Any]) -> bool:
        """Whether contacts hold a joint short of its end, farther than the gaps that they keep."""
        contacts = sim.contacts
        pressing = contacts.gaps[contacts.forces.any(axis=1)]
        if not len(pressing):
            return False
        for one, joint, left, (start, end) in zip(
            self._drive.joints, joints, self._left(joints), self._drive.ends, strict=True
        ):
            length = abs(end - start)
            rests = abs(_number(joint.velocity)) < STANDS * length / self._drive.duration
            kept = OBLIQUE * float(pressing.max()) / (self._drive.arm_length(one) * length)
            if rests and left > max(CLOSE, kept):
                return True
        return False

    def _short_of_the_end(self, joints: list[Any]) -> list[str]:
        """A sentence for each joint that came near its end but not there."""
        return [
            f"joint {quote(joint.name)} came to {_number(joint.position):.6g} of {end:.6g} "
            f"{'m' if one.quantity == 'length' else 'rad'}; what lies beyond was not examined"
            for one, joint, left, (_, end) in zip(
                self._drive.joints, joints, self._left(joints), self._drive.ends, strict=True
            )
            if left > CLOSE
        ]

    def _pull(self, joints: list[Any], gains: list[tuple[float, float]], share: float) -> None:
        for n, (joint, (k, d), strength, (start, end)) in enumerate(
            zip(joints, gains, self._drive.force, self._drive.ends, strict=True)
        ):
            here, rate = _number(joint.position), _number(joint.velocity)
            step = self._drive.duration / STEPS
            if share >= 1.0:  # a load leaves the joint short of its target
                self._beyond[n] += CREEP * (end - here)
            wanted = start + share * (end - start) + self._beyond[n]
            pace = 0.0 if share >= 1.0 else (end - start) / self._drive.duration
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
            if left > REACHED or (self._drive.by_motor and left < -REACHED):
                return False
        return True


def _number(value: Any) -> float:
    return float(np.asarray(value).reshape(-1)[0])
