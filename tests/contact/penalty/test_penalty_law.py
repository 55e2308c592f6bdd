"""The penalty law seen from a step: impact speeds, checks of the step, what a snapshot keeps."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.penalty.penetration import PenetrationWarning
from dovetail.contact.penalty.restitution import MODELS
from dovetail.errors import RunError
from dovetail.multibody.state import initial_state

K, RADIUS, MASS = 1e4, 0.5, 2.0


def ball_in_floor(depth=1e-3, velocity=(0, 0, -2.0), joint=False, **settings):
    """A ball that far inside a half-space: the law and its first state."""
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body(
        "ball", dt.Sphere(RADIUS), mass=MASS, position=(0, 0, RADIUS - depth), velocity=velocity
    )
    if joint:
        scene.add_joint("rail", dt.Prismatic((0, 0, 0), (0, 0, 1)), "ground", "ball")
    model = scene.build()
    settings = {"stiffness": K, "exponent": 1.0, "damping": 0.0} | settings
    if "restitution" in settings:
        del settings["damping"]
    return dt.contact.SDF(**settings).prepare(model), initial_state(model)


def later(state, h, dz=0.0, v=None):
    """The state h [s] later, moved up by dz [m]."""
    new = state.copy()
    new.t, new.x[1, 2] = state.t + h, state.x[1, 2] + dz
    if v is not None:
        new.v[1, 2] = v
    return new


def test_the_force_is_that_of_the_spring_on_both_bodies_and_its_energy_is_stored():
    law, state = ball_in_floor(1e-3)
    force, torque = law.wrenches(state)
    assert force[1] == pytest.approx([0, 0, K * 1e-3], rel=1e-2) and not torque[1].any()
    assert np.array_equal(force[0], -force[1])
    report = law.report(state)
    assert report.energy == pytest.approx(0.5 * K * 1e-6, rel=2e-2)
    assert report.min_distance == pytest.approx(-1e-3)
    contacts = report.contacts
    assert contacts.bodies.tolist() == [[1, 0]] and contacts.normals[0] == pytest.approx([0, 0, 1])
    assert contacts.forces[0] == pytest.approx(force[1]) and contacts.gaps == pytest.approx([-1e-3])
    assert law.near and law.natural_frequency() == 0.0  # of jointed bodies only


def test_apart_the_report_has_the_gap_and_no_contacts():
    law, state = ball_in_floor(-0.25)
    force, _ = law.wrenches(state)
    report = law.report(state)
    assert not force.any() and report.min_distance == pytest.approx(0.25)
    assert report.energy == 0.0 and len(report.contacts.gaps) == 0


def test_the_speed_of_an_impact_is_the_fastest_approach_since_contact_began():
    law, state = ball_in_floor(1e-3, restitution=0.5, damping_model="hunt_crossley")

    def elastic(speed, rate, depth):
        return K * depth * (1 + MODELS["hunt_crossley"](0.5) / speed * -rate)

    assert law.wrenches(state)[0][1, 2] == pytest.approx(elastic(2.0, -2.0, 1e-3), rel=1e-2)
    slower = later(state, 1e-4, -1e-4, v=-1.0)  # after the first state, at its speed
    assert law.wrenches(slower)[0][1, 2] == pytest.approx(elastic(2.0, -1.0, 1.1e-3), rel=1e-2)
    tried = later(slower, 0.0, 0.0, v=1.0)  # tried again at the same time
    assert law.wrenches(tried)[0][1, 2] == pytest.approx(elastic(2.0, 1.0, 1.1e-3), rel=1e-2)
    apart = later(slower, 1e-4, 2e-3, v=1.0)
    assert not law.wrenches(apart)[0].any()
    back = later(apart, 1e-4, -1.5e-3, v=-0.5)
    law.wrenches(back)  # velocities are those of the state before: parting, so it counts as slow
    again = later(back, 1e-4, -1e-4, v=-0.5)
    assert law.wrenches(again)[0][1, 2] == pytest.approx(elastic(0.5, -0.5, 0.7e-3), rel=2e-2)


def test_what_is_forgotten_begins_a_new_impact():
    law, state = ball_in_floor(1e-3, restitution=0.5)
    law.wrenches(state)
    law.wrenches(later(state, 1e-4))
    law.forget()
    slow = later(state, 1.0, v=-0.5)
    first, _ = ball_in_floor(1e-3, restitution=0.5)
    assert np.array_equal(law.wrenches(slow)[0], first.wrenches(slow)[0])


def test_a_snapshot_holds_all_that_the_next_force_follows_from():
    law, state = ball_in_floor(1e-3, restitution=0.5)
    law.wrenches(state)
    second = later(state, 1e-4, -1e-4, v=-1.5)
    law.wrenches(second)
    kept = law.snapshot()
    other, _ = ball_in_floor(1e-3, restitution=0.5)
    other.restore(kept)
    third = later(second, 1e-4, -1e-4, v=-1.0)
    assert np.array_equal(other.wrenches(third)[0], law.wrenches(third)[0])
    assert all(np.array_equal(a, b) for a, b in zip(other.snapshot().values(),
                                                    law.snapshot().values()))  # fmt: skip
    empty, _ = ball_in_floor(1e-3, restitution=0.5)
    other.restore(empty.snapshot())
    assert np.array_equal(other.wrenches(second)[0], empty.wrenches(second)[0])


@pytest.mark.parametrize(("factor", "refused"), [(0.99, False), (1.01, True)])
def test_a_step_is_refused_beyond_twice_the_inverse_frequency(factor, refused):
    """sqrt(k / m) h <= 2."""
    h = factor * 2 / np.sqrt(K / MASS)
    law, state = ball_in_floor(1e-3, velocity=(0, 0, 0))
    law.wrenches(state)
    law.wrenches(later(state, h))  # the first step is known when the next one begins
    if refused:
        with pytest.raises(RunError, match=r"'floor' and 'ball' is too stiff for a step of 0.0286"):
            law.wrenches(later(state, 2 * h))
    else:
        law.wrenches(later(state, 2 * h))
    jointed, state = ball_in_floor(1e-3, velocity=(0, 0, 0), joint=True)
    for k in range(3):
        jointed.wrenches(later(state, k * h))  # joints may carry it: the scheme decides
    assert jointed.natural_frequency() == pytest.approx(np.sqrt(K / MASS), rel=1e-2)


@pytest.mark.parametrize(("share", "warned"), [(0.0099, False), (0.0101, True)])
def test_a_hundredth_of_the_size_inside_is_warned_of_once(share, warned):
    size = np.sqrt(3) * 2 * RADIUS
    law, state = ball_in_floor(share * size, velocity=(0, 0, 0))
    law.wrenches(state)
    if warned:
        with pytest.warns(PenetrationWarning, match=r"at t = 0 s 'floor' and 'ball' are 0.0175 m"):
            law.wrenches(later(state, 1e-4))
    law.wrenches(later(state, 2e-4))  # a second warning would be an error
    law.wrenches(later(state, 3e-4))


def shot_at_a_wall(way, gap=0.5):
    """A ball that moves by `way` [m] in a step of 10 ms, towards a plate 0.2 m thick."""
    scene = dt.Scene()
    scene.add_body("wall", dt.Box((0.2, 3, 3)), motion="static")
    scene.add_body("shot", dt.Sphere(0.3), mass=1, position=(0.4 + gap, 0, 0),
                   velocity=(-way / 0.01, 0, 0))  # fmt: skip
    law = dt.contact.SDF(stiffness=1e3, resolution=16).prepare(scene.build())
    state = initial_state(scene.build())
    law.wrenches(state)
    moved = state.copy()
    moved.t, moved.x[1, 0] = 0.01, state.x[1, 0] - way
    return law, moved


def test_a_body_that_could_pass_another_within_a_step_is_refused_with_the_way():
    law, state = shot_at_a_wall(0.09)
    law.wrenches(state)
    law, state = shot_at_a_wall(0.11)
    with pytest.raises(
        RunError, match=r"'wall' and 'shot' move by 0.11 m .* 0.2 m.* at most 0.0025"
    ):
        law.wrenches(state)


def test_bodies_in_contact_or_that_cannot_meet_are_not_refused():
    law, state = shot_at_a_wall(0.11, gap=0.1)  # inside from the first step on
    assert law.wrenches(state)[0].any()


def test_points_of_a_pair_share_its_stiffness_by_their_effective_number():
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("box", dt.Box((1, 1, 1)), mass=1, position=(0, 0, 0.499))
    model, forces = scene.build(), []
    for shared in (False, True):
        law = dt.contact.SDF(stiffness=K, exponent=1.0, shared=shared, resolution=16).prepare(model)
        state = initial_state(model)
        forces.append(law.wrenches(state)[0][1, 2])
        count = len(law.report(state).contacts.gaps)
    assert forces[0] == pytest.approx(count * forces[1]) and count >= 4
    assert forces[1] == pytest.approx(K * 1e-3, rel=2e-2)


@pytest.mark.parametrize("restitution", [{}, {"restitution": 0.5}])
def test_blocks_are_those_of_the_dense_derivatives(restitution):
    law, state = ball_in_floor(1e-3, velocity=(0.3, 0.1, -2.0), friction=0.4, **restitution)
    law.wrenches(state)
    dense = law.velocity_derivatives(state)
    blocks = law.derivative_blocks(state)
    assert blocks.bodies.tolist() == [[0, 1]]
    for i in range(2):
        assert blocks.own[i] == pytest.approx(dense[i, :, i])
    assert blocks.across[0, 0] == pytest.approx(dense[0, :, 1])
    assert blocks.across[0, 1] == pytest.approx(dense[1, :, 0])
    stiff = law.position_derivatives(state)
    assert stiff[1, 2, 1, 2] < -0.9 * K and stiff[1, 2, 0, 2] > 0.9 * K
