"""Fits: what has room enough passes, whatever dhat is."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import SCHEMES
from dovetail.integrators.shared.ipc_steps import UnresolvedFitWarning
from dovetail.linalg.lie import so3

DEPTH = 0.03  # [m]


def plate_with_hole(width, outer=0.04):
    """A plate with a square hole, its upper side at z = 0 [m]."""
    rings = [
        (s * r, t * r, z)
        for z in (0.0, -DEPTH)
        for r in (outer / 2, width / 2)
        for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    faces = []
    for k in range(4):
        n = (k + 1) % 4
        for p, q, r, s in (
            (k, n, 4 + n, 4 + k), (8 + n, 8 + k, 12 + k, 12 + n), (8 + k, 8 + n, n, k),
            (4 + k, 4 + n, 12 + n, 12 + k),
        ):  # fmt: skip
            faces += [(p, q, r), (p, r, s)]
    return dt.Mesh(rings, faces)


def socket(width):
    """A plate with a square hole and, 0.1 mm below it, a floor, in one mesh [m]."""
    plate, below = plate_with_hole(width).surface(), dt.Box((0.04, 0.04, 0.01)).surface()
    vertices = np.array(below.vertices) - (0, 0, DEPTH + 1e-4 + 0.005)
    faces = np.array(below.faces) + len(plate.vertices)
    return dt.Mesh(np.concatenate((plate.vertices, vertices)), np.concatenate((plate.faces, faces)))


def drop(clearance, h, off=0.0, scheme="ImplicitEuler", above=1e-3):
    """Heights [m] of a steel peg that falls into its hole from `above` it."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("plate", plate_with_hole(0.01 + 2 * clearance), motion="static", density=7800)
    scene.add_body("peg", dt.Box((0.01, 0.01, 0.03)), density=7800,
                   position=(off, 0, 0.015 + above))  # fmt: skip
    result = dt.simulate(
        scene, duration=0.1, step=h, contact=dt.contact.IPC(), integrator=SCHEMES[scheme](),
        progress=False,
    )  # fmt: skip
    return result.position("peg")[:, 2] - 0.015


@pytest.mark.parametrize("scheme", ["ImplicitEuler", "BarrierVerlet"])
@pytest.mark.parametrize("clearance", [1e-4, 3e-5, 1e-5, 3e-6, 1e-6])
def test_a_peg_falls_through_its_hole_as_if_nothing_were_there(clearance, scheme):
    for h in (1e-2, 1e-3):
        fallen = 1e-3 - 9.81 * 0.1**2 / 2
        assert drop(clearance, h, scheme=scheme)[-1] == pytest.approx(fallen, abs=1e-9)


def drop_rigid(clearance, h, turn=(0, 0, 0)):
    """Heights [m] of the same peg under LCP, turned by `turn` [rad]."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("plate", plate_with_hole(0.01 + 2 * clearance), motion="static", density=7800)
    scene.add_body("peg", dt.Box((0.01, 0.01, 0.03)), density=7800, rotation=so3.exp(turn),
                   position=(0, 0, 0.015 + 1e-3))  # fmt: skip
    result = dt.simulate(scene, 0.1, h, contact=dt.contact.LCP(), progress=False)
    return result.position("peg")[:, 2] - 0.015


@pytest.mark.parametrize("h", [1e-2, 1e-3])
@pytest.mark.parametrize("clearance", [1e-4, 3e-5, 1e-5, 3e-6, 1e-6])
def test_a_rigid_peg_falls_through_its_hole_as_if_nothing_were_there(clearance, h):
    """A corner beside the rim meets the wall of the hole, however high above the rim it is."""
    fallen = 1e-3 - 9.81 * 0.1**2 / 2
    share = 0.2 * clearance  # of the room that turning takes
    for turn in ((0, 0, 0), (0, 0, share / 0.01), (share / 0.03, 0, 0)):
        assert drop_rigid(clearance, h, turn)[-1] == pytest.approx(fallen, abs=1e-9)


@pytest.mark.parametrize("excess", [1e-4, 1e-5, 1e-6])
def test_a_rigid_peg_wider_than_its_hole_lands_on_the_rim(excess):
    for h in (1e-2, 1e-3):
        heights = drop_rigid(-excess, h)
        assert np.abs(heights[heights.size // 2 :]).max() < 1e-7


def drop_between_boxes(clearance, h):
    """Depth [m] that a peg has fallen under SDF into a hole between four boxes."""
    hole, outer = 0.005 + clearance, 0.02
    scene, wide = dt.Scene(gravity=(0, 0, -9.81)), (outer - hole) / 2
    for k, (x, y) in enumerate([(1, 0), (-1, 0), (0, 1), (0, -1)]):
        size = (2 * wide, 2 * outer, DEPTH) if x else (2 * hole, 2 * wide, DEPTH)
        place = ((hole + wide) * x, (hole + wide) * y, -DEPTH / 2)
        scene.add_body(f"wall {k}", dt.Box(size), motion="static", position=place)
    scene.add_body("peg", dt.Box((0.01, 0.01, 0.03)), density=7800, position=(0, 0, 0.016))
    result = dt.simulate(scene, 0.1, h, contact=dt.contact.SDF(), progress=False)
    return 0.015 - result.position("peg")[:, 2]


@pytest.mark.parametrize("clearance", [1e-4, 3e-5, 1e-5, 3e-6, 1e-6])
def test_a_peg_in_distance_fields_falls_between_boxes_as_if_nothing_were_there(clearance):
    fallen = 9.81 * 0.1**2 / 2 - 1e-3
    for h in (1e-2, 1e-3):
        assert drop_between_boxes(clearance, h)[-1] == pytest.approx(fallen, abs=1e-9)


@pytest.mark.parametrize("excess", [1e-4, 1e-5, 1e-6])
def test_a_peg_in_distance_fields_wider_than_its_hole_lands_on_the_rim(excess):
    for h in (1e-2, 1e-3):
        deep = drop_between_boxes(-excess, h)
        assert np.abs(deep[deep.size // 2 :]).max() < 2e-5


def test_a_fit_in_a_sampled_field_is_named_before_the_run(monkeypatch, capsys):
    monkeypatch.setenv("DOVETAIL_QUIET", "0")
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("plate", plate_with_hole(0.01), motion="static", density=7800)
    scene.add_body("peg", dt.Box((0.009, 0.009, 0.03)), density=7800, position=(0, 0, 0.02))
    dt.simulate(scene, 1e-3, 1e-3, contact=dt.contact.SDF(resolution=32), progress=False)
    said = capsys.readouterr().err
    assert "field of plate has cells of 0.0015 m: a fit in it with less play" in said
    assert "field of peg" not in said


@pytest.mark.parametrize("above", [1e-7, 1e-6, 1e-5])
@pytest.mark.parametrize("clearance", [1e-5, 1e-6, 1e-7])
def test_a_peg_that_begins_within_the_barrier_of_the_rim_falls(clearance, above):
    fallen = above - 9.81 * 0.1**2 / 2
    assert drop(clearance, 1e-2, above=above)[-1] == pytest.approx(fallen, abs=1e-9)


def test_a_peg_that_begins_within_the_barrier_above_the_plate_stays():
    heights = drop(1e-6, 1e-2, off=1e-4, above=1e-5)
    assert np.abs(heights - 1e-5).max() < 1e-6


@pytest.mark.parametrize("clearance", [1e-8, 1e-10, 1e-12])
def test_a_block_slides_between_walls_at_any_clearance(clearance):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    for name, side in (("left", -1), ("right", 1)):
        scene.add_body(name, dt.Box((0.1, 1, 4)), motion="static",
                       position=(side * (0.1 + clearance), 0, 0))  # fmt: skip
    scene.add_body("block", dt.Box((0.1, 0.1, 0.1)), mass=1.0, position=(0, 0, 1))
    result = dt.simulate(scene, 0.1, 1e-2, dt.contact.IPC(), progress=False)
    assert result.position("block")[-1, 2] == pytest.approx(1 - 9.81 * 0.005, abs=1e-9)
    assert result.stats["iterations"].max() <= 4  # it took 2000 and more


def test_a_fit_that_cannot_be_resolved_is_named_once():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("plate", plate_with_hole(0.01 + 2e-14), motion="static", density=7800)
    scene.add_body("peg", dt.Box((0.01, 0.01, 0.03)), density=7800, position=(0, 0, 0.015 + 4e-5))
    said = "bodies 'plate' and 'peg' must have a clearance of at least 6.2e-14 m"
    with pytest.warns(UnresolvedFitWarning, match=said) as found:
        dt.simulate(scene, 4e-3, 1e-3, contact=dt.contact.IPC(), progress=False)
    assert len(found) == 1


def test_a_peg_that_is_too_far_off_stands_on_the_rim():
    heights = drop(1e-5, 1e-3, off=5e-5)
    assert np.all(heights > 0.0)
    assert abs(heights[-1] - heights[-2]) < 1e-5


@pytest.mark.parametrize("scheme", ["ImplicitEuler", "BarrierVerlet"])
@pytest.mark.parametrize(("clearance", "off"), [(2e-5, 0.0), (2e-5, 1.8e-5), (1e-6, 0.0)])
def test_a_peg_that_is_pressed_into_a_socket_seats(clearance, off, scheme):
    """The floor of the socket, which the peg meets in the same step, is part of the same body."""
    for h in (1e-2, 1e-3) if scheme == "ImplicitEuler" else (1e-3,):
        scene = dt.Scene(gravity=(0, 0, -9.81))
        scene.add_body("socket", socket(0.01 + 2 * clearance), motion="static", density=7800)
        scene.add_body("peg", dt.Box((0.01, 0.01, 0.03)), density=7800,
                       position=(off, 0, 0.015 + 1e-3))  # fmt: skip
        scene.add_force("push", "peg", (0, 0, -5.0))
        result = dt.simulate(
            scene, 0.1, h, dt.contact.IPC(friction=0.2), integrator=SCHEMES[scheme](),
            progress=False,
        )  # fmt: skip
        seat = -DEPTH - 1e-4 + 0.015
        assert 0 < result.position("peg")[-1, 2] - seat < 3e-5


def test_a_peg_beside_its_socket_does_not_seat():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("socket", socket(0.01 + 4e-5), motion="static", density=7800)
    scene.add_body("peg", dt.Box((0.01, 0.01, 0.03)), density=7800, position=(4e-5, 0, 0.016))
    scene.add_force("push", "peg", (0, 0, -5.0))
    result = dt.simulate(scene, 0.1, 1e-3, dt.contact.IPC(friction=0.2), progress=False)
    assert result.position("peg")[-1, 2] > 0.015
