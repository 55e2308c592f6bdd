"""Scenes and steppers whose outcome is known, for the tests of the time loop."""

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dovetail.contact.law import ContactRecord, ContactReport
from dovetail.errors import RunError
from dovetail.integrators.interface import Observation, StepReport
from dovetail.model.scene import Scene
from dovetail.multibody.state import initial_state

GRAVITY = 9.81


def falling_scene(height: float = 5.0) -> Scene:
    """One spinning body in free fall from `height` [m]."""
    scene = Scene(gravity=(0, 0, -GRAVITY))
    scene.add_body(
        "stone", mass=2.0, inertia=(1, 2, 3), position=(0, 0, height), angular_velocity=(0.1, 2, 0)
    )
    return scene


def two_bodies() -> Scene:
    scene = Scene(gravity=(0, 0, -GRAVITY))
    scene.add_body("anvil", mass=9.0, inertia=(1, 1, 1), motion="static")
    scene.add_body("hammer", mass=1.0, inertia=(1, 2, 3), position=(0.3, 0.2, 0.4))
    return scene


class ChaoticStepper:
    """The logistic map in disguise: one lost bit of its state shows within 60 steps.

    It touches in a number of points that depends on the state, and has a number that no
    frame records, as a warm-started solver does.
    """

    def __init__(self, model, settings):
        self.settings, self._state = settings, initial_state(model)
        self._hidden = np.array([0.4, 0.3])

    @property
    def bodies(self):
        return self._state

    def step(self, t_next):
        self._hidden = 3.9 * self._hidden * (1 - self._hidden)
        state, h = self._state, t_next - self._state.t
        if self.settings.fails_at is not None and t_next > self.settings.fails_at:
            state.x[1, 1] = np.nan
            raise RunError("the hammer's force is not solved")
        state.v[1] += h * np.array([self._hidden[0] - 0.5, self._hidden[1] - 0.5, 0.1])
        state.x[1] += h * state.v[1]
        state.t = t_next
        if self.settings.becomes_nan_at is not None and t_next > self.settings.becomes_nan_at:
            state.v[1, 2] = np.nan
        if self.settings.pause:
            time.sleep(self.settings.pause)
        return StepReport(iterations=int(self._hidden[0] * 10), residual=1e-9 * self._hidden[1])

    def observe(self):
        m = int(self._hidden[0] * self.settings.most_contacts)
        rows = np.arange(3.0 * m).reshape(m, 3) * self._hidden[1]
        contacts = ContactRecord(
            np.tile(np.array([1, 0], np.int32), (m, 1)), rows, -rows, 2 * rows, rows[:, 0]
        )
        return Observation(ContactReport(contacts, 0.25 * m, 0.5 - 0.01 * m), 1e-9 * m, 1e-8 * m)

    def snapshot(self):
        s = self._state
        arrays = {"x": s.x, "R": s.R, "v": s.v, "omega": s.omega, "hidden": self._hidden}
        return {"t": np.array(s.t), **{name: array.copy() for name, array in arrays.items()}}

    def restore(self, snapshot):
        s = self._state
        s.t, self._hidden = float(snapshot["t"]), snapshot["hidden"].copy()
        for name in ("x", "R", "v", "omega"):
            getattr(s, name)[...] = snapshot[name]


@dataclass(frozen=True)
class Chaotic:
    """Settings of `ChaoticStepper`."""

    most_contacts: int = 6
    pause: float = 0.0  # [s] of wall time each step takes
    fails_at: float | None = None
    becomes_nan_at: float | None = None

    name: ClassVar[str] = "Chaotic"
    order: ClassVar[int] = 1
    takes: ClassVar[frozenset] = frozenset({"force", "potential", "impulse"})
    takes_joints: ClassVar[bool] = True

    def start(self, model, contact):
        return ChaoticStepper(model, self)


class WindingStepper(ChaoticStepper):
    """One whose bodies take winding paths: up to four waypoints, of a number no frame records."""

    def step(self, t_next):
        self._start = self._state.x.copy(), self._state.R.copy()
        return super().step(t_next)

    def waypoints(self):
        k = int(4 * self._hidden[0])
        x, R = self._start
        offset = np.zeros((k, *x.shape))
        offset[:, 1, 2] = 0.01 * self._hidden[1] * np.arange(1, k + 1)
        return x + offset, np.tile(R, (k, 1, 1, 1))

    def is_path_collision_free(self, x, R):
        return bool(self._hidden[1] > 0.5)


@dataclass(frozen=True)
class Winding(Chaotic):
    """Settings of `WindingStepper`."""

    leaves_waypoints: ClassVar[bool] = True

    def start(self, model, contact):
        return WindingStepper(model, self)


@dataclass(frozen=True)
class Touching:
    """A contact method that only makes the loop set rows aside for contacts."""

    name: ClassVar[str] = "touching"
    kind: ClassVar[str] = "force"

    def prepare(self, model):
        return None
