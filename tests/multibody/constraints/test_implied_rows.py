"""Loop rows that the joints of the tree imply in every position, and steps without them."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import RATTLie
from dovetail.multibody.constraints import ConstrainedSystem
from dovetail.multibody.constraints.implied_rows import JointGroups, generated

Z = (0.0, 0.0, 1.0)
SOME = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
SOME *= np.sign(np.linalg.det(SOME))


def ring(joints, kinds=None, turn=SOME, size=1.0, offset=(0.0, 0.0, 0.0)):
    """Bodies between the ground and the ground by joints (kind, point, axis), placed anywhere."""
    scene = dt.Scene(gravity=tuple(9.81 * size * turn @ (0.3, -1, 0.2)))
    names = ["ground", *(f"b{k}" for k in range(len(joints) - 1)), "ground"]
    places = [size * turn @ np.array(point) + offset for _, point, _ in joints]
    for k, name in enumerate(names[1:-1]):
        scene.add_body(
            name, mass=1 + 0.3 * k, inertia=np.array((0.02, 0.03, 0.04)) * size**2,
            position=(places[k] + places[k + 1]) / 2, rotation=turn,
        )  # fmt: skip
    for k, (kind, _, axis) in enumerate(joints):
        options = {} if kind is dt.Spherical else {"axis": tuple(turn @ np.array(axis))}
        scene.add_joint(f"j{k}", kind(tuple(places[k]), **options), names[k], names[k + 1])
    return scene


R, P, C, S = dt.Revolute, dt.Prismatic, dt.Cylindrical, dt.Spherical
CORNERS = ((0, 0, 0), (0.3, 0.9, 0), (1.4, 1.1, 0), (1.2, 0, 0))
OUT = ((0, 0, 0), (0.3, 0.9, 0.2), (1.4, 1.1, -0.3), (1.2, 0, 0.1))
LOOPS = {  # joints, equations of the loop that the others imply
    "four hinges, parallel": ([(R, p, Z) for p in CORNERS], 3),
    "four hinges, parallel, apart along their axes": ([(R, p, Z) for p in OUT], 3),
    "slider-crank": ([*((R, p, Z) for p in CORNERS[:3]), (P, (1.4, 1.1, 0), (1, 0, 0))], 3),
    "hinges through one point, at which the gaps are": (
        [(R, p, p) for p in ((1, 0, 0), (0.5, 0.8, 0.3), (-0.2, 1, 0.4), (-0.7, 0.1, 0.8))], 0),
    "hinges and sliders along the axis": (
        [(R, p, Z) for p in CORNERS[:3]] + [(C, (1.2, 0, 0), Z)], 2),
    "translations": ([(P, p, a) for p, a in zip(CORNERS, (*np.eye(3), (1, 2, 3)))], 3),
    "one hinge out of parallel": (
        [*((R, p, Z) for p in CORNERS[:3]), (R, CORNERS[3], (0, 1e-6, 1))], 0),
    "a ball joint in the ring": ([(R, p, Z) for p in CORNERS[:3]] + [(S, CORNERS[3], Z)], 0),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize(("size", "offset"), [(1.0, (0, 0, 0)), (1e-3, (0.3, 0.1, -0.2))])
def test_rows_that_a_group_of_motions_implies_are_found(name, size, offset):
    joints, implied = LOOPS[name]
    system = ConstrainedSystem(ring(joints, size=size, offset=offset).build())
    loop = len(system.ordered) - int(system.tree.loop[0])
    kept = len(system.tree.articulated.row)
    assert loop - kept == implied


def test_least_algebras_are_those_of_the_known_groups():
    hinge = np.array([0, 0, 0, 0, 0, 1.0])
    beside = np.array([0, -1.0, 0, 0, 0, 1.0])  # parallel, at (1, 0, 0)
    slanted = np.array([0, 0, 0, 0, 0.6, 0.8])
    assert len(generated(np.array([hinge]))) == 1
    assert len(generated(np.array([hinge, beside]))) == 3  # motions of a plane
    assert len(generated(np.array([hinge, slanted]))) == 3  # rotations about a point
    assert len(generated(np.array([hinge, beside, slanted]))) == 6


@pytest.mark.parametrize(("motion", "implied"), [("static", 3), ("kinematic", 0)])
def test_a_ring_that_a_body_in_motion_opens_has_no_implied_rows(motion, implied):
    """A four-bar whose second bearing is on a body of its own, which may be moved."""
    scene = dt.Scene()
    scene.add_body("base", mass=1, inertia=(1, 1, 1), motion=motion, position=(1.2, 0, 0))
    names = ["ground", "b0", "b1", "b2", "base"]
    for k, name in enumerate(names[1:-1]):
        at = (np.array(CORNERS[k]) + CORNERS[k + 1]) / 2
        scene.add_body(name, mass=1, inertia=(0.02, 0.03, 0.04), position=at)
    for k, point in enumerate(CORNERS):
        scene.add_joint(f"j{k}", R(point, Z), names[k], names[k + 1])
    system = ConstrainedSystem(scene.build())
    loop = len(system.ordered) - int(system.tree.loop[0])
    assert loop - len(system.tree.articulated.row) == implied


@pytest.mark.parametrize("name", [n for n, (_, implied) in LOOPS.items() if implied])
def test_loops_stay_closed_in_all_rows_and_keep_their_energy(name):
    scene = ring(LOOPS[name][0])
    result = dt.simulate(scene, 1.0, 1e-3, integrator=RATTLie(order=4), progress=False)
    assert max(result.constraint_violation["position"]) < 1e-14
    assert max(result.constraint_violation["velocity"]) < 1e-13
    total = result.energy["total"]
    assert np.abs(total - total[0]).max() < 1e-6 * result.energy["kinetic"].max()


@pytest.mark.parametrize("name", [n for n, (_, implied) in LOOPS.items() if implied])
def test_steps_without_implied_rows_are_those_with_all_rows(name, monkeypatch):
    model, ends = ring(LOOPS[name][0]).build(), []
    for _ in range(2):
        stepper = RATTLie().start(model, None)
        for k in range(200):
            stepper.step((k + 1) * 1e-3)
        ends.append(stepper.bodies.x.copy())
        monkeypatch.setattr(JointGroups, "implied", lambda self, rows, joints: [])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)
    assert np.abs(ends[0] - model.position).max() > 0.01


def test_joints_of_an_overconstrained_ring_share_what_it_carries():
    """Across the plane of a four-bar the joint that closes it carries a part, as others do."""
    scene = ring(LOOPS["four hinges, parallel"][0], turn=np.eye(3))
    result = dt.simulate(scene, 0.01, 1e-3, integrator=RATTLie(), progress=False)
    carried = [abs(result.joint_force(f"j{k}")[-1][2]) for k in (0, 3)]
    weight = 9.81 * 0.2 * sum(1 + 0.3 * k for k in range(3))
    assert sum(carried) == pytest.approx(weight, rel=1e-9)
    assert min(carried) > 0.1 * weight
