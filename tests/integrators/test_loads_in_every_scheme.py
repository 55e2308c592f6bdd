"""Loads, springs, dampers and motors with a closed form, at the order of each scheme."""

import warnings

import numpy as np
import pytest

import dovetail as dt

SCHEMES = [
    ("LieVerlet", None), ("RATTLie", None), ("DH", None), ("DL", None),
    ("LieGeneralizedAlpha", None), ("EulerParameterDAE", None), ("JointCoordinates", None),
    ("StewartTrinkle", None), ("CompliantEuler", None), ("ImplicitEuler", None),
    ("BarrierVerlet", None), ("LieVerlet", "SDF"), ("RATTLie", "SDF"), ("JointCoordinates", "SDF"),
    ("StewartTrinkle", "LCP"), ("CompliantEuler", "SDF"), ("ImplicitEuler", "IPC"),
    ("BarrierVerlet", "IPC"),
]  # fmt: skip
END = 0.2  # [s]


def damped(m, k, c, x, f=0.0, t=END):
    """Position and velocity of m x'' + c x' + k x = f from rest at x."""
    rest, rate = f / k, c / (2 * m)
    w, x = np.sqrt(k / m - rate**2), x - rest
    wave = np.array([np.cos(w * t), np.sin(w * t)])
    fade = np.exp(-rate * t)
    place = fade * wave @ [x, rate * x / w]
    speed = fade * wave @ [0.0, -(w + rate**2 / w) * x]
    return np.array([rest + place, speed])


def scene_of(jointed):
    """Bodies that do not touch, each with loads of its own along or about one axis."""
    scene, box = dt.Scene(), dt.Box((0.1, 0.1, 0.1))
    scene.add_body("pulled", box, mass=2, position=(0, 0, 0))
    scene.add_body("dragged", box, mass=0.5, position=(3, 0, 0), velocity=(0, 1, 0))
    ball = dt.Sphere(0.1)
    scene.add_body("braked", ball, mass=1, position=(6, 0, 0), angular_velocity=(0, 0, 2))
    scene.add_load("growing", lambda t, s: {"pulled": ((3 * t, 0, 0), (0, 0, 0))})
    scene.add_load("drag", lambda t, s: {"dragged": (-0.4 * s.velocity("dragged"), (0, 0, 0))})
    scene.add_load(
        "brake", lambda t, s: {"braked": ((0, 0, 0), -0.02 * s.angular_velocity("braked"))}
    )
    scene.add_body("sprung", box, mass=1, position=(0, 3, 0.3))
    scene.add_spring("coil", "ground", "sprung", (0, 3, -1), (0, 3, 0.3), stiffness=40,
                     damping=0.5, rest_length=1.2)  # fmt: skip
    if jointed:
        acts = dt.Actuation(stiffness=30, damping=0.6, rest=0.2, motor=2.0)
        scene.add_body("carriage", box, mass=1.5, position=(0, 6, 0))
        scene.add_joint("rail", dt.Prismatic((0, 6, 0), (0, 0.6, 0.8), actuation=[acts]), "ground",
                        "carriage")  # fmt: skip
        scene.add_body("wheel", ball, mass=2, position=(3, 6, 0))
        acts = dt.Actuation(stiffness=0.3, damping=0.01, rest=-0.4, motor=lambda t: 0.5 * t)
        scene.add_joint("axle", dt.Revolute((3, 6, 0), (0, 0, 1), actuation=[acts]), "ground",
                        "wheel")  # fmt: skip
        scene.add_body("bob", ball, mass=1, position=(6, 6, 0), angular_velocity=(1, 0, 0))
        socket = dt.Spherical((6, 6, 0), actuation=[dt.Actuation(damping=0.02)] * 3)
        scene.add_joint("socket", socket, "ground", "bob")
    return scene


def exact(jointed):
    """Place and speed of each at the end."""
    inertia = 0.4 * 0.1**2  # of a ball of 1 kg
    left = np.exp(-0.02 * END / inertia)
    found = {
        "pulled": (3 * END**3 / 12, 3 * END**2 / 4),
        "dragged": (0.5 / 0.4 * (1 - np.exp(-0.4 * END / 0.5)), np.exp(-0.4 * END / 0.5)),
        "braked": (2 * inertia / 0.02 * (1 - left), 2 * left),
        "sprung": damped(1.0, 40.0, 0.5, 0.1),
    }
    if jointed:
        found["carriage"] = damped(1.5, 30.0, 0.6, -0.2, 2.0) + np.array([0.2, 0.0])
        found["bob"] = (inertia / 0.02 * (1 - left), left)
        # a particular solution a t + b of I q'' + c q' + k q = 0.5 t - 0.4 k, and what is left
        m, k, c = 2 * inertia, 0.3, 0.01
        a = 0.5 / k
        b = -0.4 - c * a / k
        found["wheel"] = damped(m, k, c, -b) + np.array([a * END + b, a]) + _moving(m, k, c, -a)
    return found


def _moving(m, k, c, v):
    """As `damped`, from 0 with the velocity v."""
    rate = c / (2 * m)
    w = np.sqrt(k / m - rate**2)
    fade, s, co = np.exp(-rate * END), np.sin(w * END), np.cos(w * END)
    return v * fade * np.array([s / w, co - rate / w * s])


def found(scheme, contact, h, jointed):
    method = getattr(dt.contact, contact)() if contact else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = dt.simulate(scene_of(jointed), END, h, method, scheme, progress=False, check=False)
    x = {name: result.position(name)[-1] - result.position(name)[0] for name in result.names}
    v = {name: result.velocity(name)[-1] for name in result.names}
    spin = {name: result.angular_velocity(name)[-1] for name in result.names}
    R = {name: result.rotation(name)[-1] for name in result.names}
    about_x = {name: np.arctan2(turn[2, 1], turn[1, 1]) for name, turn in R.items()}
    about_z = {name: np.arctan2(turn[1, 0], turn[0, 0]) for name, turn in R.items()}
    along = np.array([0, 0.6, 0.8])
    seen = {
        "pulled": (x["pulled"][0], v["pulled"][0]), "dragged": (x["dragged"][1], v["dragged"][1]),
        "braked": (about_z["braked"], spin["braked"][2]),
        "sprung": (x["sprung"][2] + 0.1, v["sprung"][2]),
    }  # fmt: skip
    if jointed:
        seen["carriage"] = (along @ x["carriage"], along @ v["carriage"])
        seen["wheel"] = (about_z["wheel"], spin["wheel"][2])
        seen["bob"] = (about_x["bob"], spin["bob"][0])
    return seen


@pytest.mark.parametrize(("scheme", "contact"), SCHEMES)
def test_errors_of_loads_and_springs_fall_with_the_order_of_the_scheme(scheme, contact):
    """[m, rad, m/s or rad/s]; to round-off where a scheme is exact."""
    integrator = dt.integrators.named(scheme, {})
    jointed, order = integrator.takes_joints, min(integrator.order, 2)
    coarse, fine = (found(scheme, contact, h, jointed) for h in (0.01, 0.005))
    for name, values in exact(jointed).items():
        for k, value in enumerate(values):
            errors = [abs(float(one[name][k]) - value) for one in (coarse, fine)]
            bound = 1.2 * 0.005**order * 10 ** (order + k - 1)
            assert errors[1] < bound, (name, k, errors)
            if errors[1] > 0.02 * bound:  # or terms of higher order count
                assert errors[0] > 0.8 * 2**order * errors[1], (name, k, errors)


@pytest.mark.parametrize(("scheme", "contact"), SCHEMES)
def test_a_constant_wrench_accelerates_a_free_ball_evenly(scheme, contact):
    """x = f t^2 / 2 m and angle = tau t^2 / 2 I; at most h t / 2 times the acceleration off."""
    method = getattr(dt.contact, contact)() if contact else None
    scene, m, r, h = dt.Scene(), 2.0, 0.1, 0.01
    scene.add_body("ball", dt.Sphere(r), mass=m, position=(1, 2, 3))
    scene.add_force("thrust", "ball", (0.3, 0, 0), (0, 0, 0.02))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = dt.simulate(scene, END, h, method, scheme, progress=False, check=False)
    turn = result.rotation("ball")[-1]
    off = END * h / 2 if dt.integrators.named(scheme, {}).order == 1 else 0.0
    for rate, velocity, place in (
        (0.3 / m, result.velocity("ball")[-1, 0], result.position("ball")[-1, 0] - 1),
        (0.02 / (0.4 * m * r * r), result.angular_velocity("ball")[-1, 2],
         np.arctan2(turn[1, 0], turn[0, 0])),
    ):  # fmt: skip
        assert velocity == pytest.approx(rate * END, rel=1e-9)
        error = place - rate * END**2 / 2  # that of rotations is 1e-6 of them
        assert -1e-5 * place < error < 1.001 * rate * off + 1e-5 * place


JOINTED = [pair for pair in SCHEMES if pair[0] != "LieVerlet"]


@pytest.mark.parametrize(("scheme", "contact"), JOINTED)
def test_a_motor_turns_as_far_as_its_speed_says(scheme, contact):
    """t + t^2 at 1 + 2 t rad/s; a velocity held where a step begins or ends is off by h t."""
    method = getattr(dt.contact, contact)() if contact else None
    scene, h = dt.Scene(), 0.01
    scene.add_body("wheel", dt.Box((0.1, 0.1, 0.1)), mass=1.0, angular_velocity=(0, 0, 1))
    motor = dt.Actuation(motor=("velocity", lambda t: 1.0 + 2.0 * t))
    axle = dt.Revolute((0, 0, 0), (0, 0, 1), actuation=[motor])
    scene.add_joint("axle", axle, "ground", "wheel")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = dt.simulate(scene, END, h, method, scheme, progress=False, check=False)
    R = result.rotation("wheel")
    turned = np.arctan2(R[:, 1, 0], R[:, 0, 0])
    assert turned == pytest.approx(result.time + result.time**2, abs=1.01 * h * END)
    assert result.angular_velocity("wheel")[-1, 2] == pytest.approx(1.0 + 2.0 * END, abs=1.01 * h)
