"""Quantities that follow from the recorded columns and the masses of a result."""

import json
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from dovetail.linalg.lie import so3
from dovetail.model.loads import ConstantForce, SpringDamper
from dovetail.model.values import Array
from dovetail.multibody.state import initial_state
from dovetail.results.result import Result

STANDS = 1e-9  # of the size, or rad, in one interval: a body that goes no farther may stay in place
LARGE_ROTATION = 1.0  # [rad] from one frame to the next, beyond which spins are not compared


class Columns:
    """The dynamic bodies of a result."""

    def __init__(self, result: Result) -> None:
        self.result = result
        header = result.stored.header
        self.settings: dict[str, Any] = json.loads(header.settings)
        self.time: Array = result.time
        self._moves = np.array([how == "dynamic" for how in header.motion], bool)
        self.names = [name for name, moves in zip(header.names, self._moves) if moves]
        self.mass: Array = header.mass[self._moves]
        self.gravity: Array = header.gravity
        self._inertia = header.inertia[self._moves]

    def _column(self, path: str) -> Array:
        rows: Array = self.result.stored.column(path)[:, self._moves]
        return rows

    @property
    def every_step_is_there(self) -> bool:
        return self.settings.get("every") == 1 and self.settings.get("step_control") is None

    @property
    def total_energy(self) -> Array:
        return self.result.energy["total"]

    @cached_property
    def energy_scale(self) -> float:
        """[J] largest kinetic energy, or change of the potential one."""
        energy = self.result.energy
        changes = [np.ptp(energy[kind]) for kind in ("potential", "contact")]
        return float(max(np.max(energy["kinetic"]), *changes))

    def kinetic_energies(self) -> Array:
        """(frames, n) [J] of each dynamic body."""
        v, spin = self._column("velocity"), self._column("angular_velocity")
        own = np.einsum("fnji,fnj->fni", self._column("rotation"), spin)
        rotation = np.einsum("fni,nij,fnj->fn", own, self._inertia, own)
        return np.asarray(0.5 * (self.mass * np.einsum("fni,fni->fn", v, v) + rotation))

    def potential_energy(self) -> tuple[Array | None, float]:
        """(frames,) [J] of gravity, constant forces and springs, and the size of its terms.

        V = -sum m g.x - sum f.p + sum k (|d| - rest)^2 / 2. None where joints store some too.
        """
        scene = self.result.scene
        if scene.couplings or any(joint.actuation for joint, _, _ in scene.joints.values()):
            return None, 0.0
        terms = -self.mass * (self._column("position") @ self.gravity)
        rows = [terms.T] if len(self.names) else []
        for load in scene.loads.values():
            if isinstance(load, ConstantForce) and load.frame == "world":
                if load.body in self.names:
                    at = self._point(load.body, load.point)
                    rows.append(-(at @ np.asarray(load.force, float))[None])
            elif isinstance(load, SpringDamper):
                d = self._point(load.body_b, load.point_b) - self._point(load.body_a, load.point_a)
                length = np.linalg.norm(d, axis=1)
                start = np.asarray(load.point_b, float) - np.asarray(load.point_a, float)
                rest = load.rest_length
                rest = float(np.linalg.norm(start)) if rest is None else float(rest)
                rows.append(0.5 * float(load.stiffness) * (length - rest)[None] ** 2)
        if not rows:
            return np.zeros(len(self.time)), 0.0
        joined = np.concatenate(rows)
        return np.asarray(joined.sum(axis=0)), float(np.max(np.abs(joined).sum(axis=0)))

    def _point(self, name: str, point: Any) -> Array:
        """(frames, 3) [m] where a body carries a point of its initial pose, None: its centre."""
        if name not in self.result.names:  # the ground
            return np.tile(np.asarray(point, float), (len(self.time), 1))
        x, R = self.result.position(name), self.result.rotation(name)
        if point is None:
            return x
        model = self.result.scene.build()
        start, i = initial_state(model), model.names.index(name)
        return np.asarray(x + R @ (start.R[i].T @ (np.asarray(point, float) - start.x[i])))

    def pushed_most(self, frame: int) -> tuple[str, ...]:
        """The bodies whose momentum changed most in the step to a frame, at most three."""
        v, h = self._column("velocity"), self.time[frame] - self.time[frame - 1]
        change = v[frame] - v[frame - 1] - h * self.gravity
        sizes = self.mass * np.linalg.norm(change, axis=1)
        order = np.argsort(-sizes)[:3]
        return tuple(self.names[i] for i in order if sizes[i] > 0.1 * sizes[order[0]])

    def gained_most(self, begin: int, end: int) -> tuple[str, ...]:
        """The bodies whose kinetic energy rose most between two frames, at most three."""
        gain = self.kinetic_energies()[[begin, end]]
        rise = gain[1] - gain[0]
        order = np.argsort(-rise)[:3]
        return tuple(self.names[i] for i in order if rise[i] > 0.1 * rise[order[0]] > 0)

    def _angular(self) -> Array:
        """(frames, n, 3) [kg m^2/s] about the world's origin."""
        R, spin = self._column("rotation"), self._column("angular_velocity")
        own = np.einsum("fnji,fnj->fni", R, spin)
        turning = np.einsum("fnij,njk,fnk->fni", R, self._inertia, own)
        x, v = self._column("position"), self._column("velocity")
        return np.asarray(turning + self.mass[:, None] * np.cross(x, v))

    def momenta(self) -> tuple[Array, Array]:
        """(frames, 3) each: linear [kg m/s], and angular [kg m^2/s] about the world's origin."""
        linear = np.einsum("n,fni->fi", self.mass, self._column("velocity"))
        return np.asarray(linear), np.asarray(self._angular().sum(axis=1))

    @cached_property
    def momentum_scale(self) -> tuple[float, float]:
        """Largest sums of the magnitudes of the bodies' momenta."""
        linear = self.mass * np.linalg.norm(self._column("velocity"), axis=2)
        angular = np.linalg.norm(self._angular(), axis=2)
        return float(np.max(linear.sum(axis=1))), float(np.max(angular.sum(axis=1)))

    @cached_property
    def size(self) -> float:
        """[m] of the scene: its largest bounded body, or the spread of the centres."""
        scene = self.result.scene
        sizes = [float(np.max(np.ptp(scene.bodies[name].vertices, axis=0)))
                 for name in self.names if len(scene.bodies[name].vertices)]  # fmt: skip
        x = self.result.stored.column("position")
        spread = float(np.max(np.ptp(x[0], axis=0))) if x.shape[1] > 1 else 0.0
        return max([*sizes, 1e-3 * spread]) or spread or 1.0

    def kinematic_that_move(self) -> Iterator[str]:
        for name, how in zip(self.result.names, self.result.stored.header.motion):
            if how == "kinematic":
                x, R = self.result.position(name), self.result.rotation(name)
                if np.any(x != x[0]) or np.any(R[0] != R):
                    yield name

    def acting_from_outside(self) -> Iterator[str]:
        """What can change the momentum of the dynamic bodies together, gravity apart."""
        scene = self.result.scene
        held = {name for name in self.result.names if scene.bodies[name].motion != "dynamic"}
        for name in sorted(held):
            if len(scene.bodies[name].vertices):
                yield f"body '{name}'"
        for name, (_, a, b) in scene.joints.items():
            if a not in self.names or b not in self.names:
                yield f"joint '{name}'"
        for name, load in scene.loads.items():
            ends = {load.body_a, load.body_b} if isinstance(load, SpringDamper) else {""}
            if not ends <= set(self.names):
                yield f"load '{name}'"
        for name in self.names:
            if any(scene.bodies[name].checked.fixed):
                yield f"the guides of '{name}'"
        yield from self.settings.get("functions_not_kept") or ()

    def misfits(self) -> Iterator[tuple[str, str, float, float, float, float]]:
        """Of each body: (name, column, sum of misfits, length of its path, size, time).

        The time [s] is that of the largest misfit.

        A step at a velocity between those at its ends has no misfit. In m, and in rad.
        """
        h = np.diff(self.time)[:, None]
        x, R = self._column("position"), self._column("rotation")
        v, spin = self._column("velocity"), self._column("angular_velocity")
        for k, name in enumerate(self.names):
            moved = np.diff(x[:, k], axis=0)
            off, path, at = _misfit(moved, h, v[:, k])
            yield name, "velocity", off, path, self.size, float(self.time[at + 1])
            turned = so3.log(R[1:, k] @ np.swapaxes(R[:-1, k], 1, 2))
            small = np.linalg.norm(
                h * np.maximum(np.abs(spin[1:, k]), np.abs(spin[:-1, k])), axis=1
            )
            small = (small < LARGE_ROTATION) & (np.linalg.norm(turned, axis=1) < LARGE_ROTATION)
            off, path, at = _misfit(turned, h, spin[:, k], small)
            yield name, "angular velocity", off, path, 1.0, float(self.time[at + 1])

    def repeated(self) -> tuple[str, float] | None:
        """A body, and a time [s], whose pose and velocities are to the bit those of the frame
        before, though it moves; None where there is none.

        Whatever moves by more than STANDS of the scene, or turns by that, has another pose next.
        """
        h = np.diff(self.time)[:, None]
        same = np.ones((len(self.time) - 1, len(self.names)), bool)
        for path in ("position", "rotation", "velocity", "angular_velocity"):
            rows = self._column(path)
            same &= np.all(rows[1:] == rows[:-1], axis=tuple(range(2, rows.ndim)))
        goes = h * np.linalg.norm(self._column("velocity")[1:], axis=2) > STANDS * self.size
        goes |= h * np.linalg.norm(self._column("angular_velocity")[1:], axis=2) > STANDS
        found = np.argwhere(same & goes)
        if not len(found):
            return None
        frame, body = found[0]
        return self.names[int(body)], float(self.time[int(frame) + 1])

    def in_contact(self, frame: int) -> tuple[str, ...]:
        """Bodies in contact at a frame, at most three."""
        bodies = self.result.contacts.at(frame).bodies
        return tuple(self.result.names[i] for i in np.unique(bodies[bodies >= 0])[:3].tolist())


def _misfit(moved: Array, h: Array, rate: Array, used: Any = True) -> tuple[float, float, int]:
    """Sum of the distances of the displacements from those at velocities between both ends.

    Also the length of the path, and the step that is off most.
    """
    mean = moved / h
    along = rate[1:] - rate[:-1]
    size = np.einsum("fi,fi->f", along, along)
    part = np.einsum("fi,fi->f", mean - rate[:-1], along) / np.where(size > 0, size, 1.0)
    nearest = rate[:-1] + np.clip(part, 0.0, 1.0)[:, None] * along
    off = np.where(used, np.linalg.norm(h * (mean - nearest), axis=1), 0.0)
    path = np.where(used, np.linalg.norm(moved, axis=1), 0.0)
    return float(np.sum(off)), float(np.sum(path)), int(np.argmax(off)) if len(off) else 0
