"""Where bodies may be put while a simulation runs."""

from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dt
from dovetail.multibody.state import initial_state
from dovetail.simulate.live.placing import ALLOWED, PlacingCheck

POTENTIAL, FORCE = SimpleNamespace(kind="potential"), SimpleNamespace(kind="force")


def refuse(contact, gap, hinged=False):
    """Put one of two unit boxes beside the other, at a gap [m]."""
    scene = dt.Scene()
    scene.add_body("left", dt.Box((1, 1, 1)), density=1)
    scene.add_body("right", dt.Box((1, 1, 1)), density=1, position=(3, 0, 0))
    if hinged:
        scene.add_joint("pin", dt.Revolute((0.5, 0, 0), (0, 1, 0)), "left", "right")
    model = scene.build()
    state = initial_state(model)
    state.x[1] = (1 + gap, 0, 0)
    PlacingCheck(scene, model, contact).refuse(state, [1])


@pytest.mark.parametrize("contact", [POTENTIAL, FORCE])
def test_bodies_apart_may_be_anywhere_and_overlapping_ones_nowhere(contact):
    refuse(contact, 0.01)
    with pytest.raises(dt.InputError, match="body 'left' and body 'right' would intersect there"):
        refuse(contact, -0.1)


def test_touching_is_refused_only_where_nothing_may_ever_touch():
    refuse(FORCE, 0.0)
    with pytest.raises(dt.InputError, match="would intersect"):
        refuse(POTENTIAL, 0.0)


def test_an_overlap_of_a_thousandth_is_what_compliance_lives_with():
    refuse(FORCE, -5e-4)
    with pytest.raises(dt.InputError):
        refuse(FORCE, -5e-3)
    with pytest.raises(dt.InputError):
        refuse(POTENTIAL, -5e-4)


@pytest.mark.parametrize("gap", [0.0, -0.1])
def test_bodies_that_a_joint_holds_together_may_overlap(gap):
    refuse(POTENTIAL, gap, hinged=True)


def test_without_contact_bodies_may_be_anywhere():
    refuse(None, -0.1)


def put(bodies, places, moved, contact=FORCE):
    """Put bodies of these shapes, which start far apart, at `places`; `moved` are looked at."""
    scene = dt.Scene()
    for k, (name, shape) in enumerate(bodies.items()):
        if isinstance(shape, dt.HalfSpace):
            scene.add_body(name, shape, motion="static")
        else:
            scene.add_body(name, shape, mass=1.0, position=(9 * k, 0, 9))
    model = scene.build()
    state = initial_state(model)
    for name, place in places.items():
        state.x[model.index(name)] = place
    PlacingCheck(scene, model, contact).refuse(state, [model.index(name) for name in moved])


CUBE, DIE = 1.0, 0.2  # [m]
SHIFT = ALLOWED * np.sqrt(3) * DIE  # a thousandth of the smaller one's diagonal
SIDES = [s * axis for axis in np.eye(3) for s in (1, -1)]


@pytest.mark.parametrize("side", SIDES, ids=str)
@pytest.mark.parametrize("names", [("cube", "die"), ("die", "cube")], ids="-".join)
def test_the_overlap_allowed_is_a_thousandth_of_the_smaller_body_on_every_side(side, names):
    shapes = {"cube": dt.Box((CUBE,) * 3), "die": dt.Box((DIE,) * 3)}
    bodies = {name: shapes[name] for name in names}
    reach = 0.5 * (CUBE + DIE)
    put(bodies, {"cube": (0, 0, 0), "die": side * (reach - 0.95 * SHIFT)}, ["die"])
    with pytest.raises(dt.InputError, match="would intersect there; leave a gap"):
        put(bodies, {"cube": (0, 0, 0), "die": side * (reach - 1.5 * SHIFT)}, ["die"])


@pytest.mark.parametrize("names", [("floor", "die"), ("die", "floor")], ids="-".join)
def test_on_a_plane_the_overlap_is_along_its_normal(names):
    up = np.array([0.6, 0, 0.8])
    shapes = {"floor": dt.HalfSpace(tuple(up)), "die": dt.Sphere(DIE, 8)}
    bodies = {name: shapes[name] for name in names}
    vertices = dt.Sphere(DIE, 8).surface().vertices
    low, shift = -float((vertices @ up).min()), ALLOWED * np.linalg.norm(np.ptp(vertices, axis=0))
    put(bodies, {"die": up * (low - 0.95 * shift)}, ["die"])
    with pytest.raises(dt.InputError, match="would intersect"):
        put(bodies, {"die": up * (low - 1.5 * shift)}, ["die"])


def octahedron(radius):
    corners = radius * np.concatenate((np.eye(3), -np.eye(3)))
    faces = [
        (i, (j, k)[flip], (k, j)[flip])
        for i in (0, 3) for j in (1, 4) for k in (2, 5)
        for flip in [int((i > 0) + (j > 1) + (k > 2)) % 2]
    ]  # fmt: skip
    return dt.Mesh(corners, np.array(faces))


def test_bodies_are_moved_apart_along_the_line_between_their_centres():
    """Along an axis a shift opens a gap of 1/sqrt(3) of itself, along the line all of it."""
    bodies, along = {"a": octahedron(DIE), "b": octahedron(DIE)}, np.ones(3) / np.sqrt(3)
    reach, shift = 2 * DIE / np.sqrt(3), ALLOWED * 2 * DIE * np.sqrt(3)
    put(bodies, {"a": (0, 0, 0), "b": along * (reach - 0.9 * shift)}, ["b"])
    with pytest.raises(dt.InputError, match="would intersect"):
        put(bodies, {"a": (0, 0, 0), "b": along * (reach - 1.1 * shift)}, ["b"])


@pytest.mark.parametrize("contact", [POTENTIAL, FORCE])
def test_a_body_within_another_one_is_refused(contact):
    bodies = {"cube": dt.Box((CUBE,) * 3), "die": dt.Box((DIE,) * 3)}
    for place in ((0, 0, 0), (0.1, 0.05, 0.02)):
        with pytest.raises(dt.InputError, match="would intersect"):
            put(bodies, {"cube": (0, 0, 0), "die": place}, ["die"], contact)


def test_only_overlaps_of_what_is_moved_count():
    bodies = {name: dt.Box((CUBE,) * 3) for name in "abc"}
    places = {"a": (0, 0, 0), "b": (0.5, 0, 0), "c": (5, 0, 0)}
    put(bodies, places, ["c"])
    with pytest.raises(dt.InputError, match="body 'a' and body 'b'"):
        put(bodies, places, ["c", "a"])


class Asked:
    """In place of the check: remembers which bodies it was asked about."""

    def __init__(self):
        self.moved = []

    def refuse(self, state, moved):
        self.moved.append(list(moved))


def two_free():
    scene = dt.Scene()
    scene.add_body("a", mass=1, inertia=(1, 2, 3), position=(1, 2, 3))
    scene.add_body("b", mass=1, inertia=(1, 2, 3), position=(4, 5, 6))
    sim = dt.Simulation(scene, step=1e-3, check=False)
    sim._placing = asked = Asked()
    return sim, asked


def turned(by):
    c, s = np.cos(by), np.sin(by)
    a, b = (
        np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
        np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
    )
    return a @ b @ a


def test_a_body_is_looked_at_where_its_position_or_rotation_changes():
    sim, asked = two_free()
    x, R, still = sim.state.x[1].copy(), sim.state.R[1].copy(), np.zeros(3)
    sim.place_body(1, x, R, still, still)
    assert asked.moved == []
    sim.place_body(1, x + 0.1, R, still, still)
    sim.place_body(1, x + 0.1, turned(0.3), still, still)
    assert asked.moved == [[1], [1]]
    np.testing.assert_array_equal(sim.state.R[1], turned(0.3))


def test_bodies_that_a_state_moves_are_looked_at_and_velocities_need_no_look():
    sim, asked = two_free()
    sim.set_state(v=np.arange(12.0))
    assert asked.moved == []
    q = sim.q
    where = sim.q_index("b")
    q[where.start : where.start + 3] += 0.1
    sim.set_state(q=q)
    assert asked.moved == [[1]]
    sim.body("a").place(rotation=turned(0.3))
    assert asked.moved[1:] == [[0]]
