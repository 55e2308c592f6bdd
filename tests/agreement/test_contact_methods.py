"""The same scenes under every contact method: impulses, distance fields, barrier."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3

G = 9.81
pytestmark = pytest.mark.slow  # kernels of three methods; about 15 s once they are compiled
LAWS = {
    "lcp": (lambda mu: dt.contact.LCP(friction=mu), 2e-3),
    "sdf": (lambda mu: dt.contact.SDF(friction=mu, restitution=0.1), 2e-4),
    "ipc": (lambda mu: dt.contact.IPC(friction=mu), 5e-3),
}


@pytest.fixture(autouse=True)
def _quiet(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "fields"
    monkeypatch.setattr("dovetail.collision.sdf.building.field_folder", lambda: folder)
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def under(method, scene, duration, mu=0.0):
    law, step = LAWS[method]
    return dt.simulate(scene, duration, step, contact=law(mu), every=10, progress=False)


def on_slope(angle, gap=0.0):
    """A block on a slope down to +x, `gap` [m] above it."""
    R = so3.exp([0, angle, 0])
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("slope", dt.Box((8, 2, 0.4)), motion="static", rotation=R,
                   position=-0.2 * R[:, 2])  # fmt: skip
    scene.add_body("block", dt.Box((0.4, 0.4, 0.2)), mass=1, rotation=R,
                   position=(0.1 + gap) * R[:, 2] - 2 * R[:, 0])  # fmt: skip
    return scene, R


@pytest.mark.parametrize("method", ["lcp", "sdf", "ipc"])
def test_block_slides_down_a_smooth_slope_as_every_method_says(method):
    angle, duration = 0.3, 0.4
    scene, R = on_slope(angle, gap=1e-3 if method == "ipc" else 0.0)
    result = under(method, scene, duration)
    displacement = R.T @ (result.position("block")[-1] - result.position("block")[0])
    expected = 0.5 * G * np.sin(angle) * duration**2
    # first-order steps: the displacement is off by h v / 2 at most, 2.9e-3 m for the longest step
    assert displacement[0] == pytest.approx(expected, abs=LAWS[method][1] * 1.2)
    assert abs(displacement[1]) < 1e-6 and abs(displacement[2]) < 2e-3


@pytest.mark.parametrize("method", ["lcp", "sdf", "ipc"])
def test_block_slides_down_a_rough_slope_as_every_method_says(method):
    angle, mu, duration = 0.5, 0.3, 0.4
    scene, R = on_slope(angle, gap=6e-4 if method == "ipc" else 0.0)  # about dhat
    result = under(method, scene, duration, mu)
    displacement = R.T @ (result.position("block")[-1] - result.position("block")[0])
    expected = 0.5 * G * (np.sin(angle) - mu * np.cos(angle)) * duration**2
    assert displacement[0] == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("method", ["lcp", "ipc"])
def test_dropped_box_comes_to_rest_at_the_same_height(method):
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("table", dt.Box((2, 2, 0.2)), motion="static", position=(0, 0, -0.1))
    scene.add_body("box", dt.Box((0.3, 0.4, 0.2)), mass=2, position=(0, 0, 0.15))
    result = under(method, scene, 0.5)
    assert result.position("box")[-1, 2] == pytest.approx(0.1, abs=1e-3)
    assert np.abs(result.velocity("box")[-1]).max() < 1e-2
    on_box = result.contacts.at(-1).forces.sum(axis=0)  # on the body the scene names later
    assert on_box[2] == pytest.approx(2 * G, rel=0.02)


def test_two_blocks_part_alike_after_an_elastic_impact():
    scene = dt.Scene()
    scene.add_body("heavy", dt.Box((1, 1, 1)), mass=4)
    scene.add_body("light", dt.Box((0.6, 0.6, 0.6)), mass=1, position=(1, 0, 0),
                   velocity=(-5, 0, 0))  # fmt: skip
    laws = dt.contact.LCP(restitution=1), dt.contact.SDF(restitution=1, stiffness=1e5)
    for law in laws:
        result = dt.simulate(scene, 0.1, 1e-4, contact=law, every=50, progress=False)
        assert result.velocity("light")[-1, 0] == pytest.approx(3, abs=2e-2)
        assert result.velocity("heavy")[-1, 0] == pytest.approx(-2, abs=5e-3)
