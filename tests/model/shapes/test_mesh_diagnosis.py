"""What is found in a mesh, and that its surface faces outward afterwards."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from dovetail.model import Box, Mesh, Scene, Sphere
from dovetail.model.shapes.winding import winding_number
from random_solids import TETRAHEDRON, TETRAHEDRON_FACES, bumpy_ball
from rounding import rounding


def box(size=(1, 1, 1), shift=(0, 0, 0)):
    surface = Box(size).surface()
    return surface.vertices + np.asarray(shift, dtype=float), np.array(surface.faces)


def together(*meshes):
    offsets = np.cumsum([0] + [len(v) for v, _ in meshes])
    vertices = np.concatenate([v for v, _ in meshes])
    return vertices, np.concatenate([f + o for (_, f), o in zip(meshes, offsets)])


def signed_volume(mesh):
    a, b, c = (mesh.surface().vertices[mesh.surface().faces[:, k]] for k in range(3))
    return np.sum(a * np.cross(b, c)) / 6


def test_clean_box_has_nothing_to_report():
    found = Mesh(*box()).diagnosis
    assert found.findings() == []
    assert (found.n_vertices, found.n_faces, found.components, found.dimension) == (8, 12, 1, 3)
    assert found.closed and found.oriented and not found.flipped


def test_solid_given_inside_out_is_turned_and_flagged():
    vertices, faces = box()
    mesh = Mesh(vertices, faces[:, ::-1])
    assert mesh.diagnosis.flipped
    assert signed_volume(mesh) > 0
    assert mesh.mass_properties().measure == 1.0
    assert "inward" in mesh.diagnosis.findings()[0]


@given(st.integers(0, 2**32 - 1))
@example(100)  # turns exactly half of the faces
def test_randomly_turned_faces_are_made_to_agree_again(seed):
    rng = np.random.default_rng(seed)
    vertices, faces = bumpy_ball(rng)
    wrong = rng.random(len(faces)) < rng.uniform(0, 1)
    mesh = Mesh(vertices, np.where(wrong[:, None], faces[:, ::-1], faces))
    assert mesh.diagnosis.closed and mesh.diagnosis.oriented
    fewest = min(wrong.sum(), (~wrong).sum())
    assert mesh.diagnosis.turned_faces == fewest
    assert mesh.diagnosis.flipped == (2 * wrong.sum() > len(faces))
    expected = Mesh(vertices, faces).mass_properties().measure
    assert np.isclose(signed_volume(mesh), expected, rtol=1e-12)


def test_cavity_stays_a_cavity():
    """A wall facing inward inside a larger solid is a hole, not a mistake."""
    outer, (inner, faces) = box((3, 3, 3)), box()
    mesh = Mesh(*together(outer, (inner, faces[:, ::-1])))
    assert not mesh.diagnosis.flipped
    assert mesh.diagnosis.components == 2
    assert np.isclose(mesh.mass_properties().measure, 27 - 1)


def test_inverted_part_beside_another_is_turned():
    left, (right, faces) = box(), box(shift=(5, 0, 0))
    mesh = Mesh(*together(left, (right, faces[:, ::-1])))
    assert mesh.diagnosis.flipped
    assert np.isclose(mesh.mass_properties().measure, 2)


def test_ball_inside_a_cavity_counts():
    outer, (wall, faces), ball = box((3, 3, 3)), box((2, 2, 2)), box()
    mesh = Mesh(*together(outer, (wall, faces[:, ::-1]), ball))
    assert np.isclose(mesh.mass_properties().measure, 27 - 8 + 1)


def test_whole_hollow_solid_given_inside_out_is_turned_as_a_whole():
    outer, (wall, faces) = box((3, 3, 3)), box((2, 2, 2))
    vertices, every = together(outer, (wall, faces[:, ::-1]))
    mesh = Mesh(vertices, every[:, ::-1])
    assert mesh.diagnosis.flipped
    assert np.isclose(mesh.mass_properties().measure, 27 - 8)
    assert np.isclose(signed_volume(mesh), 27 - 8)


def test_box_without_a_lid_is_an_open_surface_whatever_its_signed_volume():
    vertices, faces = box(shift=(5, 5, 5))
    for order in (faces[:-2], faces[:-2, ::-1]):
        mesh = Mesh(vertices, order)
        assert mesh.diagnosis.dimension == 2
        assert mesh.diagnosis.boundary_edges == 4
        assert np.isclose(mesh.mass_properties().measure, 5)
        assert "per m^2" in mesh.diagnosis.findings()[0]


def test_two_boxes_that_share_an_edge_are_a_solid_with_a_remark():
    vertices, faces = together(box(), box(shift=(1, 1, 0)))
    unique, number = np.unique(vertices, axis=0, return_inverse=True)
    mesh = Mesh(unique, number.ravel()[faces])
    assert mesh.diagnosis.closed
    assert mesh.diagnosis.nonmanifold_edges == 1
    assert np.isclose(mesh.mass_properties().measure, 2)


def test_three_faces_at_an_edge_are_no_solid():
    vertices, faces = box()
    fin = [[0, 1, 8]]
    mesh = Mesh(np.concatenate([vertices, [[-2.0, -2, 0]]]), np.concatenate([faces, fin]))
    assert not mesh.diagnosis.closed and not mesh.diagnosis.oriented
    assert mesh.diagnosis.nonmanifold_edges == 1
    assert mesh.diagnosis.dimension == 2


def test_moebius_strip_has_no_sides():
    n = 12
    angles = 2 * np.pi * np.arange(n) / n
    rim = []
    for side in (-0.3, 0.3):
        r = 1 + side * np.cos(angles / 2)
        rim.append(
            np.column_stack([r * np.cos(angles), r * np.sin(angles), side * np.sin(angles / 2)])
        )
    i = np.arange(n - 1)
    faces = np.concatenate(
        [np.column_stack([i, i + 1, n + i + 1]), np.column_stack([i, n + i + 1, n + i])]
    )
    closing = [[n - 1, n, 0], [n - 1, 0, 2 * n - 1]]
    mesh = Mesh(np.concatenate(rim), np.concatenate([faces, closing]))
    assert not mesh.diagnosis.oriented and not mesh.diagnosis.closed
    assert "which side is outside" in " ".join(mesh.diagnosis.findings())


def test_collapsed_and_repeated_faces_are_dropped_and_counted():
    vertices, faces = box()
    extra = [faces[0], np.roll(faces[1], 1), [0, 0, 1]]
    mesh = Mesh(vertices, np.concatenate([faces, extra]))
    assert (mesh.diagnosis.duplicate_faces, mesh.diagnosis.degenerate_faces) == (2, 1)
    assert mesh.diagnosis.closed and len(mesh.surface().faces) == 12
    assert mesh.mass_properties().measure == 1.0


def test_sliver_that_fills_a_t_junction_is_kept_and_counted():
    vertices = np.concatenate([TETRAHEDRON, [[0.5, 0.5, 0.0]]])
    faces = np.concatenate([TETRAHEDRON_FACES[1:], [[0, 2, 4], [0, 4, 1], [1, 4, 2]]])
    mesh = Mesh(vertices, faces)
    assert mesh.diagnosis.closed
    assert mesh.diagnosis.degenerate_faces == 1
    assert np.isclose(mesh.mass_properties().measure, 1 / 6)


def test_both_sides_of_a_sheet_enclose_nothing():
    """A closed mesh without volume has no mass of its own, but can be static."""
    mesh = Mesh([[0.0, 0, 3], [1, 0, 3], [0.3, 1, 3]], [[0, 1, 2], [0, 2, 1]])
    assert mesh.diagnosis.closed and mesh.mass_properties().measure == 0.0
    scene = Scene()
    scene.add_body("sheet", mesh, motion="static")
    assert np.isinf(scene.build().mass[0])


@given(st.integers(0, 2**32 - 1))
def test_winding_number_separates_inside_from_outside(seed):
    rng = np.random.default_rng(seed)
    vertices, faces = bumpy_ball(rng)
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    assert np.isclose(winding_number(vertices[faces], 0.3 * direction), 1, atol=1e-9)
    assert np.isclose(winding_number(vertices[faces], 1.6 * direction), 0, atol=1e-9)


def test_mirrored_scale_keeps_the_faces_outward():
    vertices, faces = bumpy_ball(np.random.default_rng(1))
    plain, mirrored = Mesh(vertices, faces), Mesh(vertices, faces, scale=(1, -1, 1))
    assert not mirrored.diagnosis.flipped
    assert np.isclose(signed_volume(mirrored), signed_volume(plain), rtol=1e-13)


def test_many_pieces_are_counted():
    mesh = Mesh(*together(*[box(shift=(2 * i, 0, 0)) for i in range(30)]))
    assert mesh.diagnosis.components == 30
    assert np.isclose(mesh.mass_properties().measure, 30)


def test_sphere_triangles_are_nearly_equal():
    """The rings of the ball keep the longest edge below twice the shortest."""
    surface = Sphere(1.0).surface()
    ends = surface.vertices[surface.edges]
    lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    assert lengths.max() < 2 * lengths.min()
    assert np.allclose(np.linalg.norm(surface.vertices, axis=1), 1, rtol=0, atol=rounding(8))
