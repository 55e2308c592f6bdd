"""Mass properties against closed forms, laws of scaling and motion, and other libraries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.model import Box, Capsule, Compound, Cone, Cylinder, Mesh, Placed, Sphere, Torus
from random_solids import (
    OCTAHEDRON,
    OCTAHEDRON_FACES,
    TETRAHEDRON,
    TETRAHEDRON_FACES,
    bumpy_ball,
    random_rotation,
)
from rounding import rounding

seeds = st.integers(0, 2**32 - 1)


def assert_close(found, expected, tolerance):
    """Relative to the largest entry."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert np.max(np.abs(found - expected)) <= tolerance * np.max(np.abs(expected))


def test_mesh_of_a_box_has_the_integrals_of_the_box():
    size = np.array([0.3, 2.0, 5.0])
    surface = Box(size).surface()
    found = Mesh(surface.vertices, surface.faces).mass_properties()
    assert found.dimension == 3
    assert_close(found.measure, 3.0, 1e-12)
    assert np.max(np.abs(found.centre)) < rounding(len(surface.faces), size.max())
    assert_close(found.inertia, np.diag([29.0, 25.09, 4.09]) * 3.0 / 12, 1e-12)


def test_mesh_of_a_right_tetrahedron_has_its_closed_form():
    """V = 1/6, c = 1/4, ∫x^2 = 1/60, ∫xy = 1/120 over the unit tetrahedron."""
    found = Mesh(TETRAHEDRON, TETRAHEDRON_FACES).mass_properties()
    second = np.full((3, 3), 1 / 120) + np.eye(3) * (1 / 60 - 1 / 120)
    second -= np.full((3, 3), 1 / 16) / 6
    assert_close(found.measure, 1 / 6, 1e-12)
    assert_close(found.centre, [0.25] * 3, 1e-12)
    assert_close(found.inertia, np.trace(second) * np.eye(3) - second, 1e-12)


def test_mesh_of_an_octahedron_has_its_closed_form():
    """V = 4/3, I = V/5 for vertices at distance 1."""
    moved = OCTAHEDRON + np.array([7.0, -3.0, 2.0])
    found = Mesh(moved, OCTAHEDRON_FACES).mass_properties()
    assert_close(found.measure, 4 / 3, 1e-12)
    assert_close(found.centre, [7.0, -3.0, 2.0], 1e-12)
    assert_close(found.inertia, np.eye(3) * 4 / 15, 1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda n: Sphere(0.7, segments=n),
        lambda n: Cylinder(0.7, 1.9, segments=n),
        lambda n: Capsule(0.7, 1.9, segments=n),
        lambda n: Cone(0.7, 1.9, segments=n),
        lambda n: Torus(1.9, 0.7, segments=n),
    ],
    ids=["sphere", "cylinder", "capsule", "cone", "torus"],
)
def test_fine_triangles_of_a_primitive_approach_its_formulas_at_second_order(make):
    errors = []
    for n in (64, 128):
        shape = make(n)
        assert shape.mistakes() == []
        exact, surface = shape.mass_properties(), shape.surface()
        mesh = Mesh(surface.vertices, surface.faces)
        assert mesh.diagnosis.closed and not mesh.diagnosis.flipped
        found = mesh.mass_properties()
        assert np.max(np.abs(found.centre - exact.centre)) < 1e-12
        errors.append(
            [
                1 - found.measure / exact.measure,
                np.max(np.abs(found.inertia - exact.inertia)) / np.max(exact.inertia),
            ]
        )
    coarse, fine = np.array(errors)
    assert np.all(fine > 0)  # inscribed: always too small
    assert np.all(fine < 0.01)
    assert coarse / fine == pytest.approx([4, 4], rel=0.01)


@pytest.mark.parametrize(
    ("shape", "measure", "moments"),
    [
        (Sphere(2.0), 32 / 3 * np.pi, np.full(3, 0.4 * 4) * 32 / 3 * np.pi),
        (Cylinder(1.0, 3.0), 3 * np.pi, 3 * np.pi * np.array([1.0, 1.0, 0.5])),
        (Cone(2.0, 4.0), 16 / 3 * np.pi, 16 / 3 * np.pi * np.array([1.2, 1.2, 1.2])),
        (Torus(2.0, 1.0), 4 * np.pi**2, 4 * np.pi**2 * np.array([2.625, 2.625, 4.75])),
    ],
    ids=["sphere", "cylinder", "cone", "torus"],
)
def test_primitive_has_the_textbook_value(shape, measure, moments):
    found = shape.mass_properties()
    assert_close(found.measure, measure, 1e-14)
    assert_close(found.inertia, np.diag(moments), 1e-14)


def test_capsule_is_a_cylinder_and_two_half_balls():
    """A capsule whose cylinder vanishes is a ball; a long one approaches its cylinder."""
    ball, tiny = Sphere(0.5).mass_properties(), Capsule(0.5, 1e-13).mass_properties()
    assert_close(tiny.measure, ball.measure, 1e-12)
    assert_close(tiny.inertia, ball.inertia, 1e-12)
    bar, long = Cylinder(0.5, 1e6).mass_properties(), Capsule(0.5, 1e6).mass_properties()
    assert_close(long.inertia, bar.inertia, 5e-6)


@given(seeds)
def test_random_solid_keeps_its_integrals_when_turned_and_moved(seed):
    """Volume stays, c -> R c + x, I -> R I R^T."""
    rng = np.random.default_rng(seed)
    vertices, faces = bumpy_ball(rng)
    rotation, shift = random_rotation(rng), rng.normal(size=3)
    here = Mesh(vertices, faces).mass_properties()
    there = Mesh(vertices @ rotation.T + shift, faces).mass_properties()
    expected = here.moved(rotation, shift)
    assert_close(there.measure, expected.measure, 1e-12)
    assert np.max(np.abs(there.centre - expected.centre)) < 1e-12
    assert_close(there.inertia, expected.inertia, 1e-12)


@given(seeds, st.floats(-6, 6))
def test_integrals_scale_with_the_third_fourth_and_fifth_power(seed, exponent):
    rng = np.random.default_rng(seed)
    vertices, faces = bumpy_ball(rng)
    factor = 10**exponent
    one = Mesh(vertices, faces).mass_properties()
    scaled = Mesh(vertices, faces, scale=factor).mass_properties()
    assert_close(scaled.measure, factor**3 * one.measure, 1e-12)
    assert np.max(np.abs(scaled.centre - factor * one.centre)) < 1e-12 * factor
    assert_close(scaled.inertia, factor**5 * one.inertia, 1e-12)


@given(seeds)
def test_solid_cut_in_two_adds_up_to_the_whole(seed):
    """A box and its two halves as a compound: additivity and the parallel axis theorem."""
    rng = np.random.default_rng(seed)
    size, cut = rng.uniform(0.1, 3, size=3), rng.uniform(0.1, 0.9)
    rotation, shift = random_rotation(rng), rng.normal(size=3)
    parts = []
    for low, high in ((0, cut), (cut, 1)):
        centre = np.array([0, 0, ((low + high) / 2 - 0.5) * size[2]])
        part = Box((size[0], size[1], (high - low) * size[2]))
        parts.append(Placed(part, rotation @ centre + shift, rotation))
    compound = Compound(parts)
    assert compound.mistakes() == []
    found = compound.mass_properties()
    whole = Box(size).mass_properties().moved(rotation, shift)
    assert_close(found.measure, whole.measure, 1e-12)
    assert np.max(np.abs(found.centre - whole.centre)) < 1e-12
    assert_close(found.inertia, whole.inertia, 1e-12)


def test_weights_of_compound_parts_multiply_their_mass():
    parts = [Placed(Box((1, 1, 1)), (-1, 0, 0), weight=3), Placed(Box((1, 1, 1)), (1, 0, 0))]
    found = Compound(parts).mass_properties()
    assert_close(found.measure, 4.0, rounding(8))
    assert_close(found.centre, [-0.5, 0, 0], rounding(8))
    arms = 3 * 0.5**2 + 1 * 1.5**2
    assert_close(found.inertia, np.diag([4 / 6, 4 / 6 + arms, 4 / 6 + arms]), 1e-14)


def test_massless_part_changes_the_surface_only():
    box = Box((1, 2, 3))
    compound = Compound([box, Placed(Mesh([[9.0, 9, 9]]), weight=0)])
    assert compound.mistakes() == []
    assert_close(compound.mass_properties().inertia, box.mass_properties().inertia, rounding(8))
    assert len(compound.surface().vertices) == 9
    assert len(compound.surface().points) == 1


def test_open_plate_is_a_shell():
    """A rectangle a x b of unit mass per m^2: I_x = A b^2 / 12, I_z = I_x + I_y."""
    a, b = 2.0, 3.0
    corners = [[0, 0, 1], [a, 0, 1], [a, b, 1], [0, b, 1]]
    found = Mesh(corners, [[0, 1, 2], [0, 2, 3]]).mass_properties()
    assert found.dimension == 2
    assert_close(found.measure, a * b, 1e-14)
    assert_close(found.centre, [a / 2, b / 2, 1], 1e-14)
    x, y = a * b * b**2 / 12, a * b * a**2 / 12
    assert_close(found.inertia, np.diag([x, y, x + y]), 1e-14)


def test_wire_ring_is_a_hoop():
    """A regular polygon of n sides of length s: I_z = L (R^2 - s^2 / 6) with corner radius R."""
    n, radius = 12, 0.8
    angles = 2 * np.pi * np.arange(n) / n
    ring = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(n)])
    edges = np.column_stack([np.arange(n), (np.arange(n) + 1) % n])
    found = Mesh(ring, edges=edges).mass_properties()
    side = 2 * radius * np.sin(np.pi / n)
    assert found.dimension == 1
    assert_close(found.measure, n * side, 1e-14)
    along = n * side * (radius**2 - side**2 / 6)
    assert_close(found.inertia, np.diag([along / 2, along / 2, along]), 1e-13)


def test_points_count_one_each():
    found = Mesh([[1.0, 0, 0], [-1, 0, 0], [0, 2, 0], [0, -2, 0]]).mass_properties()
    assert (found.dimension, found.measure) == (0, 4.0)
    assert_close(found.inertia, np.diag([8.0, 2.0, 10.0]), rounding(8))


def test_mass_is_that_of_the_faces_where_a_mesh_also_has_edges_and_points():
    vertices = np.concatenate([TETRAHEDRON, [[5.0, 5, 5], [6, 6, 6], [9, 9, 9]]])
    mixed = Mesh(vertices, TETRAHEDRON_FACES, edges=[[4, 5]])
    alone = Mesh(TETRAHEDRON, TETRAHEDRON_FACES).mass_properties()
    assert_close(mixed.mass_properties().centre, alone.centre, rounding(8))
    assert_close(mixed.mass_properties().inertia, alone.inertia, 1e-13)
    assert (mixed.diagnosis.n_free_edges, mixed.diagnosis.n_free_points) == (1, 1)
    assert len(mixed.surface().points) == 1


@pytest.mark.parametrize("name", ["rocker-arm.obj", "horse.ply"])
def test_shared_meshes_agree_with_trimesh(shared_data, name):
    trimesh = pytest.importorskip("trimesh")
    path = shared_data / "meshes" / name
    found = Mesh(path).mass_properties()
    peer = trimesh.load(path, process=False)
    assert_close(found.measure, abs(peer.volume), 1e-10)
    assert np.max(np.abs(found.centre - peer.center_mass)) < 1e-10
    assert_close(found.inertia, np.sign(peer.volume) * peer.moment_inertia, 1e-9)


def test_rigid_ipc_meshes_agree_with_libigl(shared_data):
    """Volume and centre of every closed mesh of the fixtures, and what kind each one is."""
    igl = pytest.importorskip("igl")
    files = sorted((shared_data / "rigid-ipc/meshes").glob("*.obj"))
    assert files
    solids = 0
    for file in files:
        mesh = Mesh(file)
        assert mesh.mistakes() == []
        if not mesh.diagnosis.closed:
            continue
        solids += 1
        found = mesh.mass_properties()
        surface = mesh.surface()
        centre, volume = igl.centroid(np.array(surface.vertices), np.array(surface.faces))
        assert_close(found.measure, volume, 1e-9)
        assert np.max(np.abs(found.centre - np.ravel(centre))) < 1e-9 * max(surface.bounds[1])
    assert solids >= 10
