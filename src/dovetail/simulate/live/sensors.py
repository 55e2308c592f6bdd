"""Sensors: what is measured while a simulation is stepped, and kept over time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.errors import InputError, RunError, error_text
from dovetail.model.frozen import GROUND
from dovetail.model.values import (
    GROUND_NAME,
    Array,
    is_count,
    quote,
    rotation_matrix,
    vector3,
)
from dovetail.runtime.options import named_parameters
from dovetail.simulate.live.names import number_of

if TYPE_CHECKING:
    from dovetail.simulate.live.simulation import Simulation

Reader = Callable[["Simulation"], Any]


@named_parameters
@dataclass(frozen=True)
class JointForceTorque:
    """Force [N] and torque [N m] of a joint on its second body, about its point: (6,)."""

    joint: str

    def reader(self, simulation: "Simulation") -> Reader:
        handle = simulation.joint(self.joint)

        def read(sim: "Simulation") -> Array:
            force, torque, _ = handle.wrench
            return np.concatenate((force, torque))

        return read


@named_parameters
@dataclass(frozen=True)
class ContactPatch:
    """Net force [N] on a body of the contacts within `radius` [m] of a point it carries: (3,).

    `point` [m] is in the world at the initial pose of the scene; `radius` None: the whole body.
    """

    body: str
    point: Any = None
    radius: float | None = None

    def reader(self, simulation: "Simulation") -> Reader:
        body = number_of(self.body, simulation.model.names, "body")
        arm = _arm(simulation, body, self.point)

        def read(sim: "Simulation") -> Array:
            contacts, state = sim.contacts, sim.state
            centre = state.x[body] + state.R[body] @ arm
            near = np.ones(len(contacts.gaps), bool)
            if self.radius is not None:
                near = np.linalg.norm(contacts.points - centre, axis=1) <= self.radius
            total = np.zeros(3)
            for side, sign in ((0, 1.0), (1, -1.0)):
                own = near & (contacts.bodies[:, side] == body)
                total += sign * contacts.forces[own].sum(axis=0)
            return total

        return read


@named_parameters
@dataclass(frozen=True)
class PointPosition:
    """Where a point of a body is: (3,) [m]."""

    body: str
    point: Any = None

    def reader(self, simulation: "Simulation") -> Reader:
        body = number_of(self.body, simulation.model.names, "body")
        arm = _arm(simulation, body, self.point)
        return lambda sim: sim.state.x[body] + sim.state.R[body] @ arm


@named_parameters
@dataclass(frozen=True)
class PointVelocity:
    """How fast a point of a body moves: (3,) [m/s]."""

    body: str
    point: Any = None

    def reader(self, simulation: "Simulation") -> Reader:
        body = number_of(self.body, simulation.model.names, "body")
        arm = _arm(simulation, body, self.point)

        def read(sim: "Simulation") -> Array:
            state = sim.state
            return np.asarray(state.v[body] + state.R[body] @ np.cross(state.omega[body], arm))

        return read


@named_parameters
@dataclass(frozen=True)
class Distance:
    """[m] between points of two bodies, 'ground' being the world."""

    body_a: str
    body_b: str
    point_a: Any = None
    point_b: Any = None

    def reader(self, simulation: "Simulation") -> Reader:
        if self.body_a == self.body_b:
            raise InputError(f"a distance is between two bodies, got {quote(self.body_a)} twice")
        ends = []
        for name, point in ((self.body_a, self.point_a), (self.body_b, self.point_b)):
            body = GROUND
            if name != GROUND_NAME:
                body = number_of(name, simulation.model.names, "body")
            ends.append((body, _arm(simulation, body, point)))

        def read(sim: "Simulation") -> float:
            a, b = (
                arm if body == GROUND else sim.state.x[body] + sim.state.R[body] @ arm
                for body, arm in ends
            )
            return float(np.linalg.norm(a - b))

        return read


@named_parameters
@dataclass(frozen=True)
class Gyro:
    """Angular velocity in axes that the body carries: (3,) [rad/s]; `rotation` of these in it."""

    body: str
    rotation: Any = None

    def reader(self, simulation: "Simulation") -> Reader:
        body = number_of(self.body, simulation.model.names, "body")
        axes = np.eye(3) if self.rotation is None else rotation_matrix(self.rotation, "`rotation`")
        return lambda sim: axes.T @ sim.state.omega[body]


@named_parameters
@dataclass(frozen=True)
class Accelerometer:
    """Acceleration less gravity of a point of a body, in axes it carries: (3,) [m/s^2].

    The mean over the last step: at rest it shows minus gravity, in free fall 0; nan before the
    first step.
    """

    body: str
    point: Any = None
    rotation: Any = None

    def reader(self, simulation: "Simulation") -> Reader:
        body = number_of(self.body, simulation.model.names, "body")
        axes = np.eye(3) if self.rotation is None else rotation_matrix(self.rotation, "`rotation`")
        speed = PointVelocity(self.body, self.point).reader(simulation)
        last: list[Any] = [simulation.time, speed(simulation)]
        gravity = simulation.model.gravity

        def read(sim: "Simulation") -> Array:
            now, h = speed(sim), sim.time - last[0]
            felt = np.full(3, np.nan)
            if h > 0.0:
                felt = axes.T @ sim.state.R[body].T @ ((now - last[1]) / h - gravity)
            last[:] = sim.time, now
            return np.asarray(felt)

        return read


class Recorder:
    """What sensors showed, one row per step they were read after: `recorder["name"]`, `.time`."""

    def __init__(self, simulation: "Simulation", every: int, sensors: dict[str, Any]) -> None:
        if not is_count(every, 1):
            raise InputError(f"`every` must be a whole number of steps >= 1, got {quote(every)}")
        if not sensors:
            raise InputError("`sense` needs at least one sensor, such as tilt=dt.sensors.Gyro(...)")
        self._simulation, self._every, self._steps = simulation, every, 0
        self._readers: dict[str, Reader] = {}
        for name, sensor in sensors.items():
            if hasattr(sensor, "reader"):
                self._readers[name] = sensor.reader(simulation)
            elif callable(sensor):
                self._readers[name] = sensor
            else:
                raise InputError(
                    f"sensor {quote(name)} must be one of dt.sensors or a function of the "
                    f"simulation, got {quote(sensor)}"
                )
        self._rows: dict[str, list[Any]] = {name: [] for name in self._readers}
        self._time: list[float] = []

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._readers)

    @property
    def time(self) -> Array:
        """(rows,) [s]."""
        return np.array(self._time)

    def __getitem__(self, name: str) -> Array:
        """(rows, ...) that the sensor of that name showed."""
        return np.array(self._rows[self.names[number_of(name, self.names, "sensor")]])

    def __len__(self) -> int:
        return len(self._time)

    @property
    def latest(self) -> dict[str, Any]:
        """What each sensor showed last."""
        return {name: rows[-1] for name, rows in self._rows.items() if rows}

    def after_step(self, report: Any) -> None:
        """Read all sensors, every so many steps."""
        self._steps += 1
        if self._steps % self._every:
            return
        self._time.append(self._simulation.time)
        for name, read in self._readers.items():
            try:
                self._rows[name].append(read(self._simulation))
            except Exception as error:
                raise RunError(
                    f"sensor {quote(name)} failed: {error_text(error)}", self._simulation.time
                ) from error

    def stop(self) -> None:
        """Read no more."""
        self._simulation.listeners().remove(self)

    def clear(self) -> None:
        """Forget what was read."""
        self._time.clear()
        for rows in self._rows.values():
            rows.clear()


def _arm(simulation: "Simulation", body: int, point: Any) -> Array:
    """The arm of a world point of the initial pose, in the body's axes."""
    if point is None:
        return np.zeros(3)
    place = vector3(point, "`point` of a sensor", "m")
    if body == GROUND:
        return place
    return np.asarray(simulation.initial.R[body].T @ (place - simulation.initial.x[body]))
