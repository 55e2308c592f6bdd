"""Fields on grids against exact distances."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.collision.sdf.building import surface_points
from dovetail.collision.sdf.distance_mesh import exact_distance
from dovetail.collision.sdf.mesh_distance import nearest_of_all

TORUS = dt.Torus(0.5, 0.2)
L_SHAPE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]  # one reflex edge


def l_beam() -> dt.Mesh:
    """A prism over an L: convex, reflex and right-angled edges and their corners."""
    n = len(L_SHAPE)
    vertices = [(x, y, z) for z in (0.0, 1.0) for x, y in L_SHAPE]
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [(a, c, b) for a, b, c in caps] + [(a + n, b + n, c + n) for a, b, c in caps]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, j + n), (i, j + n, i + n)]
    return dt.Mesh(np.array(vertices), np.array(faces))


def inside_l(p: np.ndarray) -> np.ndarray:
    x, y, z = p.T
    return (z > 0) & (z < 1) & (x > 0) & (y > 0) & (((x < 2) & (y < 1)) | ((x < 1) & (y < 2)))


@pytest.fixture(scope="module")
def torus() -> dt.sdf.Field:
    return dt.sdf.build(TORUS, 48, cache=False)


def test_nodes_carry_the_exact_distance_of_the_triangles(torus):
    nodes = np.argwhere(np.ones(torus.arrays.values.shape, bool))[::17]
    points = np.array(torus.arrays.origin) + torus.spacing * nodes
    exact = exact_distance(TORUS.surface())
    stored = torus.arrays.values[tuple(nodes.T)]
    np.testing.assert_allclose(stored, exact.value(points), rtol=1e-6, atol=1e-9)
    for i in range(0, len(points), 199):
        squared = nearest_of_all(exact.arrays, tuple(points[i].tolist()))[0]
        assert abs(np.sqrt(squared) - abs(stored[i])) < 1e-7


@pytest.mark.parametrize("shape", [TORUS, l_beam(), dt.Cone(0.3, 0.8)], ids=["torus", "L", "cone"])
def test_distances_and_signs_agree_with_libigl(shape):
    igl = pytest.importorskip("igl", reason="libigl is a peer of the tests")
    surface = shape.surface()
    lower, upper = surface.bounds
    points = np.random.default_rng(1).uniform(lower - 0.5, upper + 0.5, (4000, 3))
    theirs = igl.signed_distance(
        points, np.array(surface.vertices), np.array(surface.faces),
        sign_type=igl.SIGNED_DISTANCE_TYPE_PSEUDONORMAL,
    )[0]  # fmt: skip
    ours = exact_distance(surface)
    np.testing.assert_allclose(ours.value(points), theirs, atol=1e-14)
    np.testing.assert_allclose(ours.by_windings().value(points), theirs, atol=1e-14)


def test_signs_are_right_next_to_edges_and_vertices():
    mesh = l_beam()
    random = np.random.default_rng(2)
    vertices = mesh.surface().vertices
    ends = vertices[mesh.surface().edges]
    along = ends[:, 0] + random.random((40, len(ends), 1)) * (ends[:, 1] - ends[:, 0])
    near = np.concatenate([along.reshape(-1, 3), np.repeat(vertices, 60, axis=0)])
    near += random.normal(size=near.shape) * 10.0 ** random.uniform(-9, -2, (len(near), 1))
    exact = exact_distance(mesh.surface())
    np.testing.assert_array_equal(exact.value(near) < 0, inside_l(near))


def test_gradient_is_the_derivative_of_the_value_inside_and_outside_the_grid(torus):
    lower, upper = torus.bounds
    points = np.random.default_rng(3).uniform(lower - 1, upper + 1, (2000, 3))
    step = 1e-7
    cells = (points - lower) / torus.spacing
    smooth = np.all(np.abs(cells - np.round(cells)) > 1e-5, axis=1)  # not across a cell's wall
    assert smooth.sum() > 1900
    for axis in range(3):
        d = np.zeros(3)
        d[axis] = step
        slope = (torus.value(points + d) - torus.value(points - d)) / (2 * step)
        np.testing.assert_allclose(torus.gradient(points)[smooth, axis], slope[smooth], atol=1e-6)


def test_outside_the_grid_the_value_is_the_distance_to_the_box_plus_the_value_there(torus):
    lower, upper = torus.bounds
    far = np.random.default_rng(4).normal(size=(500, 3)) * 1e3
    nearest = np.clip(far, lower, upper)
    away = np.linalg.norm(far - nearest, axis=1)
    np.testing.assert_allclose(torus.value(far), away + torus.value(nearest), rtol=1e-12)
    exact = exact_distance(TORUS.surface()).value(far)
    assert np.all(torus.value(far) >= exact * (1 - 1e-6))


def test_error_falls_with_the_spacing_and_bounds_the_field_on_the_surface():
    points = surface_points(TORUS.surface(), 3000, seed=9)
    errors = []
    for cells in (24, 48, 96):
        field = dt.sdf.build(TORUS, cells, cache=False)
        errors.append(field.error)
        assert np.abs(field.value(points)).max() <= 1.2 * field.error
    rates = np.array(errors[:-1]) / np.array(errors[1:])
    assert np.all(rates > 2.0), errors  # order 2 on smooth parts, 1 on the torus' flat edges


def test_normals_have_length_one_and_point_outward(torus):
    points = surface_points(TORUS.surface(), 500)
    normal = torus.normal(points)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, rtol=1e-12)
    ring = points * [1, 1, 0]
    outward = points - 0.5 * ring / np.linalg.norm(ring, axis=1)[:, None]
    assert np.all(np.einsum("ij,ij->i", normal, outward) > 0.9 * 0.2 * 0.95)


def test_a_field_of_256_cells_cubed_takes_less_than_200_megabytes():
    field = dt.sdf.build(dt.Box((1, 1, 1)), 32, cache=False)
    per_node = field.nbytes / field.arrays.values.size
    assert per_node * 257**3 < 200e6


def test_the_number_of_threads_does_not_change_a_bit():
    one = dt.sdf.build(TORUS, 20, cache=False, threads=1).arrays.values
    three = dt.sdf.build(TORUS, 20, cache=False, threads=3).arrays.values
    np.testing.assert_array_equal(one, three)


def test_a_field_is_found_again_in_the_cache_and_rebuilt_when_damaged(tmp_path):
    seen: list[int] = []

    def build(cells: int = 16) -> dt.sdf.Field:
        return dt.sdf.build(TORUS, cells, cache=tmp_path, progress=lambda k, n: seen.append(k))

    first = build()
    work = len(seen)
    assert work > 0 and seen[-1] == len(first.arrays.values)
    again = build()
    assert len(seen) == work
    assert again.error == first.error and again.spacing == first.spacing
    np.testing.assert_array_equal(again.arrays.values, first.arrays.values)
    (stored,) = tmp_path.glob("*.npz")
    stored.write_bytes(stored.read_bytes()[:500])
    build()
    assert len(seen) == 2 * work
    build(17)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_mesh_with_a_hole_is_reported_and_has_a_field():
    surface = TORUS.surface()
    holed = dt.Mesh(surface.vertices, surface.faces[5:])
    with pytest.warns(dt.sdf.OpenMeshWarning, match="not closed"):
        field = dt.sdf.build(holed, 32, cache=False)
    assert not field.closed and field.by_windings
    whole = dt.sdf.build(TORUS, 32, cache=False)
    same = np.abs(field.arrays.values - whole.arrays.values) < 1e-6
    assert same.mean() > 0.98


def test_a_closed_mesh_that_cuts_itself_gets_its_signs_from_winding_numbers():
    one = dt.Box((1, 1, 1)).surface()
    n = len(one.vertices)
    both = dt.Mesh(
        np.concatenate([one.vertices, one.vertices * 0.8 + [0.5, 0.1, 0.07]]),
        np.concatenate([one.faces, one.faces + n]),
    )
    field = dt.sdf.build(both, 40, cache=False)
    assert field.closed and field.by_windings
    points = np.random.default_rng(5).uniform(-1, 1.2, (3000, 3))
    inside = np.all(np.abs(points) < 0.5, axis=1)
    inside |= np.all(np.abs(points - [0.5, 0.1, 0.07]) < 0.4, axis=1)
    clear = np.abs(field.value(points)) > field.spacing
    np.testing.assert_array_equal(field.value(points)[clear] < 0, inside[clear])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"resolution": 3}, "`resolution` must be 8 to 2048"),
        ({"spacing": -1.0}, "`spacing`"),
        ({"spacing": 1e-6}, "nodes for a part"),
    ],
)
def test_mistakes_are_reported(arguments, message):
    with pytest.raises(dt.InputError, match=message):
        dt.sdf.build(TORUS, cache=False, **arguments)
    with pytest.raises(dt.InputError, match="`mesh` must be"):
        dt.sdf.build(7)


@pytest.mark.slow
def test_the_horse_has_its_field_in_seconds(shared_data):
    horse = dt.Mesh(shared_data / "meshes" / "horse.ply")
    field = dt.sdf.build(horse, 128, cache=False)
    exact = exact_distance(horse.surface()).by_windings()
    points = np.random.default_rng(6).uniform(*field.bounds, (4000, 3))
    # trilinear values are averages of distances at most sqrt(3)/2 cells away
    assert np.abs(field.value(points) - exact.value(points)).max() < 0.87 * field.spacing
    assert field.error < 0.5 * field.spacing
