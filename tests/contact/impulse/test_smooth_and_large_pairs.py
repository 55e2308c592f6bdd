"""Contacts that are sought pair by pair: round bodies in fields, meshes of many triangles."""

import numpy as np
import pytest
import trimesh

import dovetail as dt
from dovetail.collision.field_contacts.rows import empty_contacts
from dovetail.contact.impulse.detection import CYLINDER, FLAT, KNOWN_FIELD, ROUND_SIDES
from dovetail.contact.impulse.finder import ContactFinder
from dovetail.contact.impulse.smooth_pairs import SmoothPairs
from dovetail.model.friction_curve import SmoothCoulomb

ACROSS = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], float)  # the axis of a cylinder along y


def found(scene, reach=0.0, **settings):
    """The law of a scene, and the contacts of its initial poses."""
    model = scene.build()
    law = dt.contact.LCP(**settings).prepare(model)
    x, R = np.array(model.position), np.array(model.rotation)
    return law, law.find_contacts(x, R, np.full(model.n_bodies, reach))


def lying(gap, order=("table", "roller"), shape=None):
    """A roller of 1 m along y, `gap` over a table."""
    scene = dt.Scene()
    for name in order:
        if name == "table":
            scene.add_body(name, dt.Box((4, 4, 1)), mass=9, position=(0, 0, -0.5))
        else:
            shape = shape or dt.Cylinder(0.25, 1.0)
            scene.add_body(name, shape, mass=1, position=(0, 0, 0.25 + gap), rotation=ACROSS)
    return scene


@pytest.mark.parametrize("order", [("table", "roller"), ("roller", "table")])
@pytest.mark.parametrize("gap", [1e-4, -1e-4])
def test_a_lying_roller_touches_along_its_line(gap, order):
    _, contacts = found(lying(gap, order), reach=2e-4)
    points, up = contacts.points, order.index("roller")
    assert {tuple(sorted(pair)) for pair in points.body.tolist()} == {(0, 1)}
    sign = np.where(points.body[:, 0] == up, 1.0, -1.0)  # normals lead to the first of the two
    assert points.normal * sign[:, None] == pytest.approx(
        np.tile([0, 0, 1], (contacts.count, 1)), abs=1e-12
    )
    assert points.gap == pytest.approx(np.full(contacts.count, gap), abs=1e-12)
    assert points.point[:, 0] == pytest.approx(np.zeros(contacts.count), abs=1e-6)
    ends = points.point[:, 1]
    assert (ends.min(), ends.max()) == pytest.approx((-0.5, 0.5), abs=1e-6)


@pytest.mark.parametrize("shape", [dt.Cylinder(0.25, 1.0), dt.Torus(0.2, 0.05)])
def test_space_for_contacts_grows_and_changes_none(shape):
    law, _ = found(lying(1e-4, shape=shape), reach=2e-4)
    model = lying(1e-4, shape=shape).build()
    poses = np.array(model.position), np.array(model.rotation), np.full(2, 2e-4)
    roomy = law.find_contacts(*poses)
    kept = [np.array(rows) for rows in roomy.points]
    assert len(kept[0])
    small, _ = found(lying(1e-4, shape=shape))
    smooth = small._smooth
    smooth._rows, smooth._label = empty_contacts(1), np.empty(1, np.int32)
    smooth._distance = np.empty(1)
    small._points = type(small._points)(*(rows[:1] for rows in small._points))
    small._make_space(1)
    tight = small.find_contacts(*poses)
    assert all(np.array_equal(a, b) for a, b in zip(kept, tight.points))


@pytest.mark.parametrize("first", [64, 1])
def test_balls_of_many_triangles_touch_where_they_are_nearest(first):
    ball, scene = trimesh.creation.icosphere(4, 0.5), dt.Scene()
    mesh = dt.Mesh(ball.vertices, ball.faces)
    for k, x in enumerate((0.0, 1.0 + 1e-3)):
        scene.add_body(f"ball{k}", mesh, mass=1, position=(x, 0, 0))
    law, _ = found(scene)
    law._points = type(law._points)(*(rows[:first] for rows in law._points))
    law._make_space(4)
    model = scene.build()
    contacts = law.find_contacts(
        np.array(model.position), np.array(model.rotation), np.full(2, 2e-3)
    )
    assert law._found.pairs[1] == 1  # of two large meshes
    points = contacts.points
    top = np.abs(ball.vertices[:, 0]).max()
    assert points.gap.min() == pytest.approx(1.001 - 2 * top, abs=1e-9)
    nearest = points.point[np.argmin(points.gap)]
    assert nearest == pytest.approx([0.5005, 0, 0], abs=1e-3)
    assert np.abs(points.normal[:, 0]) == pytest.approx(np.ones(contacts.count), abs=0.05)


def test_contacts_carry_the_friction_curve_of_their_pair():
    curve, scene = SmoothCoulomb(0.5, 0.3, 0.01, 0.1), dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k in range(2):
        scene.add_body(f"ball{k}", dt.Sphere(0.5), mass=1, position=(3 * k, 0, 0.5))
    _, contacts = found(scene)
    assert contacts.curves == ()  # none has any
    _, contacts = found(scene, friction=curve)
    assert contacts.curves == (curve, curve)
    assert contacts.materials.mu_s.tolist() == [0.5, 0.5]  # at rest
    scene.add_material_pair("floor", "ball1", friction=curve)
    _, contacts = found(scene, friction=0.2)
    with_curve = (contacts.points.body == 2).any(axis=1)
    assert [one is curve for one in contacts.curves] == with_curve.tolist()
    assert with_curve.sum() == 1


def test_the_finder_of_contacts_finds_those_of_the_method():
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("box", dt.Box((1, 2, 1)), mass=1, position=(0, 0, 0.501))
    scene.add_material_pair("floor", "box", restitution=0.7)
    model = scene.build()
    finder = ContactFinder(model, friction=0.4, restitution=0.2)
    assert finder.materials().mu_s.shape == (0,)  # nothing touches yet
    geometry = finder.contacts(model.position, model.rotation, np.full(2, 2e-3))
    assert geometry.bodies.tolist() == [[0, 1]] * 4  # normals lead from the second to the first
    corners = sorted(map(tuple, np.round(geometry.points[:, :2], 9).tolist()))
    assert corners == [(-0.5, -1.0), (-0.5, 1.0), (0.5, -1.0), (0.5, 1.0)]
    assert geometry.normals.tolist() == [[0, 0, -1]] * 4
    assert geometry.gaps == pytest.approx(np.full(4, 1e-3), abs=1e-12)
    assert finder.materials().mu_s.tolist() == [0.4] * 4
    assert finder.materials().restitution.tolist() == [0.7] * 4


def test_bodies_are_known_by_their_fields_only_where_something_is_round():
    """Flags of a roller, a ring, a ball, a plane, a mesh and a body without a surface."""
    ball, scene = trimesh.creation.icosphere(1, 0.5), dt.Scene()
    scene.add_body("plane", dt.HalfSpace((0, 0, 1)), motion="static")
    shapes = (dt.Box((1, 1, 1)), dt.Sphere(0.5), dt.Mesh(ball.vertices, ball.faces), None)
    for k, shape in enumerate(shapes):
        given = {"inertia": (1, 1, 1)} if shape is None else {}
        scene.add_body(f"b{k}", shape, mass=1, position=(3 * k, 0, 5), **given)
    assert SmoothPairs(scene.build()).flags.tolist() == [FLAT, 0, 0, 0, 0]
    scene.add_body("roller", dt.Cylinder(0.2, 1), mass=1, position=(0, 9, 5))
    scene.add_body("ring", dt.Torus(1.0, 0.2), mass=1, position=(5, 9, 5))
    flags = SmoothPairs(scene.build()).flags
    of_roller = ROUND_SIDES + KNOWN_FIELD + CYLINDER
    assert flags.tolist() == [
        KNOWN_FIELD + FLAT, KNOWN_FIELD, KNOWN_FIELD, 0, 0, of_roller, ROUND_SIDES + KNOWN_FIELD,
    ]  # fmt: skip


def test_a_plain_coefficient_of_friction_holds_at_any_speed():
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("ball", dt.Sphere(0.5), mass=1, position=(0, 0, 0.5))
    _, contacts = found(scene, friction=0.3)
    numbers = contacts.materials
    assert numbers.mu_s.tolist() == numbers.mu_d.tolist() == [0.3]
    assert (
        0.0 < numbers.v_s[0] < numbers.v_d[0]
    )  # between which a cubic leads from one to the other
