"""Net contact forces are what theory says, whatever the method and the mesh."""

import numpy as np
import pytest

import dovetail as dt
from live_scenes import resting_box

RADIUS, ECCENTRICITY, SPEED = 0.03, 0.01, 2.0  # [m], [m], [rad/s]
MASS, STIFFNESS, PRELOAD, STEP = 0.5, 200.0, 0.02, 1e-3  # [kg], [N/m], [m], [s]


def cam(segments):
    """An eccentric disc that lifts a flat follower against a spring: z = e sin(w t)."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    lying = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    scene.add_body(
        "cam", dt.Cylinder(RADIUS, 0.02, segments=segments), density=7800, rotation=lying,
        position=(ECCENTRICITY, 0, 0),
    )  # fmt: skip
    driven = dt.Actuation(motor=("velocity", SPEED))
    scene.add_joint(
        "shaft", dt.Revolute((0, 0, 0), (0, -1, 0), actuation=[driven]), "ground", "cam"
    )
    height = RADIUS + 0.005 + 2e-5
    scene.add_body("follower", dt.Box((0.1, 0.03, 0.01)), mass=MASS, position=(0, 0, height))
    scene.add_joint("guide", dt.Prismatic((0, 0, RADIUS), (0, 0, 1)), "ground", "follower")
    top = RADIUS + 0.01
    scene.add_spring(
        "spring", "ground", "follower", (0, 0, 1), (0, 0, top), stiffness=STIFFNESS,
        rest_length=1 - top + PRELOAD,
    )  # fmt: skip
    return scene


def averaged(values):
    """Over the time in which one of 64 facets passes."""
    width = round(2 * np.pi / 64 / SPEED / STEP)
    return np.convolve(values, np.ones(width) / width, "valid")


def faceted(scene):
    """The cam as a mesh, of which no method knows that it is meant to be round."""
    disc = scene.bodies["cam"]
    return dt.Mesh(np.array(disc.vertices), np.array(disc.faces))


@pytest.mark.parametrize("contact", ["ipc", "sdf", "lcp"])
def test_force_on_a_cam_follower_is_that_of_theory_on_any_mesh(contact, monkeypatch):
    """N = m (g + z'') + k (preload + z): of a cylinder at all times, of a mesh as a mean.

    A mesh of 64 facets gives the follower a kick at each of its edges.
    """
    found, settled = {}, slice(100, None)
    for segments in (64, 256):
        for is_mesh in (False, True):
            scene = cam(segments)
            if is_mesh:
                disc = faceted(scene)
                with monkeypatch.context() as patch:
                    patch.setattr(dt, "Cylinder", lambda *_, disc=disc, **__: disc)
                    scene = cam(segments)
            result = dt.simulate(scene, 0.2, STEP, contact=contact, progress=False, check=False)
            force, point = result.contact_force("follower", "cam")
            lift = ECCENTRICITY * np.sin(SPEED * result.time)
            theory = MASS * (9.81 - SPEED**2 * lift) + STIFFNESS * (PRELOAD + lift)
            mean = averaged if is_mesh else np.array
            found[segments, is_mesh] = mean(force[settled, 2])
            wanted = mean(theory[settled])
            assert found[segments, is_mesh] == pytest.approx(wanted, rel=5e-3 if is_mesh else 2e-3)
            centre = ECCENTRICITY * np.cos(SPEED * result.time[settled])
            assert point[settled, 0] == pytest.approx(centre, abs=RADIUS * 2 * np.pi / segments)
    for is_mesh in (False, True):
        assert found[256, is_mesh] == pytest.approx(found[64, is_mesh], rel=5e-3)


@pytest.mark.parametrize("contact", ["ipc", "sdf", "lcp"])
def test_net_wrenches_of_a_pair_and_of_a_body_agree(contact):
    result = dt.simulate(resting_box(), 0.2, 2e-3, contact=contact, progress=False, check=False)
    net = result.contact_wrench("box", "floor")
    assert net.force[-1] == pytest.approx((0, 0, 2 * 9.81), abs=0.4)
    assert np.array_equal(result.contact_wrench("floor", "box").force, -net.force)
    body = result.body("box")
    assert body.contact_force == pytest.approx(net.force, abs=1e-12)
    touching = np.isfinite(net.point[:, 0])
    arm = net.point - result.position("box")
    moved = net.torque + np.cross(arm, net.force)
    assert body.contact_torque[touching] == pytest.approx(moved[touching], abs=1e-9)
    assert np.array_equal(body.wrench.force, body.contact_force)


def test_pairs_that_do_not_touch_have_no_force_and_no_point():
    result = dt.simulate(resting_box(gap=1.0), 0.01, 1e-3, contact="lcp", progress=False)
    force, point = result.contact_force("box", "floor")
    assert not force.any()
    assert np.isnan(point).all()
    with pytest.raises(dt.InputError, match=r"no body 'bax'.*did you mean 'box'"):
        result.contact_force("bax", "floor")
