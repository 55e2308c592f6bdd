"""Drag of the medium of a model: <option density viscosity wind>.

MuJoCo's model by inertia boxes (Computation, Fluid forces): a body of mass m and principal moments
I has the sides b_i^2 = 6 (I_j + I_k - I_i) / m. With density rho, viscosity beta, the velocity u
against the medium and the angular velocity w, both in the axes of the moments, and the mean side d,
    f_i = -1/2 rho b_j b_k |u_i| u_i - 3 pi beta d u_i
    t_i = -1/64 rho b_i (b_j^4 + b_k^4) |w_i| w_i - pi beta d^3 w_i
act at the centre of mass.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dovetail.io.link_trees.assembly import Assembly
from dovetail.io.mjcf.bodies import Links
from dovetail.io.mjcf.compiled import Compiled
from dovetail.model.body import Body
from dovetail.model.scene import Scene
from dovetail.model.values import Array

NAME = "drag of the medium"
NEXT, LAST = [1, 2, 0], [2, 0, 1]  # the other two axes, in cyclic order
LEAST = 1e-15  # MuJoCo's own least value (mjMINVAL)


@dataclass(frozen=True, eq=False)
class Box:
    """The inertia box of one body of the scene."""

    name: str
    axes: Array  # (3, 3) of the moments, in the body's frame
    sides: Array  # (3,) [m]
    centre: Array  # (3,) [m] of its mass from that of the body of the scene, in the body's frame


@dataclass(frozen=True, eq=False)
class Drag:
    """The load of the medium on all bodies, as a function of the state."""

    boxes: tuple[Box, ...]
    density: float  # [kg/m^3]
    viscosity: float  # [Pa s]
    wind: Array  # (3,) [m/s]

    def __call__(self, t: float, state: Any) -> dict[str, tuple[Array, Array]]:
        force, torque = self.wrenches(
            np.array([state.rotation(name) for name in self.names]),
            np.array([state.velocity(name) for name in self.names]),
            np.array([state.angular_velocity(name) for name in self.names]),
        )
        found: dict[str, tuple[Array, Array]] = {}
        for k, name in enumerate(self.names):  # several boxes may be rigidly one body
            f, tau = found.get(name, (np.zeros(3), np.zeros(3)))
            found[name] = f + force[k], tau + torque[k]
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The bodies of the boxes; see `loads.functions.ArrayFunction`."""
        return tuple(box.name for box in self.boxes)

    def wrenches(self, R_body: Array, velocity: Array, spin: Array) -> tuple[Array, Array]:
        """Force [N] and torque [N m] on the bodies, (m, 3) each."""
        axes, centre, b, area, arc = self._stacked
        R, arm = R_body @ axes, _times(R_body, centre)
        back = R.transpose(0, 2, 1)
        u = _times(back, velocity + _cross(spin, arm) - self.wind)
        w = _times(back, spin)
        force = -(0.5 * area * np.abs(u) + b[0]) * u
        torque = -(0.5 * arc * np.abs(w) + b[1]) * w
        force, torque = _times(R, force), _times(R, torque)
        return force, torque + _cross(arm, force)

    def damping(self, R_body: Array, velocity: Array, spin: Array) -> Array:
        """(m, 6, 6) [N s/m, N s, N m s]: minus the change of wrenches with the twists."""
        axes, centre, b, area, arc = self._stacked
        R, arm = R_body @ axes, _times(R_body, centre)
        back = R.transpose(0, 2, 1)
        u = _times(back, velocity + _cross(spin, arm) - self.wind)
        w = _times(back, spin)
        found = np.zeros((len(R), 6, 6))
        found[:, :3, :3] = (R * (area * np.abs(u) + b[0])[:, None, :]) @ back
        found[:, 3:, 3:] = (R * (arc * np.abs(w) + b[1])[:, None, :]) @ back
        at_centre = np.zeros((len(R), 6, 6))  # from the twist of the body to that of the box
        at_centre[:] = np.eye(6)
        for k in range(3):
            at_centre[:, :3, 3 + k] = _cross(np.eye(3)[[k]], arm)
        return np.asarray(at_centre.transpose(0, 2, 1) @ found @ at_centre)

    @cached_property
    def _stacked(self) -> tuple[Array, Array, Array, Array, Array]:
        """Of all boxes: axes (m, 3, 3), centres (m, 3), and the factors of the equations above.

        Those of u and w by viscosity are (2, m, 3), those of |u| u / 2 and |w| w / 2 (m, 3) each.
        """
        boxes = self.boxes
        b = np.array([box.sides for box in boxes])
        next_, last, d = b[:, NEXT], b[:, LAST], b.mean(axis=1)[:, None]
        viscous = self.viscosity * np.array([3.0 * np.pi * d + 0.0 * b, np.pi * d**3 + 0.0 * b])
        return (
            np.array([box.axes for box in boxes]),
            np.array([box.centre for box in boxes]),
            viscous,
            self.density * next_ * last,
            self.density / 32.0 * b * (next_**4 + last**4),
        )


def _times(matrices: Array, vectors: Array) -> Array:
    """(m, 3) products of (m, 3, 3) and (m, 3)."""
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])


def _cross(a: Array, b: Array) -> Array:
    """(m, 3) cross products; `np.cross` takes several times as long for a few rows."""
    return a[:, NEXT] * b[:, LAST] - a[:, LAST] * b[:, NEXT]


def add_drag(
    compiled: Compiled, scene: Scene, made: Links, assembly: Assembly, left_out: list[str]
) -> None:
    """Add the load where the model has a medium; bodies with `fluidshape` are listed instead."""
    model, option = compiled.model, compiled.model.opt
    if not (option.density > 0 or option.viscosity > 0):
        return
    boxes = []
    for body in range(1, model.nbody):
        name = assembly.holder(made.of_body[body])
        moves = name in scene.bodies and scene.bodies[name].given.motion == "dynamic"
        if not moves or model.body_mass[body] < LEAST:
            continue
        if np.any(model.geom_fluid[model.geom_bodyid == body, 0]):
            left_out.append(f"fluidshape (body {name})")
            continue
        boxes.append(_box(compiled, body, scene.bodies[name]))
    if boxes:
        drag = Drag(
            tuple(boxes), float(option.density), float(option.viscosity), option.wind.copy()
        )
        scene.add_load(NAME, drag)


def _box(compiled: Compiled, body: int, holder: Body) -> Box:
    model = compiled.model
    back = np.asarray(holder.rotation).T
    moments = model.body_inertia[body]
    sides = np.sqrt(
        np.maximum(LEAST, moments.sum() - 2.0 * moments) / float(model.body_mass[body]) * 6.0
    )
    axes = compiled.data.ximat[body].reshape(3, 3)
    centre = compiled.data.xipos[body] - np.asarray(holder.position)
    return Box(holder.name, back @ axes, sides, back @ centre)
