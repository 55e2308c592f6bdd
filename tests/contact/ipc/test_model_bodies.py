"""Bodies as IPC has them: inertia, freedoms, boxes and features."""

import numpy as np
import pytest
import trimesh

import dovetail as dt
from dovetail.contact.ipc.model_bodies import DRIVEN_PENALTY, ipc_bodies
from dovetail.linalg.lie import so3


def model(**more):
    scene = dt.Scene()
    scene.add_body("plane", dt.HalfSpace(), motion="static")
    scene.add_body("box", dt.Box((1, 2, 3)), mass=2, position=(0, 0, 5), **more)
    scene.add_body("ball", dt.Sphere(0.5), mass=3, position=(5, 0, 5), **more)
    scene.add_body("rod", dt.Cylinder(0.5, 4), mass=1, position=(-5, 0, 5))
    scene.add_body("arm", dt.Box((1, 1, 1)), motion="kinematic", position=(0, 9, 0))
    scene.add_body("point", mass=1, inertia=(2, 3, 4), position=(0, -9, 0))
    return scene.build()


def test_kinetic_energy_is_that_of_the_second_moment():
    """1/2 tr(R' J R'^T) = 1/2 w.I w with J = tr(I)/2 1 - I."""
    scene = model()
    bodies, w = ipc_bodies(scene), np.array([0.3, -0.7, 0.5])
    for i in (1, 2, 3, 5):
        rate = so3.hat(w)
        energy = 0.5 * np.trace(rate @ bodies.J[i] @ rate.T)
        assert energy == pytest.approx(0.5 * w @ scene.inertia[i] @ w)
        assert bodies.mass[i] == scene.mass[i]
    assert bodies.mass[0] == 0.0 and not bodies.J[0].any()


def test_driven_bodies_are_tied_to_their_targets_by_a_penalty():
    bodies = ipc_bodies(model())
    assert bodies.mass[4] == DRIVEN_PENALTY * 3.0  # the heaviest that moves
    radius = 0.75**0.5
    assert bodies.J[4] == pytest.approx(bodies.mass[4] * radius**2 / 5 * np.eye(3))
    lonely = dt.Scene()
    lonely.add_body("arm", dt.Box((1, 1, 1)), motion="kinematic")
    assert ipc_bodies(lonely.build()).mass[0] == DRIVEN_PENALTY


def test_unknowns_are_those_of_bodies_that_move_and_are_not_fixed():
    scene = dt.Scene()
    scene.add_body("a", dt.Box((1, 1, 1)), motion="static")
    fixed = [True, False, False, False, True, False]
    scene.add_body("b", dt.Box((1, 1, 1)), density=1, position=(3, 0, 0), fixed=fixed)
    scene.add_body("c", dt.Box((1, 1, 1)), motion="kinematic", position=(6, 0, 0))
    scene.add_body("d", dt.Box((1, 1, 1)), density=1, position=(9, 0, 0), fixed=[True] * 6)
    bodies = ipc_bodies(scene.build())
    assert bodies.slot.tolist() == [-1, 0, 1, -1] and bodies.owner.tolist() == [1, 2]
    assert bodies.dynamic.tolist() == [0, 1, 0, 0]
    assert bodies.free[1].tolist() == [0, 1, 1, 1, 0, 1] and bodies.free[2].tolist() == [1] * 6
    assert not bodies.free[0].any() and not bodies.free[3].any()


def test_boxes_and_radii_hold_the_shapes():
    geometry = ipc_bodies(model()).geometry
    assert geometry.box_half[1] == pytest.approx([0.5, 1, 1.5])
    assert geometry.box_half[2] == pytest.approx([0.5, 0.5, 0.5])
    assert geometry.box_half[3] == pytest.approx([0.5, 0.5, 2])
    assert geometry.box_centre == pytest.approx(np.zeros((6, 3)))
    assert geometry.radius[1] == pytest.approx(14**0.5 / 2)
    assert geometry.radius[2] == pytest.approx(0.5)
    assert geometry.radius[3] == pytest.approx((0.25 + 4) ** 0.5)
    assert geometry.radius[0] == 0.0 and geometry.half_spaces.is_half_space.tolist() == [
        1, 0, 0, 0, 0, 0,
    ]  # fmt: skip
    spread = ((2 + 3 + 4) / 2) ** 0.5  # tr(J) = tr(I)/2 of a mass of 1 kg without a surface
    assert geometry.box_half[5] == pytest.approx([spread] * 3)


def test_features_are_numbered_body_after_body():
    scene = dt.Scene()
    for k in range(3):
        scene.add_body(f"b{k}", dt.Box((1, 1, 1 + k)), density=1, position=(4 * k, 0, 0))
    features = ipc_bodies(scene.build()).geometry.features
    assert features.first[:, 0].tolist() == [0, 8, 16, 24]
    assert features.first[:, 1].tolist() == [0, 18, 36, 54]
    assert features.first[:, 2].tolist() == [0, 12, 24, 36]
    assert features.vertex_body.tolist() == [0] * 8 + [1] * 8 + [2] * 8
    for k in range(3):
        faces = features.faces[12 * k : 12 * k + 12]
        assert faces.min() == 8 * k and faces.max() == 8 * k + 7
        z = features.vertices[8 * k : 8 * k + 8, 2]
        assert (z.min(), z.max()) == pytest.approx((-(1 + k) / 2, (1 + k) / 2))
    assert not features.solids.size and not features.vertex_radius.size


def test_bodies_of_a_group_have_one_number():
    scene = dt.Scene()
    for k, group in enumerate(("b", None, "a", "b")):
        scene.add_body(f"b{k}", dt.Box((1, 1, 1)), density=1, position=(3 * k, 0, 0), group=group)
    built = scene.build()
    assert ipc_bodies(built).group.tolist() == [1, -1, 0, 1]
    assert ipc_bodies(built, touching=False).group.tolist() == [0, 0, 0, 0]


def test_a_half_space_that_turns_is_refused():
    scene = dt.Scene()
    scene.add_body("deck", dt.HalfSpace(), motion="kinematic", angular_velocity=(0, 0.1, 0))
    with pytest.raises(dt.InputError, match="half-space 'deck' must not rotate"):
        ipc_bodies(scene.build())


def test_bodies_that_look_the_same_share_their_trees():
    scene = dt.Scene()
    for k in range(3):  # a shape of its own for each
        scene.add_body(f"box {k}", dt.Box((1, 2, 3)), mass=1, position=(9 * k, 0, 0))
        scene.add_body(f"ball {k}", dt.Sphere(0.5), mass=1, position=(9 * k, 9, 0))
    scene.add_body("other ball", dt.Sphere(0.25), mass=1, position=(0, 0, 9))
    scene.add_body("other box", dt.Box((3, 2, 1)), mass=1, position=(9, 0, 9))
    root = ipc_bodies(scene.build()).geometry.trees.root
    assert np.array_equal(root[[2, 4]], root[[0, 0]])
    assert np.array_equal(root[[3, 5]], root[[1, 1]])
    assert len({tuple(row) for row in root.tolist()}) == 4


def test_only_bodies_with_many_faces_are_searched_by_faces():
    scene = dt.Scene()
    ball = trimesh.creation.icosphere(3)
    scene.add_body("many", dt.Mesh(ball.vertices, ball.faces), mass=1)
    scene.add_body("few", dt.Box((1, 1, 1)), mass=1, position=(5, 0, 0))
    bodies = ipc_bodies(scene.build())
    first, owners = bodies.geometry.features.first, bodies.geometry.features.owners
    assert owners.by_faces.tolist() == [1, 0]
    assert len(owners.owned) == len(owners.sides) == first[-1, 2]
    assert not np.any(owners.owned[first[1, 2] :])


@pytest.mark.parametrize(
    ("shape", "farthest"),
    [
        (dt.Cone(0.5, 4.0), 3.0),  # the tip, from the centre of mass
        (dt.Cone(3.0, 0.4), np.hypot(3.0, 0.1)),  # the rim
        (dt.Cylinder(0.5, 4.0), np.hypot(0.5, 2.0)),
        (dt.Torus(2.0, 0.25), 2.25),
        (dt.Capsule(0.5, 3.0), 2.0),
        (dt.Sphere(0.7), 0.7),
    ],
)
def test_the_radius_of_a_round_body_is_that_of_its_farthest_point(shape, farthest):
    scene = dt.Scene()
    scene.add_body("one", shape, mass=1)
    assert ipc_bodies(scene.build()).geometry.radius == pytest.approx([farthest], rel=2e-9)


def test_a_driven_half_space_cannot_be_tilted():
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="kinematic", velocity=(0, 0, 0.1))
    scene.add_body("arm", dt.Box((1, 1, 1)), motion="kinematic", position=(0, 0, 3))
    free = ipc_bodies(scene.build()).free
    assert free[0].tolist() == [1, 1, 1, 0, 0, 0]
    assert free[1].all()
