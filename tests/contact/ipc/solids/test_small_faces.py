"""Small polyhedra on solids of revolution that are larger than their faces."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.collision.distance.revolution import Solid, triangle_solid
from dovetail.contact.ipc.solids.gaps import face_gap
from dovetail.verifier.certificate import certify

ABOVE = (0.0, 0.0, 1.0)


def test_a_plane_that_cuts_the_solid_beside_its_face_is_no_contact():
    """A steep face of 3 cm stands on a disc of 1 m: what its plane cuts off has its lowest point

    0.8 m below the face, over the inside of it all the same.
    """
    disc = Solid(ABOVE, -0.1, 1.0, 0.0, 1.0, 0.0)
    turn = Rotation.from_euler("y", -80, degrees=True)
    flat = [(0.0, -0.015, 0.0), (0.0, 0.015, 0.0), (1.2, 0.0, 0.0)]
    corners = [tuple(np.add(turn.apply(p), (-0.02, 0.0, 1e-6))) for p in flat]
    assert triangle_solid(*corners, disc, 0.0)[0] == pytest.approx(1e-6, rel=1e-6)
    D = (0.0, 0.0, 0.05)
    over, inside = face_gap(disc, tuple(corners), tuple(corners), (0, 1, 2), 0, D, 1e-8)
    assert not inside
    assert over.gap.distance > 1e-6
    # the same face pushed into the disc is one
    pressed = tuple(tuple(np.subtract(p, (0.0, 0.0, 0.2))) for p in corners)
    assert triangle_solid(*pressed, disc, 0.0)[0] < 0.0
    over, inside = face_gap(disc, pressed, pressed, (0, 1, 2), 0, D, 1e-8)
    assert over.gap.distance < 0.0


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_box_falls_on_a_round_table(seed):
    """It did not converge, or did not end, where a steep side of the box stood on the table."""
    rng = np.random.default_rng(seed)
    scene = dt.Scene(gravity=(0, 0, -9.81))
    table = dt.Cylinder(1.0, 0.1)
    scene.add_body("table", table, motion="static", position=(0, 0, -0.05))
    scene.add_body(
        "box", dt.Box(tuple(rng.uniform(0.05, 0.15, 3))), density=1000,
        position=(0.04, -0.08, 0.12), rotation=Rotation.random(random_state=rng).as_matrix(),
        velocity=0.3 * rng.normal(size=3), angular_velocity=rng.normal(size=3),
    )  # fmt: skip
    result = dt.simulate(scene, 0.25, 1e-3, dt.contact.IPC(friction=0.0))
    assert certify(result).verdict == "free"
    energy = result.energy["total"]
    assert np.diff(energy).max() < 1e-4 * (energy.max() - energy.min())
    assert energy[-1] < energy[0]
