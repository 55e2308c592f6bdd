"""DL: velocities are not projected; where they would miss the joints by much, the nearest fit."""

import warnings

import numpy as np
import pytest

import dovetail as dt
from dovetail.examples import get
from dovetail.integrators import DH, DL

MOST = 0.2  # of the speed


def run(scene, scheme, h, seconds):
    """Poses, momenta (linear, and angular about the origin), largest miss over the speed."""
    model = scene.build()
    stepper = scheme.start(model, None)
    x, momenta, worst = [], [], 0.0
    for k in range(1, round(seconds / h) + 1):
        stepper.step(k * h)
        state = stepper.bodies
        turning = np.einsum("nij,njk,nk->ni", state.R, model.inertia, state.omega)
        moving = model.mass[:, None] * state.v
        momenta.append([*moving.sum(axis=0), *(np.cross(state.x, moving) + turning).sum(axis=0)])
        speed = max(np.abs(state.v).max(), np.abs(state.omega).max())
        worst = max(worst, stepper.observe().constraint_velocity / max(speed, 1e-12))
        x.append(state.x.copy())
    return np.array(x), np.array(momenta), worst


@pytest.mark.parametrize("name", ["tree-robot", "scissor-lift", "stewart"])
def test_velocities_fit_the_joints_where_the_step_does_not_resolve_the_motion(name):
    """They missed them by as much as the speed. Without dampers poses are those of DH."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        x, _, worst = run(get(name).build(), DL(), 1e-2, 0.6)
    assert worst <= MOST
    if name == "scissor-lift":  # a loop whose rows follow from others
        assert any("velocities would miss the joints by" in str(one.message) for one in said)
    if name != "tree-robot":
        expected = run(get(name).build(), DH(), 1e-2, 0.6)[0]
        assert np.abs(x - expected).max() < 1e-7


def free_scissors(h):
    """Crossed bars on hinges, four stages of them, that spin in space: a step of h is coarse."""
    scene = dt.Scene()
    y, spin = (0, 1, 0), 0.2 / h
    for k in range(4):
        for name, sign in (("up", 1), ("down", -1)):
            turn = np.arctan2(0.4, sign * 1.0)
            turned = [[np.cos(turn), 0, -np.sin(turn)], [0, 1, 0], [np.sin(turn), 0, np.cos(turn)]]
            place = (0.0, 0.0, 0.4 * k)
            scene.add_body(
                f"{name}{k}", mass=1, inertia=(1e-3, 0.1, 0.1), position=place, rotation=turned,
                angular_velocity=(0, -spin * (1 if sign > 0 else 0.5), 0),
            )  # fmt: skip
        scene.add_joint(f"middle{k}", dt.Revolute((0, 0, 0.4 * k), y), f"up{k}", f"down{k}")
        if k:
            z = 0.4 * k - 0.2
            scene.add_joint(f"left{k}", dt.Revolute((-0.5, 0, z), y), f"down{k - 1}", f"up{k}")
            scene.add_joint(f"right{k}", dt.Revolute((0.5, 0, z), y), f"up{k - 1}", f"down{k}")
    return scene


@pytest.mark.filterwarnings("ignore:the starting velocities", "ignore:at t = ")
def test_both_momenta_are_kept_in_such_steps():
    h = 1e-2
    _, momenta, worst = run(free_scissors(h), DL(), h, 1.0)
    assert worst <= MOST
    assert np.ptp(momenta, axis=0).max() < 1e-9 * np.abs(momenta).max()
