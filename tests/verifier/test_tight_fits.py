"""Bodies that stay very close to each other are decided; `benchmarks/undecided.py` has more."""

import numpy as np
import pytest
from tight_fits import FITS, R, rolling, spinning

import dovetail as dt
from dovetail.verifier.certificate import certify

FREE = [name for name in FITS if not name.startswith(("LCP", "SDF"))]


@pytest.mark.parametrize("name", FREE)
def test_a_tight_fit_is_shown_to_be_free(name):
    found = certify(FITS[name]())
    assert found.intervals >= 20 and found.verdict == "free", found.paths[:3]


@pytest.mark.parametrize("name", [name for name in FITS if name.startswith(("LCP", "SDF"))])
def test_a_body_at_rest_is_decided(name):
    found = certify(FITS[name]())
    assert not [path for path in found.paths if path.verdict == "undecided"]


@pytest.mark.parametrize("gap", [-1e-5, -1e-3])
def test_shapes_of_revolution_that_overlap_are_not_called_free(gap):
    for made in (spinning(dt.Cylinder(R, 0.3), gap, step=0.5), rolling(gap, step=0.5)):
        assert certify(made).verdict == "intersecting"


def test_a_wheel_that_tips_over_between_two_frames_is_found_to_meet_what_it_passes():
    """It spins by many turns a frame, and its axis by a quarter of one: only the arc is known."""
    scene = dt.Scene()
    disc = dt.Cylinder(0.5, 0.02)
    scene.add_body("wheel", disc, density=1000, angular_velocity=(0.0, 0.0, 400.0))
    scene.add_body("rod", dt.Box((0.05, 0.05, 0.05)), density=1, position=(0.4, 0, 0.1))
    whole = dt.simulate(scene, 0.2, 2e-4, every=100, progress=False, check=False)
    assert certify(whole).verdict == "free"
    turn = dt.lie.so3.exp(np.array([0, -0.05, 0]))  # of the axis from frame to frame
    for k in range(1, len(whole.time)):
        tilt = np.linalg.matrix_power(turn, k)
        whole.stored.column("rotation")[k, 0] = tilt @ whole.stored.column("rotation")[k, 0]
    assert certify(whole).verdict == "intersecting"


def test_a_cylinder_that_spins_about_another_axis_too_is_not_taken_for_a_steady_one():
    scene = dt.Scene()
    post = dt.Cylinder(0.1, 1.0)
    scene.add_body("post", post, density=1000, angular_velocity=(1.0, 0.0, 30.0))
    wall = dt.Box((1, 0.02, 2))
    scene.add_body("wall", wall, density=1, position=(0, 0.1 + 0.01 + 1e-4, 0))
    assert certify(dt.simulate(scene, 0.2, 0.002, check=False)).verdict == "intersecting"


@pytest.mark.parametrize("name", ["rolling cylinder, 1e-5 R", "LCP, box on a box"])
def test_the_verdict_does_not_depend_on_the_number_of_threads(name, monkeypatch):
    made, found = FITS[name](), []
    for threads in (1, 2, 5):
        monkeypatch.setenv("DOVETAIL_THREADS", str(threads))
        found.append(certify(made))
    assert repr(found[0]) == repr(found[1]) == repr(found[2])
