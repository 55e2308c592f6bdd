"""Open meshes: nothing is guessed, and every choice gives the right mass."""

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose

import dovetail as dt
from dovetail.errors import InputError
from dovetail.io import load_scene, save_scene
from dovetail.linalg.lie import so3
from dovetail.model.shapes.filling import filled_by_winding

PLACE = np.array([3.0, -2.0, 5.0])
TURN = so3.exp(np.array([0.3, -0.5, 0.7]))


def cut_ball(height=0.8, segments=48):
    """A unit ball without what is above `height`, placed somewhere."""
    ball = dt.Sphere(1.0, segments).surface()
    keep = ball.vertices[ball.faces][:, :, 2].max(axis=1) < height
    return ball.vertices @ TURN.T + PLACE, ball.faces[keep]


def open_box():
    """A 1 x 2 x 3 m box without one face."""
    box = dt.Box((1, 2, 3)).surface()
    top = np.all(np.isclose(box.vertices[box.faces][:, :, 2], 1.5), axis=1)
    return box.vertices, box.faces[~top]


def mass_of(mesh, **options):
    scene = dt.Scene()
    return scene.add_body("a", mesh, **options)


@pytest.mark.parametrize("options", [{"density": 7850}, {}], ids=["density", "default density"])
def test_an_open_mesh_with_a_density_is_refused_with_the_choices(options):
    with pytest.raises(InputError, match="is open") as caught:
        _ = mass_of(dt.Mesh(*open_box()), **options).mass
    for choice in ("fill='holes'", "fill='winding'", "fill='hull'", "shell=0.002", "shell=True",
                   "`mass`", "4 boundary edges", "m^2"):  # fmt: skip
        assert choice in str(caught.value)


def test_an_open_mesh_is_not_refused_where_its_mass_is_given_or_plays_no_part():
    mesh = dt.Mesh(*open_box())
    assert mass_of(mesh, mass=3.0).mass == 3.0
    assert mass_of(mesh, density=1000, motion="static").motion == "static"


def test_an_open_part_of_a_compound_is_refused_unless_it_has_no_weight():
    compound = dt.Compound([dt.Box((1, 1, 1)), dt.Placed(dt.Mesh(*open_box()), weight=0)])
    assert mass_of(compound, density=2.0).mass == pytest.approx(2.0)
    with pytest.raises(InputError, match="is open"):
        _ = mass_of(dt.Compound([dt.Mesh(*open_box())]), density=2.0).mass


def test_triangles_that_share_no_vertices_are_distinguished_from_holes():
    ball = dt.Sphere(1.0, 16).surface()
    soup = dt.Mesh(ball.vertices[ball.faces.ravel()], np.arange(3 * len(ball.faces)).reshape(-1, 3))
    with pytest.raises(InputError, match=f"number each of the {len(ball.vertices)} places once"):
        _ = mass_of(soup, density=1.0).mass


def test_filled_box_without_a_face_has_the_mass_of_the_whole_box():
    for fill, tolerance in (("holes", 1e-12), ("hull", 1e-12), ("winding", 1e-4)):
        body = mass_of(dt.Mesh(*open_box(), fill=fill), density=100.0)
        assert body.mass == pytest.approx(600.0, rel=tolerance)
        assert_allclose(
            body.inertia, np.diag([650.0, 500.0, 250.0]), rtol=10 * tolerance, atol=1e-3
        )
        assert_allclose(body.checked.centre, 0.0, atol=1e-3)


def test_filled_ball_equals_the_convex_hull_of_trimesh():
    vertices, faces = cut_ball()
    hull = trimesh.convex.convex_hull(vertices[np.unique(faces)])
    for fill, tolerance in (("holes", 1e-9), ("hull", 1e-9), ("winding", 2e-3)):
        found = dt.Mesh(vertices, faces, fill=fill).mass_properties()
        assert found.measure == pytest.approx(hull.volume, rel=tolerance)
        assert_allclose(found.centre, hull.center_mass, atol=tolerance * 10)
        assert_allclose(found.inertia, hull.moment_inertia, atol=5 * tolerance)


def test_winding_of_a_closed_surface_gives_its_exact_integrals():
    ball = dt.Sphere(1.0, 32).surface()
    exact = dt.Mesh(ball.vertices, ball.faces).mass_properties()
    found = filled_by_winding(ball.vertices, ball.faces)
    assert found.measure == pytest.approx(exact.measure, rel=2e-4)
    assert_allclose(found.inertia, exact.inertia, rtol=2e-4, atol=1e-6)


def test_faces_that_point_inward_are_filled_all_the_same():
    vertices, faces = open_box()
    for fill in ("holes", "winding"):
        found = dt.Mesh(vertices, faces[:, ::-1], fill=fill).mass_properties()
        assert found.measure == pytest.approx(6.0, rel=1e-4)


def test_shell_is_a_sheet_by_area_or_by_thickness():
    vertices, faces = open_box()
    area = 22.0 - 2.0  # without the 1 x 2 face
    assert mass_of(dt.Mesh(vertices, faces, shell=True), density=4.0).mass == pytest.approx(80)
    thick = mass_of(dt.Mesh(vertices, faces, shell=0.002), density=7850)
    assert thick.mass == pytest.approx(7850 * 0.002 * area)
    by_area = mass_of(dt.Mesh(vertices, faces, shell=True), mass=thick.mass)
    assert_allclose(thick.inertia, by_area.inertia, rtol=1e-12)


def test_shell_makes_a_closed_surface_hollow():
    ball = dt.Sphere(1.0, 64).surface()
    hollow = mass_of(dt.Mesh(ball.vertices, ball.faces, shell=True), mass=1.0)
    assert_allclose(np.diag(hollow.inertia), 2 / 3, rtol=1e-2)  # of a thin spherical shell
    solid = mass_of(dt.Mesh(ball.vertices, ball.faces), mass=1.0)
    assert_allclose(np.diag(solid.inertia), 2 / 5, rtol=1e-2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fill": "hul"}, "must be one of holes, winding, hull, got 'hul'; did you mean 'hull'"),
        ({"fill": 3}, "must be one of holes, winding, hull"),
        ({"shell": -0.1}, "must be > 0 m"),
        ({"shell": False}, "must be True or a thickness"),
        ({"shell": True, "fill": "hull"}, "`shell` or `fill` of Mesh, not both"),
    ],
)
def test_wrong_choices_are_reported(options, message):
    with pytest.raises(InputError) as caught:
        _ = mass_of(dt.Mesh(*open_box(), **options), density=1.0).mass
    assert message in str(caught.value)


def test_choices_are_written_to_scene_files_and_read_in_their_units(tmp_path):
    scene = dt.Scene()
    scene.add_body("hull", dt.Mesh(*open_box(), fill="hull"), density=10)
    scene.add_body("sheet", dt.Mesh(*open_box(), shell=0.002), density=7850, position=(9, 0, 0))
    save_scene(scene, tmp_path / "scene.yaml")
    again = load_scene(tmp_path / "scene.yaml").scene
    for name in ("hull", "sheet"):
        assert again.bodies[name].mass == pytest.approx(scene.bodies[name].mass, rel=1e-12)
    text = """
version: 1
units: {length: mm, mass: g}
bodies:
  - name: sheet
    shape: {mesh: {vertices: [[0, 0, 0], [100, 0, 0], [0, 100, 0]], faces: [[0, 1, 2]]}, shell: 2}
    density: 0.00785
"""
    (tmp_path / "mm.yaml").write_text(text)
    sheet = load_scene(tmp_path / "mm.yaml").scene.bodies["sheet"]
    assert sheet.mass == pytest.approx(7850 * 0.002 * 0.005)


def _stl(path, vertices, faces, noise=0.0, scale=1.0):
    """A binary STL of single floats, each corner off by `noise` of its last digit."""
    rng = np.random.default_rng(3)
    corners = (scale * vertices[faces]).astype(np.float32)
    off = rng.integers(-1, 2, corners.shape) * (noise > 0)
    corners = np.nextafter(corners, np.where(off > 0, np.inf, -np.inf).astype(np.float32),
                           where=off != 0, out=corners)  # fmt: skip
    rows = np.zeros(len(faces), [("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    rows["v"] = corners
    path.write_bytes(b"\0" * 80 + np.uint32(len(faces)).tobytes() + rows.tobytes())


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("far", [0.0, 20.0], ids=["at the origin", "far from it"])
def test_vertices_that_differ_in_the_last_digit_are_joined(tmp_path, scale, far):
    ball = dt.Sphere(1.0, 24).surface()
    _stl(tmp_path / "ball.stl", ball.vertices + far, ball.faces, noise=1.0, scale=scale)
    mesh = dt.Mesh(tmp_path / "ball.stl")
    assert mesh.diagnosis.closed and mesh.diagnosis.welded
    exact = dt.Mesh(ball.vertices, ball.faces).mass_properties().measure * scale**3
    assert mesh.mass_properties().measure == pytest.approx(exact, rel=1e-4)


def test_a_narrow_gap_is_not_welded_shut(tmp_path):
    """Two plates 1e-4 of their size apart stay two plates."""
    plate = dt.Box((1, 1, 1e-4)).surface()
    _stl(tmp_path / "plate.stl", plate.vertices, plate.faces, noise=0.0)
    mesh = dt.Mesh(tmp_path / "plate.stl")
    assert mesh.diagnosis.closed
    assert mesh.mass_properties().measure == pytest.approx(1e-4, rel=1e-5)
    box = dt.Box((1, 1, 1e-4)).surface()
    lid = np.all(np.isclose(box.vertices[box.faces][:, :, 2], 0.5e-4), axis=1)
    _stl(tmp_path / "open.stl", box.vertices, box.faces[~lid], noise=1.0)
    assert not dt.Mesh(tmp_path / "open.stl").diagnosis.closed


def test_real_meshes_are_closed_as_trimesh_says_or_refused(shared_data):
    for path in sorted((shared_data / "meshes").iterdir()):
        mesh = dt.Mesh(path)
        theirs = trimesh.load_mesh(path, process=True)
        if theirs.is_watertight:
            assert mesh.diagnosis.closed
            assert mesh.mass_properties().measure == pytest.approx(abs(theirs.volume), rel=1e-6)
        else:
            with pytest.raises(InputError, match="is open"):
                _ = mass_of(mesh, density=1000).mass


def test_the_bunny_weighs_what_it_holds(shared_data):
    """0.755 litres; counted as a sheet per m^2 it was fifty times as heavy."""
    bunny = dt.Mesh(shared_data / "meshes" / "stanford-bunny.obj")
    holes, winding = (
        bunny.weighed(fill=fill).mass_properties().measure for fill in ("holes", "winding")
    )
    assert holes == pytest.approx(7.55e-4, rel=1e-3)
    assert winding == pytest.approx(holes, rel=1e-3)
