"""Coarse meshes, sharp edges, fast bodies and holes: nothing slips through."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3
from dovetail.multibody.state import initial_state


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "fields"
    monkeypatch.setattr("dovetail.collision.sdf.building.field_folder", lambda: folder)
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def as_mesh(shape) -> dt.Mesh:
    surface = shape.surface()
    return dt.Mesh(surface.vertices, surface.faces)


def roof(length: float, width: float, height: float) -> dt.Mesh:
    """A prism whose knife edge lies along x at z = 0, below its back."""
    x, y = length / 2, width / 2
    corners = [[s * x, 0, 0] for s in (-1, 1)]
    corners += [[s * x, t * y, height] for s in (-1, 1) for t in (-1, 1)]
    faces = [[0, 3, 2], [1, 4, 5], [2, 3, 5], [2, 5, 4], [0, 2, 4], [0, 4, 1], [0, 1, 5], [0, 5, 3]]
    return dt.Mesh(corners, faces)


def pushed_apart(a, b, apart, turn, resolution: int = 64) -> np.ndarray:
    """Force [N] on the second of two bodies with linear springs, for each distance along z."""
    forces = []
    for z in apart:
        scene = dt.Scene()
        scene.add_body("a", a, density=1000, motion="static")
        scene.add_body("b", b, density=1000, position=(0.0137, 0.0071, z), rotation=so3.exp(turn))
        model = scene.build()
        law = dt.contact.SDF(stiffness=1e6, exponent=1, damping=0, resolution=resolution)
        forces.append(law.prepare(model).wrenches(initial_state(model))[0][1])
    return np.array(forces)


def ridge(length: float, pieces: int, width: float, height: float) -> dt.Mesh:
    """A prism with its knife edge up along x at z = 0, cut into so many pieces."""
    x = np.linspace(-length / 2, length / 2, pieces + 1)
    ring = np.array([[0, 0], [-width / 2, -height], [width / 2, -height]])
    corners = np.array([[at, y, z] for at in x for y, z in ring])
    faces = [[0, 2, 1], [3 * pieces, 3 * pieces + 1, 3 * pieces + 2]]
    for k in range(0, 3 * pieces, 3):
        for a, b in ((0, 1), (1, 2), (2, 0)):
            faces += [[k + a, k + b, k + 3 + b], [k + a, k + 3 + b, k + 3 + a]]
    mesh = dt.Mesh(corners, faces)
    assert mesh.diagnosis.closed
    return mesh


@pytest.mark.parametrize("pieces", [14, 30])
def test_a_small_knife_on_a_short_edge_of_a_large_one_is_pushed_away(pieces):
    # edges of the large knife are shorter than a twelfth of it, and longer than the small knife
    large, small = ridge(3.0, pieces, 0.1, 0.1), roof(0.04, 0.02, 0.02)
    x = 0.5 * 3.0 / pieces * (pieces % 2 == 0) + 0.0137  # near the middle of an edge
    forces = []
    for depth in (-1e-4, 1e-3, 2e-3):
        scene = dt.Scene()
        scene.add_body("large", large, density=1000, motion="static")
        scene.add_body("small", small, density=1000, rotation=so3.exp([0, 0, 1.3]))
        model = scene.build()
        state = initial_state(model)
        lowest = (small.surface().vertices - model.bodies[1].centre)[:, 2].min()
        state.x[1] = [x, 0.0011, -lowest - depth]
        law = dt.contact.SDF(stiffness=1e6, exponent=1, damping=0, resolution=64)
        forces.append(law.prepare(model).wrenches(state)[0][1])
    forces = np.array(forces)
    assert np.all(forces[0] == 0)
    assert forces[2, 2] > forces[1, 2] > 20  # N; 0 where short edges are left to their corners


def test_a_thin_rib_of_a_large_body_meets_an_edge_between_its_corners():
    # a comb of two blades, 4 mm thin, against a mesh whose edges of 20 mm cross them
    blades = [dt.Placed(dt.Box((0.004, 0.04, 0.07)), position=(at, 0, 0)) for at in (-0.5, 0.5)]
    comb = dt.Compound([*blades, dt.Placed(dt.Box((1.0, 0.06, 0.02)), position=(0, 0, -0.04))])
    knife = ridge(0.4, 20, 0.02, 0.02)
    scene = dt.Scene()
    scene.add_body("knife", knife, motion="static")
    scene.add_body("comb", comb, density=1000, rotation=so3.exp([np.pi, 0, 0]))
    model = scene.build()
    state = initial_state(model)
    tips = 0.035 - float(model.bodies[1].centre[2])
    state.x[1] = [-0.5 + 0.01, 0.011, tips - 5e-4]
    law = dt.contact.SDF(stiffness=1e6, exponent=1, damping=0, resolution=32, thinnest=0.004)
    force = law.prepare(model).wrenches(state)[0][1]
    assert force[2] > 100  # N


@pytest.mark.parametrize("turn", [0.3, np.pi / 4, np.pi / 2])
def test_crossing_knife_edges_are_pushed_apart_wherever_they_cross(turn):
    # a knife pointing up below one pointing down: the edges cross between all vertices
    up = roof(1.0, 0.3, 0.3)
    surface = up.surface()
    upward = dt.Mesh(surface.vertices * [1, -1, -1], surface.faces)
    low = float(upward.surface().vertices[:, 2].max())
    forces = pushed_apart(upward, up, [low + 0.02, low - 0.02, low - 0.04], [0, 0, turn])
    assert np.all(forces[0] == 0)
    assert forces[1, 2] > 0 and forces[2, 2] > forces[1, 2]


def test_an_edge_of_a_turned_box_meets_the_edge_of_another_between_its_samples():
    box = as_mesh(dt.Box((0.5, 0.05, 0.05)))
    diagonal = 0.05 * np.sqrt(2)
    scene_turn = so3.exp([np.pi / 4, 0, 0])  # lies on its edge
    surface = box.surface()
    edged = dt.Mesh(surface.vertices @ scene_turn.T, surface.faces)
    forces = pushed_apart(edged, edged, [diagonal + 2e-3, diagonal - 3e-3], [0, 0, 1.3], 96)
    assert np.all(forces[0] == 0)
    assert forces[1, 2] > 0
    assert abs(forces[1, 2]) > 3 * np.linalg.norm(forces[1, :2])


def test_a_knife_that_falls_on_a_knife_does_not_pass_it():
    up = roof(1.0, 0.3, 0.3)
    surface = up.surface()
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("lower", dt.Mesh(surface.vertices * [1, -1, -1], surface.faces), motion="static")
    scene.add_body(
        "upper", up, density=1000, position=(0.013, 0.007, 0.005),
        rotation=so3.exp([0, 0, 1.2]), velocity=(0, 0, -1),
    )  # fmt: skip
    law = dt.contact.SDF(restitution=0.5, resolution=64)
    result = dt.simulate(scene, 0.06, 1e-4, contact=law, every=20)
    assert result.contacts.count.max() > 0
    assert result.velocity("upper")[:, 2].max() > 0  # thrown back
    assert -result.min_distance.min() < 0.01  # never deeper than 1 % of its length


def test_a_body_coming_from_far_outside_the_grid_meets_the_surface_where_it_is():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("block", as_mesh(dt.Box((0.2, 0.2, 0.2))), motion="static")
    ball = dt.Sphere(0.05)
    scene.add_body("ball", ball, density=1000, position=(0.03, 0.02, 0.6), velocity=(0, 0, -10))
    law = dt.contact.SDF(restitution=1, stiffness=1e9, resolution=32)
    result = dt.simulate(scene, 0.09, 2e-5, contact=law, every=5)
    z = result.position("ball")[:, 2]
    assert result.velocity("ball")[-1, 2] == pytest.approx(10, rel=0.02)
    # it turned back within the depth that its energy makes
    assert 0.15 - z.min() < 0.005


@pytest.mark.filterwarnings("ignore::dovetail.collision.sdf.OpenMeshWarning")
def test_a_box_without_a_lid_still_holds_a_ball_on_its_walls():
    surface = dt.Box((0.2, 0.2, 0.2)).surface()
    middle = surface.vertices[surface.faces].mean(axis=1)
    open_box = dt.Mesh(surface.vertices, surface.faces[middle[:, 2] < 0.099])
    with pytest.warns(dt.sdf.OpenMeshWarning, match="not closed"):
        dt.sdf.build(open_box, 32, cache=False)
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("block", open_box, motion="static")
    scene.add_body(
        "ball", dt.Sphere(0.05), density=1000, position=(0.16, 0.01, 0.02), velocity=(-1, 0, 0)
    )
    law = dt.contact.SDF(restitution=0.8, stiffness=1e8, resolution=48)
    result = dt.simulate(scene, 0.03, 5e-5, contact=law, every=20)
    assert result.velocity("ball")[-1, 0] == pytest.approx(0.8, rel=0.03)
