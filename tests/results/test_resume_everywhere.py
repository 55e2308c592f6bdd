"""Runs of the real methods, killed and resumed: a sample of `benchmarks/resume_matrix.py`."""

import numpy as np
import pytest
from resumed_everywhere import differing, stops

import dovetail as dt

SAMPLE = [  # example, contact method, integrator, frames; contact from the first steps on
    ("painleve-rod", dt.contact.LCP(friction=0.3), "StewartTrinkle", 3),
    ("gears", dt.contact.IPC(friction=0.3), "ImplicitEuler", 3),
    ("gears", dt.contact.IPC(), "BarrierVerlet", 1),
    ("sliders", dt.contact.SDF(friction=0.3), "LieVerlet", 3),
    ("sliders", dt.contact.SDF(friction=0.3), "CompliantEuler", 1),
    ("slider-crank", None, "RATTLie", 3),
    ("slider-crank", None, "JointCoordinates", 3),
    ("four-bar", None, "LieGeneralizedAlpha", 1),
    ("four-bar", None, "EulerParameterDAE", 3),
    ("four-bar", None, "DH", 3),
]


@pytest.mark.parametrize(("name", "contact", "scheme", "every"), SAMPLE)
def test_a_run_killed_after_a_step_ends_with_the_same_bytes(tmp_path, name, contact, scheme, every):
    example = dt.examples.get(name)
    step = example.RUN["step"]
    settings = {
        "duration": 12 * step, "step": step, "every": every, "contact": contact,
        "integrator": dt.integrators.SCHEMES.get(scheme)(),
    }  # fmt: skip
    found = stops(example.build, tmp_path, settings)
    assert [stop.step for stop in found] == [*range(1, 12), 11]
    assert differing(example.build, tmp_path, settings, [found[k] for k in (0, 4, 9)]) == []


@pytest.mark.parametrize("contact", [None, dt.contact.IPC(friction=0.5)], ids=["none", "ipc"])
def test_what_a_step_keeps_of_the_one_before_is_in_the_checkpoint(tmp_path, contact):
    """Rows of joints that dampers act on, and the order in which the system is eliminated."""
    example = dt.examples.get("gripper")
    settings = {
        "duration": 0.04, "step": 0.01, "every": 1, "contact": contact,
        "integrator": dt.integrators.BarrierVerlet(),
    }  # fmt: skip
    found = stops(example.build, tmp_path, settings)
    assert differing(example.build, tmp_path, settings, found) == []


def test_energies_of_many_pairs_do_not_depend_on_the_order_in_which_they_met(tmp_path):
    """A resumed run numbers pairs in another order; their energies were added in it."""
    example = dt.examples.get("wrecking-ball")
    step = example.RUN["step"]
    settings = {
        "duration": 6 * step, "step": step, "every": 1, "contact": dt.contact.SDF(friction=0.3),
        "integrator": dt.integrators.CompliantEuler(),
    }  # fmt: skip
    found = stops(example.build, tmp_path, settings)
    assert differing(example.build, tmp_path, settings, found[1:3]) == []


def test_a_run_that_fails_after_a_step_fails_when_resumed_from_it(tmp_path):
    """Contacts at the end of a step are examined when the next begins: the step is too long."""
    example = dt.examples.get("bolt")
    settings = {
        "duration": 0.02, "step": 0.002, "every": 1, "contact": dt.contact.SDF(friction=0.3),
        "integrator": dt.integrators.LieVerlet(),
    }  # fmt: skip
    found = stops(example.build, tmp_path, settings)
    assert found[-1].step == 5
    assert differing(example.build, tmp_path, settings, found[-2:]) == []


def boxes_and_a_driven_box():
    """Two free boxes, one beside and one on a box that slides to and fro and turns."""

    def driven(t):
        c, s = np.cos(0.5 * t), np.sin(0.5 * t)
        return (0.1 * np.sin(5 * t), 0, 0.152), np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])

    scene = dt.Scene(gravity=(0, 0, -9.81))
    floor = {"density": 1000, "motion": "static", "position": (0, 0, -0.1)}
    scene.add_body("floor", dt.Box((4, 4, 0.2)), **floor)
    moved = {"density": 1000, "motion": "kinematic", "position": (0, 0, 0.152)}
    scene.add_body("driver", dt.Box((0.3, 0.3, 0.3)), trajectory=driven, **moved)
    scene.add_body("beside", dt.Box((0.2, 0.2, 0.2)), density=1000, position=(0.3, 0, 0.12))
    scene.add_body("above", dt.Box((0.2, 0.2, 0.2)), density=1000, position=(0.02, 0.01, 0.43))
    return scene


def test_friction_and_impacts_without_intersection_resume_to_the_same_bytes(tmp_path):
    contact = dt.contact.IPC(friction=0.4, dhat=1e-3, restitution=0.4)
    settings = {"duration": 0.4, "step": 0.004, "contact": contact, "every": 1}
    found = stops(boxes_and_a_driven_box, tmp_path, settings)
    chosen = [found[k - 1] for k in (20, 57, 59, 60, 83)]
    assert differing(boxes_and_a_driven_box, tmp_path, settings, chosen) == []
