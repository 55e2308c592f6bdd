"""A nut on an M20 bolt under its own weight: friction alone decides whether it stays."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.model.shapes.threads import Thread, bolt, nut

M20, SQUARE = Thread(0.020, 0.0025), Thread(0.020, 0.0025, flank_angle=0.0)
G, CLEARANCE = 9.81, 2e-4
CREEP = 2e-4  # [m/s] v_s of the friction law: what slides slower is held


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "fields"
    monkeypatch.setattr("dovetail.collision.sdf.building.field_folder", lambda: folder)


def released(thread: Thread, friction: float, duration: float) -> dt.Result:
    """The nut starts on the lower flanks; bolt and nut have corners at different angles.

    Flat flanks do not centre the nut; there the springs must be so soft that depths of 40 um exceed
    the ripples of the grids, which else act as friction.
    """
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("bolt", bolt(thread, 4, segments=64), density=7850, motion="static")
    sunk = 0.99 * CLEARANCE / np.cos(thread.flank_angle)
    scene.add_body(
        "nut", nut(thread, 1.5, 0.030, clearance=CLEARANCE, segments=75, rows=2), density=7850,
        position=(0, 0, 1.5 * thread.pitch - sunk),
    )  # fmt: skip
    law = dt.contact.SDF(
        friction=(friction, friction, CREEP, 2 * CREEP), restitution=0.1,
        stiffness=6e4 if thread.flank_angle else 3e3,
        resolution=160,
    )  # fmt: skip
    # the law resolved in time, which these springs are chosen for
    return dt.simulate(scene, duration, 1e-4, contact=law, integrator="LieVerlet", every=10)


def turning_rate(result: dt.Result) -> float:
    """[rad/s^2] downward, over the second half."""
    spin, half = result.angular_velocity("nut")[:, 2], len(result.time) // 2
    return float((spin[half] - spin[-1]) / (result.time[-1] - result.time[half]))


def expected_rate(thread: Thread, nut_body, mu: float) -> float:
    """[rad/s^2] from the balance of force and torque at the pitch radius, sliding down.

    m a = m g - N (1/D + mu sin l),  J a / (r tan l) = r N (tan l / D - mu cos l) with
    D = sqrt(1 + tan(a)^2 + tan(l)^2) of the flank's normal.
    """
    t, r = thread.lead_tangent, thread.pitch_radius
    D, cos = np.sqrt(1 + np.tan(thread.flank_angle) ** 2 + t * t), 1 / np.sqrt(1 + t * t)
    per_force = (1 / D + mu * t * cos) / (r * (t / D - mu * cos))
    m, J = nut_body.mass, nut_body.inertia[2, 2]
    a = m * G / (m + J / (r * t) * per_force)
    return float(2 * np.pi / thread.pitch * a)


@pytest.mark.slow
@pytest.mark.parametrize(("thread", "locks"), [(M20, 0.0375), (SQUARE, 0.0433)])
def test_a_nut_runs_down_below_the_friction_of_its_lead_and_holds_itself_above(thread, locks):
    assert thread.lead_tangent == pytest.approx(0.0433, abs=1e-4)
    assert thread.self_locking_friction == pytest.approx(locks, abs=1e-4)
    runs = released(thread, 0.02, 0.03)
    expected = expected_rate(thread, runs.scene.bodies["nut"], 0.02)
    # the nut leans in its clearance, so the flanks do not bear at the pitch radius alone
    assert turning_rate(runs) == pytest.approx(expected, rel=0.15)
    holds = released(thread, 0.045, 0.03)  # above 0.0433
    assert abs(holds.angular_velocity("nut")[-1, 2]) * thread.pitch_radius < CREEP
    assert abs(turning_rate(holds)) < 0.02 * expected
