"""Recorded forces of joints are those that Newton's and Euler's equations ask for of the motion."""

import warnings

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3

G, H = 9.81, 1e-5
SCHEMES = ["RATTLie", "DH", "DL", "JointCoordinates", "EulerParameterDAE", "StewartTrinkle",
           "CompliantEuler", "ImplicitEuler", "BarrierVerlet"]  # fmt: skip
LINKS = (("a", 1.3, (0.3, 0.1, -0.1)), ("b", 0.7, (0.7, 0.1, -0.3)))


def chain(first, second):
    """Two links that move, each joint with springs and dampers along its coordinates."""
    scene = dt.Scene(gravity=(0, 0, -G))
    for k, (name, mass, place) in enumerate(LINKS):
        scene.add_body(
            name, dt.Box((0.4, 0.1, 0.2)), mass=mass, position=place,
            rotation=so3.exp([0.2, 0.4 * k, 0.3]), velocity=(0.3, 0.2 - k, 0.4),
            angular_velocity=(0.5, -1.0 + k, 0.3),
        )  # fmt: skip
    scene.add_joint("base", first, "ground", "a")
    scene.add_joint("wrist", second, "a", "b")
    return scene


def acts(count):
    return [
        dt.Actuation(stiffness=3.0 + k, damping=0.2 * (k + 1), rest=0.3 - 0.2 * k)
        for k in range(count)
    ]


CHAINS = {
    "spherical": lambda: chain(
        dt.Spherical((0.1, 0, 0), actuation=[dt.Actuation(damping=0.3)] * 3),
        dt.Spherical((0.5, 0.1, -0.2), actuation=[dt.Actuation(damping=0.2)] * 3),
    ),
    "universal": lambda: chain(
        dt.Universal((0.1, 0, 0), (1, 0, 0), (0, 1, 0), actuation=acts(2)),
        dt.Universal((0.5, 0.1, -0.2), (0, 0, 1), (0, 1, 0), actuation=acts(2)),
    ),
    "cylindrical": lambda: chain(
        dt.Cylindrical((0.1, 0, 0), (0, 0.6, 0.8), actuation=acts(2)),
        dt.Cylindrical((0.5, 0.1, -0.2), (1, 0, 0), actuation=acts(2)),
    ),
    "planar": lambda: chain(
        dt.Planar((0.1, 0, 0), (0, 0, 1), actuation=acts(3)),
        dt.Revolute((0.5, 0.1, -0.2), (0, 0.8, 0.6), actuation=acts(1)),
    ),
}


FIRST_STEP = pytest.mark.xfail(
    strict=True,
    reason="ImplicitEuler's first step, which is of first order, changes the spins of linked bodies"
    " in space by a percent too much or too little",
)
CASES = [
    pytest.param(
        joints, scheme, frame,
        marks=[FIRST_STEP] * ((scheme, frame) == ("ImplicitEuler", 0) and joints != "planar"),
    )
    for joints in CHAINS for scheme in SCHEMES for frame in (0, 2)
]  # fmt: skip


@pytest.mark.parametrize(("joints", "scheme", "frame"), CASES)
def test_joints_carry_what_the_motion_of_the_links_asks_for(scheme, joints, frame):
    """m a - m g and dL/dt of each link, by differences over steps of 10 us; also at the start."""
    scene = CHAINS[joints]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # velocities that are fitted to the joints
        result = dt.simulate(scene, 4 * H, H, integrator=scheme, progress=False, check=False)
    model = result.scene.build()
    wanted, found = [], []
    before, after = max(frame - 1, 0), frame + 1
    h = (after - before) * H
    for i, (name, mass, _) in enumerate(LINKS):
        v, x, R = (np.array(part) for part in (
            result.velocity(name), result.position(name)[frame], result.rotation(name)
        ))  # fmt: skip
        spins = result.angular_velocity(name)
        L = [R[k] @ model.inertia[i] @ R[k].T @ spins[k] for k in (before, after)]
        wanted.append([
            mass * (v[after] - v[before]) / h + mass * np.array([0, 0, G]), (L[1] - L[0]) / h
        ])  # fmt: skip
        own = result.joint(("base", "wrist")[i]).reaction
        force, torque = own.force[frame].copy(), own.torque[frame].copy()
        torque += np.cross(own.point[frame] - x, force)
        if name == "a":
            other = result.joint("wrist").reaction
            force -= other.force[frame]
            torque -= other.torque[frame] + np.cross(other.point[frame] - x, other.force[frame])
        found.append([force, torque])
    assert np.abs(np.array(found) - wanted).max() < 2e-3 * np.abs(wanted).max()
