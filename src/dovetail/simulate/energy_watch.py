"""Energy that appears from nowhere: found beside any run, whatever the method.

Without a source, the total energy (kinetic, potential, of springs and of contact) may only fall. A
scheme errs: the total may rise above its least value so far by SHARE of the energy in motion (the
largest kinetic energy plus the range of the potential one), or by what lifts all bodies by LIFT of
their radius. More is reported with the time and the body that gained most.
"""

from dataclasses import dataclass

import numpy as np

from dovetail.model.frozen import DYNAMIC, KINEMATIC, Model
from dovetail.model.joints.actuation import Actuation, is_limited_servo
from dovetail.model.loads import ConstantForce, SpringDamper
from dovetail.model.values import Array, quote
from dovetail.multibody.state import BodyState

SHARE = 0.02
LIFT = 1e-4
ROUND_OFF = 1e-13  # of the weight times the distance from the origin: sums cannot tell less


@dataclass(frozen=True)
class Gain:
    """The total energy rose by `energy` [J] from time `begin` to `end` [s]."""

    energy: float
    allowed: float  # [J]
    begin: float
    end: float
    body: str  # that gained most

    def __str__(self) -> str:
        return (
            f"the total energy rose by {self.energy:.3g} J from t = {self.begin:.6g} s to "
            f"{self.end:.6g} s, which nothing in the scene supplies (up to {self.allowed:.2g} J is "
            f"the scheme's error); most of it in body {quote(self.body)}; use a smaller step"
        )


def sources_of_energy(model: Model) -> list[str]:
    """What may do work on the bodies besides gravity, springs and constant world forces."""
    found = []
    for name, motion, trajectory in zip(model.names, model.motion, model.trajectories):
        if motion == KINEMATIC and trajectory is not None:
            found.append(f"kinematic body {quote(name)}")
    for placed in model.loads:
        load = placed.load
        if isinstance(load, ConstantForce):
            steady = load.frame == "world" and not np.any(np.asarray(load.torque, dtype=float))
            if steady:
                continue
        elif isinstance(load, SpringDamper):
            continue
        found.append(f"load {quote(placed.name)}")
    for joint in model.joints:
        if any(entry.motor is not None for entry in joint.joint.actuation):
            found.append(f"the motor of joint {quote(joint.name)}")
        if any(is_limited_servo(entry) for entry in joint.joint.actuation):
            found.append(f"the controller of joint {quote(joint.name)}")
        if any(_starts_beyond(entry) for entry in joint.joint.actuation):
            found.append(f"limits of joint {quote(joint.name)}, which starts beyond them")
        if any(entry.limit_inertia for entry in joint.joint.actuation):
            found.append(f"limits of joint {quote(joint.name)} that carry an inertia")
    return found


def _starts_beyond(entry: Actuation) -> bool:
    """Whether a limit has to push a joint to where it belongs."""
    return (entry.lower or 0.0) > 0.0 or (entry.upper or 0.0) < 0.0


class EnergyWatch:
    """Looks at every recorded frame of one run."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._moves = model.motion == DYNAMIC
        self.on = not sources_of_energy(model) and bool(self._moves.any())
        self.gain: Gain | None = None
        self._least, self._since, self._of_bodies = np.inf, 0.0, np.zeros(0)
        self._kinetic = 0.0
        self._potential = (np.inf, -np.inf)
        radii = np.array(
            [np.linalg.norm(b.surface.vertices, axis=1).max(initial=0.0) for b in model.bodies]
        )
        weights = np.where(self._moves, model.mass, 0.0) * float(np.linalg.norm(model.gravity))
        away = np.linalg.norm(model.position, axis=1)
        self._floor = float(np.sum(weights * (LIFT * radii + ROUND_OFF * away)))

    def look(self, state: BodyState, kinetic: float, potential: float, total: float) -> None:
        """Compare the energies of a frame [J] with the least so far."""
        if not self.on:
            return
        self._kinetic = max(self._kinetic, kinetic)
        low, high = self._potential
        self._potential = min(low, potential), max(high, potential)
        in_motion = self._kinetic + self._potential[1] - self._potential[0]
        allowed = max(SHARE * in_motion, self._floor)
        rise = total - self._least
        if total <= self._least:
            self._least, self._since = total, state.t
            self._of_bodies = self._energies(state)
        elif rise > allowed and (self.gain is None or rise > self.gain.energy):
            body = int(np.argmax(self._energies(state) - self._of_bodies))
            self.gain = Gain(rise, allowed, self._since, state.t, self._model.names[body])

    def snapshot(self) -> dict[str, Array]:
        """What a resumed run needs to find what one that was not stopped finds."""
        gain, found = self.gain, []
        if gain is not None:
            body = float(self._model.names.index(gain.body))
            found = [gain.energy, gain.allowed, gain.begin, gain.end, body]
        so_far = [self._least, self._since, self._kinetic, *self._potential]
        return {
            "energy_so_far": np.array(so_far),
            "energy_of_bodies": self._of_bodies.copy(),
            "energy_gain": np.array(found),
        }

    def restore(self, snapshot: dict[str, Array]) -> None:
        """Return to where `snapshot` was taken."""
        self._least, self._since, self._kinetic, *potential = snapshot["energy_so_far"].tolist()
        self._potential = potential[0], potential[1]
        self._of_bodies = snapshot["energy_of_bodies"].copy()
        self.gain = None
        if len(snapshot["energy_gain"]):
            rise, allowed, begin, end, body = snapshot["energy_gain"].tolist()
            self.gain = Gain(rise, allowed, begin, end, self._model.names[int(body)])

    def worth_a_look(self, kinetic: Array, potential: Array, total: Array) -> list[int]:
        """Which of many frames `look` must see: all, or only the least where none rises."""
        if not self.on or not len(total):
            return []
        energy_of_motion = np.maximum.accumulate(np.maximum(kinetic, self._kinetic))
        low = np.minimum.accumulate(np.minimum(potential, self._potential[0]))
        high = np.maximum.accumulate(np.maximum(potential, self._potential[1]))
        allowed = np.maximum(SHARE * (energy_of_motion + high - low), self._floor)
        least = np.minimum.accumulate(np.minimum(total, self._least))
        if np.any(total - least > allowed):
            return list(range(len(total)))
        self._kinetic = float(energy_of_motion[-1])
        self._potential = float(low[-1]), float(high[-1])
        return [int(np.argmin(total))] if total.min() <= self._least else []

    def _energies(self, state: BodyState) -> Array:
        """(n,) [J] kinetic and of gravity; of bodies that do not move by forces, 0."""
        model = self._model
        mass = np.where(self._moves, model.mass, 0.0)
        inertia = np.where(self._moves[:, None, None], model.inertia, 0.0)
        spin = np.einsum("ni,nij,nj->n", state.omega, inertia, state.omega)
        speed = mass * np.einsum("ni,ni->n", state.v, state.v)
        found: Array = 0.5 * (speed + spin) - mass * (state.x @ model.gravity)
        return found
