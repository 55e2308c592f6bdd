"""Sparse factors of mechanisms with loops: what they cost and how well loops are kept closed."""

import numpy as np
import pytest

from dovetail.integrators import DH, RATTLie
from dovetail.model import Revolute, Scene, Spherical
from dovetail.multibody.constraints import ConstrainedSystem


def rope_ladder(n, width=1.0):
    """n rungs between two ropes of ball-jointed links, hung level: n loops."""
    scene = Scene(gravity=(0, 0, -9.81))
    J = (0.02, 0.02, 0.02)
    for k in range(n):
        for side in (0, 1):
            scene.add_body(f"rope{side}.{k}", mass=1, inertia=J,
                           position=(0.3 * k + 0.15, side * width, 0))  # fmt: skip
            below = "ground" if k == 0 else f"rope{side}.{k - 1}"
            link_joint = Spherical((0.3 * k, side * width, 0))
            scene.add_joint(f"link_joint{side}.{k}", link_joint, below, f"rope{side}.{k}")
        scene.add_body(f"rung{k}", mass=1, inertia=J, position=(0.3 * (k + 1), width / 2, 0))
        for side in (0, 1):
            end = Spherical((0.3 * (k + 1), side * width, 0))
            scene.add_joint(f"end{side}.{k}", end, f"rope{side}.{k}", f"rung{k}")
    return scene


def scissor_lift(n):
    """n stages of crossed bars on hinges along y; three rows of every loop are implied."""
    scene = Scene(gravity=(0, 0, -9.81))
    y, J = (0, 1, 0), (0.1, 0.1, 0.1)
    for k in range(n):
        low = 0.4 * k
        for name in ("rising", "falling"):
            scene.add_body(f"{name}{k}", mass=1, inertia=J, position=(0.5, 0, low + 0.2))
        scene.add_joint(f"middle{k}", Revolute((0.5, 0, low + 0.2), y), f"rising{k}", f"falling{k}")
        if k:
            scene.add_joint(f"left{k}", Revolute((0, 0, low), y), f"falling{k - 1}", f"rising{k}")
            scene.add_joint(f"right{k}", Revolute((1, 0, low), y), f"rising{k - 1}", f"falling{k}")
    scene.add_joint("foot", Revolute((0, 0, 0), y), "ground", "rising0")
    return scene


@pytest.mark.parametrize("build", [rope_ladder, scissor_lift])
def test_factors_grow_in_proportion_to_the_number_of_loops(build):
    """Twice the loops, twice the entries of the factors; a dense complement would have four."""
    orders = [ConstrainedSystem(build(n).build()).tree.sparse for n in (20, 40, 80)]
    entries = [order.factor_at[-1] for order in orders]
    assert entries[1] < 2.1 * entries[0] and entries[2] < 2.1 * entries[1]


@pytest.mark.parametrize("scheme", [RATTLie(), DH()])
@pytest.mark.parametrize("build", [rope_ladder, scissor_lift])
def test_loops_stay_closed_and_energy_stays(build, scheme):
    model = build(8).build()
    stepper = scheme.start(model, None)

    def energy():
        state = stepper.bodies
        turning = np.einsum("ni,nij,nj->", state.omega, model.inertia, state.omega)
        return 0.5 * (state.v**2).sum() + 0.5 * turning + 9.81 * state.x[:, 2].sum()

    start = energy()
    for k in range(1, 201):
        stepper.step(k * 1e-3)
    seen, moved = stepper.observe(), np.abs(stepper.bodies.v).max()
    assert moved > 0.5  # it swings
    assert seen.constraint_position < 1e-12 and seen.constraint_velocity < 1e-12
    assert energy() == pytest.approx(start, abs=2e-4)


def test_mirrored_loop_shares_its_load_between_both_sides():
    """A bar on four coaxial hinges at rest: implied rows do not make one hinge carry it all."""
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("bar", mass=2, inertia=(1, 1, 1))
    for k, x in enumerate((-1.0, 1.0)):
        scene.add_joint(f"hinge{k}", Revolute((x, 0, 0), (1, 0, 0)), "ground", "bar")
    stepper = RATTLie().start(scene.build(), None)
    stepper.step(1e-3)
    force, _ = stepper.observe().joint_wrenches()
    assert force.sum(axis=0) == pytest.approx([0, 0, 2 * 9.81], abs=1e-9)
