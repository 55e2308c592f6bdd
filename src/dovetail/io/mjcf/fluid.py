"""Drag of the medium of a model: <option density viscosity wind>.

MuJoCo's model by inertia boxes (Computation, Fluid forces): a body of mass m and principal moments
I has the sides b_i^2 = 6 (I_j + I_k - I_i) / m. With density rho, viscosity beta, the velocity u
against the medium and the angular velocity w, both in the axes of the moments, and the mean side d,
    f_i = -1/2 rho b_j b_k |u_i| u_i - 3 pi beta d u_i
    t_i = -1/64 rho b_i (b_j^4 + b_k^4) |w_i| w_i - pi beta d^3 w_i
act at the centre of mass.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.io.link_trees.assembly import Assembly
from dovetail.io.mjcf.bodies import Links
from dovetail.io.mjcf.compiled import Compiled
from dovetail.model.body import Body
from dovetail.model.scene import Scene
from dovetail.model.values import Array

NAME = "drag of the medium"
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
        return {box.name: self._wrench(box, state) for box in self.boxes}

    def _wrench(self, box: Box, state: Any) -> tuple[Array, Array]:
        R_body = np.asarray(state.rotation(box.name))
        R, arm = R_body @ box.axes, R_body @ box.centre
        spin = np.asarray(state.angular_velocity(box.name))
        u = R.T @ (np.asarray(state.velocity(box.name)) + np.cross(spin, arm) - self.wind)
        w = R.T @ spin
        b = box.sides
        next_, last = np.roll(b, -1), np.roll(b, -2)
        d = float(b.mean())
        force = -0.5 * self.density * next_ * last * np.abs(u) * u
        force -= 3.0 * np.pi * self.viscosity * d * u
        torque = -self.density / 64.0 * b * (next_**4 + last**4) * np.abs(w) * w
        torque -= np.pi * self.viscosity * d**3 * w
        force, torque = R @ force, R @ torque
        return force, torque + np.cross(arm, force)


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
