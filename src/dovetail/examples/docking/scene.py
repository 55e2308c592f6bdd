"""The docking scene: an active vehicle with a ring on six legs, a passive one that drifts in."""

import numpy as np

from dovetail.examples.docking.parameters import Docking, Inertia
from dovetail.examples.docking.parts import (
    LATCH,
    LATCH_AT,
    OVERLAP,
    REAR,
    TIP,
    Array,
    active_ring,
    hull,
    latch,
    leg_ends,
    passive_ring,
)
from dovetail.linalg.lie import so3
from dovetail.model import Actuation, Compound, Cylinder, Placed, Prismatic, Scene, Universal

LATCHES = ("latch 1", "latch 2", "latch 3")
LEGS = tuple(f"leg {k}" for k in range(1, 7))
ACTIVE = "active side"  # a group: its parts do not touch each other


def docking_scene(study: Docking | None = None) -> Scene:
    """The scene of a study; `Docking()` is the paper's."""
    study = study or Docking()
    scene = Scene()
    length = _rod_length(study.leg)
    feet, tips = leg_ends(study, length)
    back = float(feet[0, 0])
    scene.add_body(
        "active vehicle", hull(study, back), mass=study.active_vehicle.mass,
        inertia=study.active_vehicle.moments, center_of_mass=(back - 2.0, 0, 0), group=ACTIVE,
    )  # fmt: skip
    scene.add_body(
        "active ring", active_ring(study), mass=study.active_ring.mass,
        inertia=study.active_ring.moments, center_of_mass=(-0.03, 0, 0), group=ACTIVE,
    )  # fmt: skip
    add_leg = _add_light_leg if study.light_legs else _add_leg
    for name, foot, tip in zip(LEGS, feet, tips):
        add_leg(scene, study, name, foot, tip)
    for name, at in zip(LATCHES, LATCH_AT):
        _add_latch(scene, study, name, at)
    scene.add_body(
        "passive vehicle", passive_ring(study), mass=study.passive_vehicle.mass,
        inertia=study.passive_vehicle.moments, center_of_mass=(2.0, 0, 0),
        position=(study.gap, *study.offset), velocity=(-study.speed, 0, 0),
    )  # fmt: skip
    scene.add_material_pair("active ring", "passive vehicle", stiffness=study.ring_contact)
    for name in LATCHES:
        scene.add_material_pair(name, "passive vehicle", stiffness=study.latch_contact)
    return scene


def _rod_length(leg: Inertia) -> float:
    """[m] of a thin rod with the leg's mass and moment."""
    return float(np.sqrt(12 * leg.moments[1] / leg.mass))


def _add_leg(scene: Scene, study: Docking, name: str, foot: Array, tip: Array) -> None:
    """A rod on a universal joint; a spring without length ties its tip to the ring.

    The joint leaves the rod free to swing, so the spring pushes along it only: f = k dx.
    """
    along = (tip - foot) / np.linalg.norm(tip - foot)
    across = np.cross([1.0, 0.0, 0.0], along)
    across /= np.linalg.norm(across)
    turned = np.column_stack([along, across, np.cross(along, across)])
    upright = so3.exp([0.0, np.pi / 2, 0.0])  # a cylinder stands along z
    rod = Compound([Placed(Cylinder(0.01, float(np.linalg.norm(tip - foot))), rotation=upright)])
    scene.add_body(
        name, rod, mass=study.leg.mass, inertia=study.leg.moments, position=0.5 * (foot + tip),
        rotation=turned, group=ACTIVE,
    )  # fmt: skip
    joint = Universal(foot, across, axis2=np.cross(along, across))
    scene.add_joint(f"foot of {name}", joint, "active vehicle", name)
    scene.add_spring(
        f"force of {name}", name, "active ring", tip, tip, stiffness=study.leg_stiffness,
        rest_length=0.0,
    )  # fmt: skip


def _add_light_leg(scene: Scene, study: Docking, name: str, foot: Array, tip: Array) -> None:
    """The spring of a leg alone."""
    scene.add_spring(
        f"force of {name}", "active vehicle", "active ring", foot, tip,
        stiffness=study.leg_stiffness, rest_length=float(np.linalg.norm(tip - foot)),
    )  # fmt: skip


def _lift(study: Docking, turn: Array) -> float:
    """[m] how far a latch is out when it rests on its striker."""
    return max(0.0, OVERLAP + float(turn[1:, 1] @ study.offset))


def _add_latch(scene: Scene, study: Docking, name: str, at: float) -> None:
    """A latch that slides outward in the ring against its spring."""
    turn = so3.exp([at, 0.0, 0.0])
    lifted = _lift(study, turn) if study.latches_lifted else 0.0
    out = turn @ [0.0, 1.0, 0.0]
    middle = (REAR - 42e-3 + 0.5 * LATCH[0], TIP + 0.5 * LATCH[1], 0.0)
    scene.add_body(
        name, latch(), mass=study.latch.mass, inertia=study.latch.moments, center_of_mass=middle,
        rotation=turn, position=lifted * out, group=ACTIVE,
    )  # fmt: skip
    spring = Actuation(stiffness=study.latch_stiffness, damping=study.latch_damping, rest=-lifted)
    slide = Prismatic(turn @ middle + lifted * out, out, actuation=[spring])
    scene.add_joint(f"slide of {name}", slide, "active ring", name)
