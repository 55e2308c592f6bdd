"""Contact by distance fields, resolved in time as springs and dampers, against closed forms."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.penalty.law import SdfLaw
from dovetail.linalg.lie import so3
from dovetail.multibody.state import initial_state
from dovetail.simulate import LargeAndSmallSteps

G = 9.81
RESOLVED = dt.integrators.LieVerlet()  # the spring in time; the default solves for the force


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "fields"
    monkeypatch.setattr("dovetail.collision.sdf.building.field_folder", lambda: folder)
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def as_mesh(shape: dt.Box) -> dt.Mesh:
    surface = shape.surface()
    return dt.Mesh(surface.vertices, surface.faces)


def sliders(gap: float, step: float, exponent: float = 1.5) -> dt.Result:
    """Section 4.1 of Zhang, You and Liu 2024: -5 m/s onto a block four times as heavy."""
    large = 4 ** (1 / 3)
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("two", dt.Box((large,) * 3), density=1000)
    start = (1 + large) / 2 + gap
    scene.add_body(
        "one", dt.Box((1, 1, 1)), density=1000, position=(start, 0, 0), velocity=(-5, 0, 0)
    )
    stiffness = 1e6 if exponent == 1 else 1e7
    law = dt.contact.SDF(restitution=1, stiffness=stiffness, exponent=exponent)
    return dt.simulate(scene, 0.03, step, contact=law, every=10, integrator=RESOLVED)


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_sliders_part_at_three_and_minus_two_metres_per_second(exponent):
    result = sliders(0.01, 1e-4, exponent)
    np.testing.assert_allclose(result.velocity("one")[-1], [3, 0, 0], atol=2e-3)
    np.testing.assert_allclose(result.velocity("two")[-1], [-2, 0, 0], atol=5e-4)
    for part in ("linear", "angular"):
        momentum = result.momentum[part]
        assert np.abs(momentum - momentum[0]).max() < 1e-12 * 5000
    assert result.contacts.count.max() > 100
    energy = result.energy["total"]
    assert np.abs(energy / energy[0] - 1).max() < 5e-3
    assert result.energy["contact"].max() > 1000


@pytest.mark.slow
def test_error_of_the_sliders_falls_with_the_square_of_the_step():
    errors = []
    for step in (4e-4, 1e-4, 2.5e-5):
        ends = [sliders(gap, step).velocity("one")[-1, 0] - 3 for gap in (0.01, 0.0107, 0.0113)]
        errors.append(np.sqrt(np.mean(np.square(ends))))
    assert errors[0] / errors[1] > 8 and errors[1] / errors[2] > 8, errors
    assert errors[-1] < 1e-4


def bounced(e: float, shape, floor, height: float, tilt: float = 0.0) -> dt.Result:
    scene = dt.Scene(gravity=(0, 0, 0))
    position = (0, 0, 0) if isinstance(floor, dt.HalfSpace) else (0, 0, -0.1)
    scene.add_body("floor", floor, motion="static", position=position)
    scene.add_body("ball", shape, density=1000, position=(0, 0, height), velocity=(tilt, 0, -1))
    law = dt.contact.SDF(restitution=e, stiffness=2e7, resolution=32)
    return dt.simulate(scene, 0.03, 5e-5, contact=law, every=20, integrator=RESOLVED)


@pytest.mark.parametrize("e", [0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_a_ball_leaves_the_plane_with_the_restitution_requested(e):
    speed = bounced(e, dt.Sphere(0.1), dt.HalfSpace(), 0.101).velocity("ball")[-1, 2]
    assert speed == pytest.approx(e, rel=1e-3)


@pytest.mark.parametrize("e", [0.1, 0.5, 1.0])
def test_a_mesh_leaves_a_mesh_with_the_restitution_requested(e):
    block, slab = as_mesh(dt.Box((0.2, 0.2, 0.2))), as_mesh(dt.Box((0.6, 0.6, 0.2)))
    result = bounced(e, block, slab, 0.101)
    assert result.velocity("ball")[-1, 2] == pytest.approx(e, rel=0.02)
    assert np.abs(result.angular_velocity("ball")[-1]).max() < 1e-9


def on_slope(shape, angle: float, height: float, friction, duration: float = 0.3) -> dt.Result:
    normal = np.array([np.sin(angle), 0, np.cos(angle)])
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("slope", dt.HalfSpace(normal), motion="static")
    scene.add_body(
        "body", shape, density=1000, position=normal * height, rotation=so3.exp([0, angle, 0])
    )
    law = dt.contact.SDF(friction=friction, restitution=0.1)
    return dt.simulate(scene, duration, 2e-4, contact=law, every=25, integrator=RESOLVED)


def speed_down(result: dt.Result, angle: float) -> np.ndarray:
    return result.velocity("body") @ [np.cos(angle), 0, -np.sin(angle)]


def test_a_block_slides_only_above_the_friction_angle():
    angle = np.arctan(0.3)
    block = dt.Box((0.2, 0.2, 0.05))
    slides = speed_down(on_slope(block, angle, 0.025, 0.25), angle)
    half = len(slides) // 2
    pull = (slides[-1] - slides[half]) / (0.3 * (1 - half / (len(slides) - 1)))
    assert pull == pytest.approx(G * (np.sin(angle) - 0.25 * np.cos(angle)), rel=1e-6)
    sticks = speed_down(on_slope(block, angle, 0.025, 0.35), angle)
    # at rest friction needs a creep v < v_s with mu(v) = tan(angle): eq. 38
    assert 0 < sticks[-1] < 1e-3
    assert abs(sticks[-1] - sticks[half]) < 1e-9


def test_a_ball_rolls_down_at_five_sevenths_of_the_pull():
    angle = 0.3
    result = on_slope(dt.Sphere(0.1), angle, 0.1, 0.5)
    speed = speed_down(result, angle)
    half = len(speed) // 2
    pull = (speed[-1] - speed[half]) / (result.time[-1] - result.time[half])
    assert pull == pytest.approx(5 / 7 * G * np.sin(angle), rel=1e-3)
    turning = result.angular_velocity("body")[-1, 1]
    assert turning * 0.1 == pytest.approx(speed[-1], rel=1e-2)


def test_a_tumbling_impact_keeps_linear_and_angular_momentum_with_friction():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("a", dt.Box((0.3, 0.2, 0.1)), density=2000, angular_velocity=(1, 2, 3))
    scene.add_body(
        "b", as_mesh(dt.Box((0.2, 0.2, 0.2))), density=1000, position=(0.3, 0.02, 0.03),
        rotation=so3.exp([0.3, 0.5, 0.1]), velocity=(-2, 0.1, 0), angular_velocity=(0, 5, 1),
    )  # fmt: skip
    law = dt.contact.SDF(friction=0.4, restitution=0.6, resolution=32)
    result = dt.simulate(scene, 0.1, 1e-4, contact=law, every=2, integrator=RESOLVED)
    assert result.contacts.count.max() > 0
    assert np.abs(result.velocity("b")[-1] - result.velocity("b")[0]).max() > 0.5
    for part in ("linear", "angular"):
        momentum = result.momentum[part]
        drift = np.abs(momentum - momentum[0]).max()
        assert drift < 1e-12 * np.linalg.norm(result.momentum["linear"][0])
    assert result.energy["total"][-1] < result.energy["total"][0]


def test_crossed_beams_are_held_though_no_vertex_is_inside():
    scene = dt.Scene(gravity=(0, 0, -G))
    beam = dt.Box((1.0, 0.06, 0.06))
    scene.add_body("lower", beam, density=1000, motion="static")
    scene.add_body(
        "upper", beam, density=1000, position=(0, 0, 0.0601), rotation=so3.exp([0, 0, np.pi / 2])
    )
    result = dt.simulate(
        scene, 0.1, 1e-4, contact=dt.contact.SDF(restitution=0.1, friction=0.3), every=50,
        integrator=RESOLVED,
    )  # fmt: skip
    assert result.position("upper")[-1, 2] == pytest.approx(0.06, abs=0.003)


def test_a_capsule_is_held_along_its_side_and_on_its_end():
    for turn, height in (([0, np.pi / 2, 0], 0.1), ([0, 0, 0], 0.1 + 0.2)):
        scene = dt.Scene(gravity=(0, 0, -G))
        scene.add_body("floor", dt.HalfSpace(), motion="static")
        scene.add_body(
            "bar", dt.Capsule(0.1, 0.4), density=1000, position=(0, 0, height),
            rotation=so3.exp(turn),
        )  # fmt: skip
        law = dt.contact.SDF(restitution=0.1)
        result = dt.simulate(scene, 0.05, 1e-4, contact=law, every=100, integrator=RESOLVED)
        assert result.position("bar")[-1, 2] == pytest.approx(height, abs=1e-3)


def test_contacts_report_bodies_places_normals_forces_and_depths():
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("ball", dt.Sphere(0.1), mass=2.0, position=(0.3, 0, 0.1))
    law = dt.contact.SDF(restitution=0.1)
    result = dt.simulate(scene, 0.3, 1e-4, contact=law, every=1000, integrator=RESOLVED)
    last = result.contacts.at(-1)
    assert last.bodies.tolist() == [[1, 0]]
    np.testing.assert_allclose(last.normals, [[0, 0, 1]])
    np.testing.assert_allclose(last.forces, [[0, 0, 2 * G]], rtol=1e-3)
    np.testing.assert_allclose(last.points, [[0.3, 0, last.gaps[0] / 2]], atol=1e-12)
    assert result.min_distance[-1] == last.gaps[0] < 0
    high = dt.Scene()
    high.add_body("floor", dt.HalfSpace(), motion="static")
    high.add_body("ball", dt.Sphere(0.1), mass=2.0, position=(0, 0, 0.5))
    alone = dt.simulate(high, 0.01, 0.01, contact=law, integrator=RESOLVED)
    np.testing.assert_allclose(alone.min_distance, 0.4)


def test_materials_override_and_groups_pass_through_each_other():
    def speed(**material) -> float:
        scene = dt.Scene(gravity=(0, 0, 0))
        group = material.pop("group", None)
        scene.add_body("wall", dt.Box((1, 1, 1)), motion="static", group=group)
        scene.add_body(
            "ball", dt.Sphere(0.1), density=1000, position=(0, 0, 0.605), velocity=(0, 0, -1),
            group=group,
        )  # fmt: skip
        if material:
            scene.add_material_pair("wall", "ball", **material)
        law = dt.contact.SDF(restitution=0.9, stiffness=2e7)
        result = dt.simulate(scene, 0.02, 1e-4, contact=law, integrator=RESOLVED)
        return float(result.velocity("ball")[-1, 2])

    assert speed() == pytest.approx(0.9, rel=0.01)
    assert speed(restitution=0.4) == pytest.approx(0.4, rel=0.01)
    assert speed(damping=0.0) == pytest.approx(1.0, rel=0.01)
    assert speed(group="ghosts") == -1.0


def test_deep_penetration_is_warned_of_and_too_stiff_contact_refused():
    def drop(stiffness: float, step: float) -> None:
        scene = dt.Scene(gravity=(0, 0, -G))
        scene.add_body("floor", dt.HalfSpace(), motion="static")
        scene.add_body("ball", dt.Sphere(0.1), density=1000, position=(0, 0, 0.1005))
        law = dt.contact.SDF(stiffness=stiffness, restitution=0.5)
        dt.simulate(scene, 0.2, step, contact=law, every=10, integrator=RESOLVED)

    with pytest.warns(dt.contact.PenetrationWarning, match=r"% of the smaller one's size"):
        drop(1e4, 1e-3)
    with pytest.raises(dt.RunError, match="too stiff for a step"):
        drop(1e12, 1e-3)


def test_a_body_that_could_pass_another_within_a_step_is_refused():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("sheet", dt.Box((1, 1, 0.01)), motion="static")
    scene.add_body(
        "ball", dt.Sphere(0.02), density=1000, position=(0, 0, 0.5), velocity=(0, 0, -99)
    )
    with pytest.raises(dt.RunError, match="could pass unseen"):
        dt.simulate(scene, 0.1, 1e-2, contact=dt.contact.SDF(), integrator=RESOLVED)


def test_a_resumed_impact_goes_on_bit_for_bit():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("ball", dt.Sphere(0.1), density=1000, position=(0, 0, 0.1), velocity=(0, 0, -1))
    law = dt.contact.SDF(restitution=0.3, stiffness=2e7)
    stepper = dt.integrators.LieVerlet().start(scene.build(), law)
    for k in range(1, 8):
        stepper.step(k * 1e-4)
    snapshot = {name: np.array(value) for name, value in stepper.snapshot().items()}
    again = dt.integrators.LieVerlet().start(scene.build(), law)
    again.restore(snapshot)
    for k in range(8, 120):
        stepper.step(k * 1e-4)
        again.step(k * 1e-4)
    np.testing.assert_array_equal(stepper.bodies.v, again.bodies.v)
    assert stepper.bodies.v[1, 2] == pytest.approx(0.3, rel=0.01)


def test_large_steps_are_taken_only_while_no_boxes_overlap():
    times = []
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("wall", dt.Box((1, 1, 0.05)), motion="static")
    scene.add_body("ball", dt.Sphere(0.1), density=1000, position=(0, 0, 5), velocity=(0, 0, -10))
    result = dt.simulate(
        scene, 1.0, 1e-2, contact=dt.contact.SDF(restitution=0.5, stiffness=1e9),
        step_control=LargeAndSmallSteps(large=3e-2, small=2e-5),
        on_step=lambda t, state: times.append((t, state.position("ball")[2])),
        integrator=RESOLVED,
    )  # fmt: skip
    assert result.velocity("ball")[-1, 2] == pytest.approx(5, rel=1e-2)
    t, z = np.array(times).T
    steps = np.diff(t)
    near = z[1:] < 0.125
    # the contact of 1 ms takes 50 of the small steps, one more or less by where the first falls
    assert abs(near.sum() - 50) <= 1 and steps[near].max() < 2.1e-5
    assert np.isclose(steps, 3e-2).sum() > 20
    assert len(steps) < 2000


def test_velocity_derivatives_of_the_forces_agree_with_differences():
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("a", dt.Box((1, 1, 1)), density=1000)
    scene.add_body(
        "b", dt.Box((0.7, 0.7, 0.7)), density=1000, position=(0.2, 0.1, 0.83),
        rotation=so3.exp([0.05, 0.03, 0.2]), velocity=(0.3, 0.1, -1),
        angular_velocity=(0.1, 0.2, 0.5),
    )  # fmt: skip
    model = scene.build()
    law = dt.contact.SDF(friction=(0.5, 0.3, 0.2, 0.6), damping=1e6).prepare(model)
    assert isinstance(law, SdfLaw)
    state = initial_state(model)
    law.wrenches(state)
    derivatives = law.velocity_derivatives(state)
    small = 1e-6
    for body in range(2):
        for k in range(6):
            sides = []
            for sign in (1, -1):
                moved = state.copy()
                if k < 3:
                    moved.v[body, k] += sign * small
                else:
                    moved.omega[body] += sign * small * state.R[body].T[:, k - 3]
                sides.append(np.concatenate(law.wrenches(moved), axis=1))
            difference = (sides[0] - sides[1]) / (2 * small)
            np.testing.assert_allclose(
                derivatives[:, :, body, k], difference, atol=1e-5 * np.abs(derivatives).max()
            )


def cut_cube(side: float, pieces: int) -> dt.Mesh:
    from dovetail.validation.reproduce.zhang2024.figure_10 import box_surface

    surface = box_surface(side, pieces)
    return dt.Mesh(surface.vertices, surface.faces)


def test_a_shared_stiffness_does_not_grow_with_the_number_of_samples():
    k = 1e5  # [N/m]
    sunk = {}
    for shared in (False, True):
        for pieces in (4, 20):
            scene = dt.Scene(gravity=(0, 0, -9.81))
            scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
            scene.add_body("cube", cut_cube(0.2, pieces), density=1000, position=(0, 0, 0.0999))
            law = dt.contact.SDF(stiffness=k, exponent=1, restitution=0.1, shared=shared)
            prepared = law.prepare(scene.build())
            forces = []
            for z in (0.0999, 0.0995):
                state = initial_state(scene.build())
                state.x[1, 2] = z
                forces.append(prepared.wrenches(state)[0][1, 2])
            sunk[shared, pieces] = (forces[1] - forces[0]) / 4e-4  # [N/m]
    assert sunk[True, 4] == pytest.approx(k, rel=1e-6)
    assert sunk[True, 20] == pytest.approx(k, rel=1e-6)
    assert sunk[False, 20] == pytest.approx(21**2 * k, rel=1e-6)


@pytest.mark.parametrize("e", [0.3, 0.8])
def test_a_cube_with_a_shared_stiffness_leaves_with_the_restitution_requested(e):
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body(
        "cube", cut_cube(0.2, 6), density=1000, position=(0, 0, 0.101), velocity=(0, 0, -1)
    )
    law = dt.contact.SDF(stiffness=1e8, exponent=1.5, restitution=e, shared=True)
    result = dt.simulate(scene, 0.02, 2e-5, contact=law, every=50, integrator=RESOLVED)
    assert result.velocity("cube")[-1, 2] == pytest.approx(e, rel=0.02)
