"""Contact by distance fields on bodies with joints, under every scheme that takes them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dovetail as dt
from dovetail.contact.penalty.force import friction_coefficient
from dovetail.integrators import SCHEMES

G = 9.81
LENGTH, RADIUS, MASS = 1.0, 0.1, 1.0  # [m], [m], [kg]
# those that resolve the spring in time; CompliantEuler solves for its force
JOINTED = [
    name for name, scheme in SCHEMES.items()
    if scheme.takes_joints and "force" in scheme.takes and name != "CompliantEuler"
]  # fmt: skip
KEEPING = [name for name in JOINTED if SCHEMES[name].keeps_momentum]


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def pendulum_before_a_stop(gap: float, speed: float, gravity=(0.0, 0.0, 0.0)) -> dt.Scene:
    """A ball on a massless arm that hangs down and swings along x into a wall."""
    scene = dt.Scene(gravity=gravity)
    scene.add_body(
        "ball",
        dt.Sphere(RADIUS),
        mass=MASS,
        position=(0, 0, -LENGTH),
        velocity=(speed, 0, 0),
        angular_velocity=(0, -speed / LENGTH, 0),
    )
    scene.add_body(
        "wall", dt.Box((0.2, 1, 1)), motion="static", position=(RADIUS + 0.1 + gap, 0, -LENGTH)
    )
    scene.add_joint("pin", dt.Revolute((0, 0, 0), (0, 1, 0)), "ground", "ball")
    return scene


def run(scene: dt.Scene, duration: float, step: float, scheme: str, every=1, **law) -> dt.Result:
    return dt.simulate(
        scene,
        duration,
        step,
        contact=dt.contact.SDF(**law),
        every=every,
        integrator=SCHEMES[scheme](),
    )


@pytest.mark.parametrize("scheme", JOINTED)
@pytest.mark.parametrize("e", [0.4, 1.0])
def test_a_pendulum_leaves_its_stop_with_the_restitution_requested(scheme, e):
    # of a hinged body the momentum about the hinge changes by the impulse, so its spin by -(1 + e)
    result = run(
        pendulum_before_a_stop(1e-3, 1.0), 0.01, 5e-5, scheme, 10, restitution=e, stiffness=3e7
    )
    spin = result.angular_velocity("ball")
    assert spin[0, 1] == pytest.approx(-1 / LENGTH)
    assert result.contacts.count.max() > 0
    # a contact of about 4 ms takes 80 steps: (h / duration)^2, and the first step inside
    assert spin[-1, 1] == pytest.approx(e / LENGTH, rel=2e-3)
    assert result.constraint_violation["position"].max() < 1e-10


def guided_into_a_wall(step: float, scheme: str, duration: float) -> float:
    """Final speed of a ball on a rail at 45 degrees to a wall that it touches from the start."""
    scene = dt.Scene(gravity=(0, 0, 0))
    along = np.array([1.0, 0.0, 1.0]) / np.sqrt(2)
    scene.add_body("wall", dt.Box((0.2, 1, 1)), motion="static", position=(0.2, 0, 0))
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0, velocity=along)
    scene.add_joint("rail", dt.Prismatic((0, 0, 0), along), "ground", "ball")
    result = run(scene, duration, step, scheme, stiffness=3e6, damping=1e6, friction=SMOOTH)
    return float(result.velocity("ball")[-1] @ along)


SMOOTH = (0.5, 0.3, 0.5, 1.0)  # mu_s, mu_d, v_s, v_d [m/s]


def exact_speed_on_the_rail(duration: float) -> float:
    """The same by a fine integration of s'' = -(1 + mu) f_N / sqrt(2), d = s / sqrt(2)."""

    def rate(_t, y):
        d, fast = max(y[0], 0.0) / np.sqrt(2), y[1] / np.sqrt(2)
        mu = friction_coefficient(abs(fast), *SMOOTH) * fast
        return [y[1], -(3e6 * d**1.5 + 1e6 * d**1.5 * fast) * (1 + mu) / np.sqrt(2)]

    end = solve_ivp(rate, (0, duration), [0.0, 1.0], method="DOP853", rtol=1e-12, atol=1e-14)
    return float(end.y[1, -1])


@pytest.mark.parametrize("scheme", JOINTED)
def test_damping_and_friction_on_a_rail_converge_at_second_order(scheme):
    duration = 4.8e-3
    exact = exact_speed_on_the_rail(duration)
    assert 0.05 < exact < 0.6  # slowed down a lot, still moving inward
    errors = [abs(guided_into_a_wall(duration / n, scheme, duration) - exact) for n in (12, 48)]
    # the force starts as d^1.5, whose third derivative is not bounded: order 2 even for order 4
    assert errors[0] / errors[1] > 12, errors
    assert errors[1] < 1e-3


@pytest.mark.parametrize("scheme", KEEPING)
def test_a_jointed_pair_that_strikes_a_block_keeps_all_momentum(scheme):
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("block", dt.Box((0.3, 0.3, 0.3)), density=1000)
    bar = dt.Box((0.4, 0.1, 0.1))
    scene.add_body("one", bar, density=1000, position=(0.25, 0, 0.21), velocity=(0, 0, -1.5))
    scene.add_body("two", bar, density=1000, position=(0.65, 0, 0.21), velocity=(0, 0, -1.5))
    scene.add_joint("ball", dt.Spherical((0.45, 0, 0.21)), "one", "two")
    result = run(scene, 0.06, 1e-4, scheme, 2, friction=0.4, restitution=0.5)
    assert result.contacts.count.max() > 0
    assert np.abs(result.angular_velocity("two")[-1]).max() > 0.3
    size = np.linalg.norm(result.momentum["linear"][0])
    for part in ("linear", "angular"):
        momentum = result.momentum[part]
        assert np.abs(momentum - momentum[0]).max() < 1e-12 * size
    assert result.energy["total"][-1] < result.energy["total"][0]


def two_links_fall_onto_a_ledge() -> dt.Scene:
    scene = dt.Scene(gravity=(0, 0, -G))
    link = dt.Box((0.3, 0.05, 0.05))
    scene.add_body("upper", link, density=1000, position=(0.15, 0, 0))
    scene.add_body("lower", link, density=1000, position=(0.45, 0, 0))
    scene.add_body("ledge", dt.Box((0.4, 0.4, 0.1)), motion="static", position=(0.7, 0, -0.1))
    scene.add_joint("shoulder", dt.Revolute((0, 0, 0), (0, 1, 0)), "ground", "upper")
    scene.add_joint("elbow", dt.Revolute((0.3, 0, 0), (0, 1, 0)), "upper", "lower")
    return scene


def test_all_schemes_agree_on_two_links_that_fall_onto_a_ledge():
    law = {"friction": 0.3, "restitution": 0.5, "stiffness": 1e6}
    ends = {}
    for scheme in JOINTED:
        result = run(two_links_fall_onto_a_ledge(), 0.12, 1e-4, scheme, 50, **law)
        assert result.contacts.count.max() > 0
        ends[scheme] = np.concatenate([result.position("lower")[-1], result.position("upper")[-1]])
    middle = np.median(list(ends.values()), axis=0)
    for scheme, end in ends.items():
        assert np.abs(end - middle).max() < 2e-4, (scheme, end - middle)


@pytest.mark.filterwarnings("ignore:.*velocities would miss")  # DL, in a stiff impact
@pytest.mark.parametrize("scheme", JOINTED)
def test_a_resumed_jointed_impact_goes_on_bit_for_bit(scheme):
    model = pendulum_before_a_stop(0.0, 1.0).build()
    law = dt.contact.SDF(restitution=0.3, stiffness=3e6, friction=0.2)
    stepper = SCHEMES[scheme]().start(model, law)
    for k in range(1, 8):
        stepper.step(k * 1e-4)
    snapshot = {name: np.array(value) for name, value in stepper.snapshot().items()}
    again = SCHEMES[scheme]().start(model, law)
    again.restore(snapshot)
    for k in range(8, 80):
        stepper.step(k * 1e-4)
        again.step(k * 1e-4)
    np.testing.assert_array_equal(stepper.bodies.v, again.bodies.v)
    np.testing.assert_array_equal(stepper.bodies.x, again.bodies.x)
    assert 0.2 < stepper.bodies.omega[0, 1] < 0.3


@pytest.mark.parametrize("scheme", ["JointCoordinates", "RATTLie", "EulerParameterDAE"])
def test_deep_contact_of_a_jointed_body_is_reported_as_a_share_of_its_size(scheme):
    with pytest.warns(dt.contact.PenetrationWarning, match=r"'ball' .*% of the smaller one's size"):
        run(pendulum_before_a_stop(1e-3, 1.0), 0.02, 1e-4, scheme, restitution=1, stiffness=1e5)


def light_tool_on_a_heavy_slide(speed: float) -> dt.Scene:
    """A tool of 10 g that can only slide across, carried at a wall by a slide of 10 kg."""
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("wall", dt.Box((0.2, 1, 1)), motion="static", position=(0.2, 0, 0))
    scene.add_body(
        "slide", mass=10.0, inertia=(1, 1, 1), position=(-0.5, 0, 0), velocity=(speed, 0, 0)
    )
    scene.add_body(
        "tool", dt.Sphere(0.05), mass=0.01, position=(0.049, 0, 0), velocity=(speed, 0, 0)
    )
    scene.add_joint("rail", dt.Prismatic((-0.5, 0, 0), (1, 0, 0)), "ground", "slide")
    scene.add_joint("across", dt.Prismatic((0, 0, 0), (0, 0, 1)), "slide", "tool")
    return scene


@pytest.mark.filterwarnings("ignore:.*velocities would miss")  # DL, in a stiff impact
@pytest.mark.parametrize("scheme", JOINTED)
def test_what_carries_a_body_counts_in_how_stiff_its_contact_may_be(scheme):
    # alone the tool would have sqrt(1e7 / 0.01) = 3e4 rad/s, with the slide at 1e3
    law = {"exponent": 1.0, "stiffness": 1e7, "damping": 0.0}
    result = run(light_tool_on_a_heavy_slide(0.1), 0.02, 1e-4, scheme, 10, **law)
    assert result.contacts.count.max() > 0
    assert result.velocity("slide")[-1, 0] == pytest.approx(-0.1, rel=0.01)
    if scheme in ("LieGeneralizedAlpha", "DL"):
        return  # one is implicit, the other does not solve for joints and velocities together
    with pytest.raises(dt.RunError, match=r"'tool' have .* rad/s, too high for a step"):
        run(light_tool_on_a_heavy_slide(0.1), 0.1, 4e-3, scheme, **law)
