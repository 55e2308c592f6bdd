"""Blocks on floors and slopes: friction of intersection-free contact against closed forms.

Implicit Euler moves a body that starts at rest under the acceleration a by a h^2 n (n + 1) / 2.
"""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import ImplicitEuler
from dovetail.linalg.lie import so3
from rounding import rounding

G, SIDE, GAP, DHAT = 9.81, 0.4, 9e-4, 1e-3
ASIDE = 1.2  # [m] of the diagonal that parts the triangles of the floor


def slope(degrees, **block):
    """A block on a floor; gravity leans instead of the slope."""
    angle = np.deg2rad(degrees)
    scene = dt.Scene(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    scene.add_body("floor", dt.Box((20, 4, 0.2)), position=(0, 0, -0.1), motion="static")
    at = {"position": (0, ASIDE, SIDE / 2 + GAP)} | block
    scene.add_body("block", dt.Box((SIDE, SIDE, SIDE)), density=1000, **at)
    return scene


def run(scene, steps, h=0.01, **options):
    stepper = ImplicitEuler().start(scene.build(), dt.contact.IPC(dhat=DHAT, **options))
    positions = [stepper.bodies.x[1].copy()]
    for k in range(steps):
        stepper.step((k + 1) * h)
        positions.append(stepper.bodies.x[1].copy())
    return stepper, np.array(positions)


def test_a_block_within_its_cone_stays_where_it_is_but_for_rounding():
    stepper, positions = run(slope(20), 300, friction=0.5)
    assert np.ptp(positions[200:], axis=0).max() < rounding(
        8, ASIDE
    )  # [m] in a second: only last bits
    assert stepper._solver.solver.friction.creep < 1e-12
    assert np.abs(positions[-1, 0]) < DHAT


@pytest.mark.parametrize(("mu", "slides"), [(0.5, False), (0.49, True)])
def test_a_block_slides_only_above_the_friction_angle(mu, slides):
    """Fig. 18: tan of 26.565 degrees is 0.5 within 2e-6.

    At that limit friction only just wins: the block, whose weight is in balance from the start,
    is sheared by as much as sticks and stays there.
    """
    h, steps = 0.025, 200
    _, positions = run(slope(26.565), steps, h, friction=mu)
    angle = np.deg2rad(26.565)
    theory = G * (np.sin(angle) - 0.49 * np.cos(angle)) * (h * steps) ** 2 / 2
    if slides:
        assert positions[-1, 0] == pytest.approx(theory, rel=1e-4)
    else:
        assert positions[-1, 0] < 1e-6 * theory
        np.testing.assert_array_equal(positions[50:, 0], positions[50, 0])


def test_a_sliding_block_stops_after_its_braking_distance():
    mu, v, h = 0.3, 2.0, 0.001
    stepper, positions = run(slope(0, velocity=(v, 0, 0)), 1200, h, friction=mu)
    assert positions[-1, 0] == pytest.approx(v**2 / (2 * mu * G), rel=5e-4)  # 3.9e-4 at any h
    assert np.linalg.norm(stepper.bodies.v[1]) < 1e-9


@pytest.mark.parametrize(("part", "moves"), [(0.95, False), (1.05, True)])
def test_a_push_moves_a_block_only_beyond_the_cone(part, moves):
    mu, h, steps = 0.4, 0.01, 100
    scene = slope(0)
    mass = scene.bodies["block"].mass
    scene.add_force("push", "block", (0, part * mu * mass * G, 0))
    _, positions = run(scene, steps, h, friction=mu)
    if moves:
        theory = (part - 1) * mu * G * h**2 * steps * (steps + 1) / 2
        assert positions[-1, 1] - ASIDE == pytest.approx(theory, rel=0.05)
    else:
        assert abs(positions[-1, 1] - ASIDE) < 0.1 * DHAT


def test_static_friction_holds_what_dynamic_friction_would_let_slide():
    law = (0.5, 0.2, 0.01, 0.02)
    _, held = run(slope(20), 100, friction=law)  # tan 20 = 0.36
    assert abs(held[-1, 0]) < DHAT
    h, steps = 0.01, 60
    _, positions = run(slope(20, velocity=(0.5, 0, 0)), steps, h, friction=law)
    angle = np.deg2rad(20)
    a = G * (np.sin(angle) - 0.2 * np.cos(angle))
    theory = 0.5 * h * steps + a * h**2 * steps * (steps + 1) / 2
    assert positions[-1, 0] == pytest.approx(theory, rel=0.01)


def test_pairs_of_materials_decide_who_slides():
    scene = slope(20)
    scene.add_material_pair("block", "floor", friction=0.1)
    _, positions = run(scene, 50, friction=0.9)
    assert positions[-1, 0] > 0.1


def test_a_spinning_block_is_stopped_by_the_friction_of_its_corners():
    """Corners at distance r from the axis: I w' = -mu m g r, to rest without a shift."""
    mu, w, h = 0.4, 5.0, 0.001
    stepper, positions = run(slope(0, angular_velocity=(0, 0, w)), 400, h, friction=mu)
    assert np.linalg.norm(stepper.bodies.spin[1]) < 1e-6
    assert np.abs(positions[-1, :2] - [0, ASIDE]).max() < 1e-4
    r, inertia = SIDE / np.sqrt(2), SIDE**2 / 6  # per mass
    turned = so3.log(stepper.bodies.R[1])[2]
    assert turned == pytest.approx(w**2 * inertia / (2 * mu * G * r), rel=0.05)


def test_a_resumed_run_remembers_how_its_contacts_are_bent():
    scene = slope(20)
    whole, _ = run(scene, 60, friction=0.5)
    half, _ = run(scene, 30, friction=0.5)
    resumed = ImplicitEuler().start(scene.build(), dt.contact.IPC(dhat=DHAT, friction=0.5))
    resumed.restore(half.snapshot())
    for k in range(30, 60):
        resumed.step((k + 1) * 0.01)
    np.testing.assert_array_equal(resumed.bodies.x, whole.bodies.x)
    np.testing.assert_array_equal(resumed.bodies.R, whole.bodies.R)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_friction_does_not_know_how_long_a_metre_is(scale):
    """Lengths by `scale`, times by its root: the same motion."""
    h = 0.01
    _, positions = run(slope(30), 40, h, friction=0.3)
    scene = dt.Scene(gravity=slope(30).gravity)
    size = np.array([20, 4, 0.2]) * scale
    scene.add_body("floor", dt.Box(size), position=(0, 0, -0.1 * scale), motion="static")
    block = np.full(3, SIDE * scale)
    scene.add_body(
        "block", dt.Box(block), density=1000, position=np.array([0, ASIDE, SIDE / 2 + GAP]) * scale
    )
    stepper = ImplicitEuler().start(scene.build(), dt.contact.IPC(dhat=DHAT * scale, friction=0.3))
    for k in range(40):
        stepper.step((k + 1) * h * np.sqrt(scale))
    np.testing.assert_allclose(stepper.bodies.x[1] / scale, positions[-1], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("gap", [0.0, 1e-9, 1e-8, 1e-6, 2e-4])
def test_slip_on_a_slope_is_right_to_second_order_whatever_the_gap(gap):
    """Slope 0.5, mu 0.49, 5 s at 5 ms: 1 + 3/2 (h/t)^2 of the exact slip.

    The first step is one of implicit Euler, which moves by a h^2; BDF2 makes 3/2 of what it is too
    far.
    """
    angle, mu, duration, h = np.arctan(0.5), 0.49, 5.0, 5e-3
    scene = dt.Scene(gravity=(9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)))
    scene.add_body("ramp", dt.Box((6, 2, 0.2)), motion="static", position=(0, 0, -0.1))
    scene.add_body("block", dt.Box((0.4, 0.4, 0.2)), density=1000, position=(-1, 0, 0.1 + gap))
    result = dt.simulate(scene, duration, h, dt.contact.IPC(friction=mu), progress=False)
    exact = 0.5 * 9.81 * (np.sin(angle) - mu * np.cos(angle)) * duration**2
    slip = float(result.position("block")[-1, 0]) + 1
    assert slip / exact == pytest.approx(1 + 1.5 * (h / duration) ** 2, abs=5e-7)


@pytest.mark.parametrize("fall", [1e-3, 1e-2])
@pytest.mark.parametrize("mu", [0.3, 0.49])
def test_slip_after_a_landing_is_right_at_every_step(fall, mu):
    """Let go above a slope of 0.5: fall, an impact without rebound, slip; it lands flat.

    The impulse of friction is mu times that of the normal force, so velocities are those of a block
    that has slipped from the start. What is left, at all steps, is the fall that dhat takes away.
    """
    angle, duration = np.arctan(0.5), 2.0
    along, down = G * np.sin(angle), G * np.cos(angle)
    time = np.sqrt(2 * fall / down)
    net, rest = along - mu * down, duration - time
    exact = 0.5 * along * time**2 + net * time * rest + 0.5 * net * rest**2
    errors = []
    for h in (1e-2, 5e-3, 1e-3):
        scene = dt.Scene(gravity=(along, 0, -down))
        scene.add_body("ramp", dt.Box((8, 2, 0.2)), motion="static", position=(0, 0, -0.1))
        scene.add_body("block", dt.Box((0.4, 0.4, 0.2)), density=1000, position=(-1, 0, 0.1 + fall))
        stepper = ImplicitEuler().start(scene.build(), dt.contact.IPC(friction=mu))
        for k in range(round(duration / h)):
            stepper.step((k + 1) * h)
        errors.append(abs((stepper.bodies.x[1, 0] + 1) / exact - 1))
    assert max(errors) < (1.5e-3 if mu == 0.49 else 3e-4)


@pytest.mark.parametrize("gap", [0.0, 1e-4])
@pytest.mark.parametrize(("part", "falls"), [(0.99, False), (1.01, True)])
def test_a_block_topples_where_its_weight_leaves_its_foot(part, falls, gap):
    """Pushed by a = part g w/H; high friction."""
    w, height, g = 0.2, 0.5, 9.81
    scene = dt.Scene(gravity=(part * g * w / height, 0, -g))
    scene.add_body("floor", dt.Box((6, 6, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("block", dt.Box((w, 0.3, height)), density=500,
                   position=(0, 0, 0.5 * height + gap))  # fmt: skip
    result = dt.simulate(scene, 3.0, 1e-2, dt.contact.IPC(friction=0.9), progress=False)
    assert (result.position("block")[-1, 2] < 0.2) == falls
