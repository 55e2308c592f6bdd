"""Overlaps are taken back where joints let the bodies go, and left alone where they do not."""

from types import SimpleNamespace

import numpy as np

import dovetail as dt
from dovetail.contact.impulse.position_correction import MAX_OVERLAP, OverlapCorrection
from dovetail.linalg.lie import so3

OVERLAP = 2e-3


def robot_with_overlapping_parts():
    """A torso that turns on a base which it overlaps on one side, with an arm on a spring."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("base", dt.Box((0.4, 0.4, 0.2)), motion="static", position=(0.15, 0, 0.1))
    scene.add_body("torso", dt.Box((0.2, 0.2, 0.4)), mass=5, position=(0, 0, 0.4 - OVERLAP),
                   rotation=so3.exp((0.004, 0.004, 0)))  # fmt: skip
    scene.add_body("arm", dt.Box((0.4, 0.05, 0.05)), mass=1, position=(0.3, 0, 0.5))
    scene.add_joint("waist", dt.Revolute((0, 0, 0.4), (0, 0, 1)), "ground", "torso")
    spring = dt.Actuation(stiffness=50.0, damping=5.0)
    shoulder = dt.Revolute((0.1, 0, 0.5), (0, 1, 0), actuation=spring)
    scene.add_joint("shoulder", shoulder, "torso", "arm")
    return scene


def run(scene, duration=0.6, step=4e-3):
    return dt.simulate(
        scene, duration, step, contact=dt.contact.LCP(friction=0.5), progress=False, check=False
    )


def test_parts_that_overlap_by_design_cost_no_energy():
    result = run(robot_with_overlapping_parts())
    total = np.asarray(result.energy["total"])
    assert (total - np.minimum.accumulate(total)).max() < 1e-9
    assert np.abs(result.position("torso")[-1, 2] - (0.4 - OVERLAP)) < 1e-9


def test_an_overlap_beside_one_that_joints_hold_is_still_taken_back():
    scene = robot_with_overlapping_parts()
    scene.add_body("box", dt.Box((0.1, 0.1, 0.1)), mass=1, position=(0.28, 0.12, 0.25 - OVERLAP))
    result = run(scene)
    assert np.abs(result.position("box")[-1, 2] - 0.25) < 1e-5
    assert np.abs(result.position("torso")[-1, 2] - (0.4 - OVERLAP)) < 1e-9


def test_what_joints_hold_is_tried_again_when_it_is_a_fifth_deeper():
    correction = OverlapCorrection()
    correction.restore({"pair": np.array([[0, 1]]), "depth": np.array([0.5])})
    gaps, bodies = [-0.5, -0.59, -0.61, -0.5], [[0, 1], [0, 1], [0, 1], [1, 2]]
    points = SimpleNamespace(body=np.array(bodies), gap=np.array(gaps))
    held = correction._held(SimpleNamespace(count=4, points=points))
    assert held.tolist() == [True, True, False, False]


def test_a_correction_is_needed_only_where_joints_do_not_hold_the_overlap():
    correction = OverlapCorrection()
    correction.restore({"pair": np.array([[0, 1]]), "depth": np.array([0.5])})

    def needed(gaps: list[float]) -> bool:
        points = SimpleNamespace(body=np.array([[0, 1], [1, 2]]), gap=np.array(gaps))
        return correction.is_needed(
            SimpleNamespace(count=2, points=points, smaller_size=np.ones(2))
        )

    assert not needed([-0.5, 0.1])
    assert needed([-0.7, 0.1]) and needed([-0.5, -0.1])
    assert not needed([0.1, 0.1]) and needed([-0.5, 0.1])  # parted in between, so forgotten


def test_feet_of_many_vertices_come_out_of_the_floor():
    """Each foot touches with several vertices of its ball; the lowest is among those kept."""
    feet = [(-0.05, 0.025), (-0.05, -0.025), (0.12, 0.03), (0.12, -0.03)]
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body(
        "sole", dt.Compound([dt.Placed(dt.Sphere(5e-3), (x, y, 0)) for x, y in feet]), mass=1.0,
        inertia=(1e-3, 4e-3, 4e-3), position=(0, 0, 5e-3 - 8e-5), velocity=(0.03, 0, 0),
        angular_velocity=(0, 0, 0.1),
    )  # fmt: skip
    result = dt.simulate(scene, 0.1, 2e-3, dt.contact.LCP(), progress=False, check=False)
    size = np.hypot(0.17, 0.06)
    assert result.position("sole")[-1, 2] - 5e-3 > -1.1 * MAX_OVERLAP * size
