"""Each example extension does what its equation says."""

import numpy as np
import pytest
import trimesh

import dovetail as dt
from dovetail.io import load_scene


def test_sphere_on_a_quadratic_penalty_settles_at_weight_over_stiffness():
    from quadratic_penalty_potential import settled_depth

    depth, expected, result = settled_depth(stiffness=1e4, mass=2.0)
    assert depth == pytest.approx(expected, rel=1e-9)
    total = result.energy["total"]
    assert np.diff(total).max() <= 1e-12 * total[0]  # implicit Euler never gains energy
    assert np.array_equal(result.contacts.at(len(total) - 1).bodies, [[1, 0]])


def test_spheres_on_a_quadratic_penalty_push_each_other_with_equal_forces():
    from quadratic_penalty_potential import QuadraticPenalty

    scene = dt.Scene()
    for name, x, v in (("a", 0.0, 1.0), ("b", 0.25, -1.0)):
        scene.add_body(name, dt.Sphere(0.1), mass=1.0, position=(x, 0.01, 0), velocity=(v, 0, 0))
    result = dt.simulate(scene, 0.3, 1e-3, contact=QuadraticPenalty(1e4))
    momentum = result.momentum["linear"]
    assert np.abs(momentum - momentum[0]).max() < 1e-9
    assert result.velocity("a")[-1, 0] < -0.5 < 0.5 < result.velocity("b")[-1, 0]


def test_projected_gauss_seidel_agrees_with_the_packages_own_solver():
    from second_impulse_law import ProjectedGaussSeidel, sliding_block

    ours, theirs = sliding_block(dt.contact.LCP), sliding_block(ProjectedGaussSeidel)
    assert np.abs(ours.velocity("block") - theirs.velocity("block")).max() < 1e-8
    g, t, h = 9.81, 0.5, 2e-3
    displacement = g * (np.sin(0.3) - 0.2 * np.cos(0.3)) * t * (t + h) / 2  # of semi-implicit Euler
    assert theirs.position("block")[-1, 0] == pytest.approx(displacement, rel=1e-6)


def test_rounded_box_has_the_mass_properties_of_its_surface_as_that_gets_finer():
    from rounded_box import RoundedBox

    errors = []
    for segments in (32, 64, 128):
        shape = RoundedBox((0.2, 0.3, 0.1), 0.03, segments)
        surface, exact = shape.surface(), shape.mass_properties()
        mesh = trimesh.Trimesh(surface.vertices, surface.faces, process=False)
        assert mesh.is_watertight
        assert mesh.volume > 0
        meshed = dt.Mesh(surface.vertices, surface.faces).mass_properties()
        difference = np.abs(np.diag(meshed.inertia) / np.diag(exact.inertia) - 1).max()
        errors.append(max(abs(meshed.measure / exact.measure - 1), difference))
    assert errors[2] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)  # second order in the angle
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.1)


@pytest.mark.parametrize(
    ("contact", "step"),
    [
        (dt.contact.LCP(), 2e-3),
        (dt.contact.IPC(), 1e-2),
        (dt.contact.SDF(stiffness=1e7, restitution=0.2, shared=True), 2e-4),
    ],
    ids=["lcp", "ipc", "sdf"],
)
def test_rounded_box_comes_to_lie_flat_under_every_method(contact, step):
    from rounded_box import scene

    result = dt.simulate(scene(), 0.6, step, contact=contact)
    height = result.position("box")[-1, 2]
    assert height == pytest.approx(0.05, abs=3e-4)


def test_rounded_box_is_saved_loaded_drawn_and_exported(tmp_path):
    from rounded_box import RoundedBox, scene

    made = scene()
    made.save(tmp_path / "box.yaml")
    assert "rounded-box: {size: [0.2, 0.2, 0.1], radius: 0.02}" in (
        (tmp_path / "box.yaml").read_text()
    )
    again = dt.Scene.load(tmp_path / "box.yaml")
    assert isinstance(again.bodies["box"].given.shape, RoundedBox)
    assert again.bodies["box"].mass == made.bodies["box"].mass
    result = dt.simulate(made, 0.02, 0.01)
    result.save(tmp_path / "box.h5")
    loaded = dt.load(tmp_path / "box.h5")
    assert np.array_equal(loaded.scene.bodies["box"].vertices, made.bodies["box"].vertices)
    for ending in ("html", "glb", "usda", "vtkhdf", "csv", "gif"):
        assert loaded.export(tmp_path / f"box.{ending}").stat().st_size > 0


def test_rounded_box_in_millimetres_is_a_thousandth_in_metres(tmp_path):
    import rounded_box  # noqa: F401

    path = tmp_path / "mm.yaml"
    path.write_text(
        "version: 1\nunits: {length: mm}\nbodies:\n"
        "  - {name: a, shape: {rounded-box: {size: [200, 100, 100], radius: 20}, segments: 8}}\n"
    )
    shape = load_scene(path).scene.bodies["a"].given.shape
    assert shape.size == [0.2, 0.1, 0.1]
    assert (shape.radius, shape.segments) == (0.02, 8)


@pytest.mark.parametrize("e", [0.95, 0.6])
def test_lankarani_nikravesh_rebounds_as_its_energy_integral_says(e):
    from lankarani_nikravesh import bounce, rebound

    assert bounce(e) == pytest.approx(rebound(e), abs=2e-6)


def test_normal_force_and_friction_in_numpy_agree_with_the_compiled_law():
    def run(contact):
        scene = dt.Scene(gravity=(3, 0, -9.81))
        scene.add_body("floor", dt.HalfSpace(), motion="static")
        scene.add_body(
            "ball",
            dt.Sphere(0.05),
            density=1000,
            position=(0, 0, 0.051),
            angular_velocity=(0, 3, 1),
        )
        return dt.simulate(scene, 0.05, 1e-4, contact=contact, integrator="LieVerlet")

    numbers = {"stiffness": 1e6, "restitution": 0.5}
    friction = (0.3, 0.2, 1e-3, 1e-2)
    curve = {"smooth-coulomb": dict(zip(("mu_s", "mu_d", "v_s", "v_d"), friction))}
    compiled = run(dt.contact.SDF(friction=friction, **numbers))
    in_numpy = run(dt.contact.SDF(friction=curve, normal_force={"hertz": numbers}))
    for quantity in ("position", "velocity", "angular_velocity"):
        ours, theirs = (getattr(r, quantity)("ball") for r in (compiled, in_numpy))
        assert np.abs(ours - theirs).max() < 1e-11
    assert np.abs(compiled.energy["contact"] - in_numpy.energy["contact"]).max() < 1e-12


@pytest.mark.parametrize(
    ("method", "step", "error"), [("LCP", 1e-3, 5e-4), ("SDF", 2e-4, 2e-4)], ids=["lcp", "sdf"]
)
def test_stribeck_friction_slows_a_block_as_its_equation_says(method, step, error):
    from friction_curve import Stribeck, braked, expected

    curve = Stribeck(0.4, 0.2, 0.5)
    numbers = {"stiffness": 1e6, "restitution": 0.1} if method == "SDF" else {}
    contact = getattr(dt.contact, method)(friction=curve, **numbers)
    time, speeds = braked(contact, step)
    assert speeds[-1] == pytest.approx(expected(curve, time[-1]), abs=error)


def test_symplectic_euler_is_first_order_and_keeps_momentum():
    import integrator  # noqa: F401

    errors = []
    for step in (0.02, 0.01):
        scene = dt.Scene()
        scene.add_body("top", mass=1, inertia=(1, 2, 3), angular_velocity=(1, 2, 0.5))
        result = dt.simulate(scene, 1.0, step, integrator="symplecticeuler")
        fine = dt.simulate(scene, 1.0, 1e-3, integrator="LieVerlet")
        errors.append(np.abs(result.rotation("top")[-1] - fine.rotation("top")[-1]).max())
        momentum = result.momentum["angular"]
        assert np.abs(momentum - momentum[0]).max() < 1e-12
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.1)


def test_ply_sequence_has_a_file_a_frame_with_the_bodies_where_they_are(tmp_path):
    import ply_sequence_exporter  # noqa: F401

    scene = dt.Scene()
    scene.add_body("box", dt.Box((1, 1, 1)), velocity=(1, 0, 0))
    result = dt.simulate(scene, 0.4, 0.1)
    folder = result.export(tmp_path / "box.plyseq", every=2)
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == ["000000.ply", "000002.ply", "000004.ply"]
    mesh = trimesh.load(files[-1], process=False)
    assert mesh.vertices[:, 0].mean() == pytest.approx(0.4, abs=1e-6)


def test_toy_files_are_read_and_their_mistakes_named(tmp_path):
    import toy_reader  # noqa: F401

    path = tmp_path / "scene.toy"
    path.write_text("gravity 0 0 -9.81  # falls\nball a 0.1 1000 0 0 1\nrun 1 0.01\n")
    loaded = load_scene(path)
    assert loaded.run.duration == 1.0
    assert loaded.scene.bodies["a"].mass == pytest.approx(1000 * 4 / 3 * np.pi * 1e-3)
    path.write_text("cube b\n")
    with pytest.raises(dt.InputError, match=r"scene\.toy:1: must be gravity, ball or run"):
        load_scene(path)
