"""Energies of motors, limits, springs and dampers against their derivatives; multipliers."""

import numpy as np
import pytest

from dovetail.contact.ipc.joints.energies import row_energy
from dovetail.contact.ipc.joints.multipliers import CONVERGED, MAX_STALLED, update_multipliers
from dovetail.contact.ipc.joints.records import bundle_joints, joint_arrays, no_joints
from dovetail.multibody.constraints.bodies import DAMPER, EFFORT, LIMIT, MOTOR

H, LENGTH = 0.1, 2.0


def one_row(role, side=1.0):
    """Arrays of a single row between no bodies in particular."""
    rows = no_joints(0).rows._replace(
        role=np.array([role]), side=np.array([side]), damping=np.array([3.0]),
        stiffness=np.array([50.0]), rest=np.array([0.2]), effort=np.array([4.0]),
        unit=np.ones(1), length=np.array([LENGTH]),
    )  # fmt: skip
    joints = joint_arrays(rows)
    joints.start.h[0], joints.start.reference[0], joints.start.time[0] = H, -0.1, H
    joints.multipliers.value[0], joints.multipliers.penalty[0] = 0.3, 7.0
    return joints


@pytest.mark.parametrize("phi", [-0.5, 0.02, 0.4])
@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("role", [MOTOR, LIMIT, DAMPER, EFFORT])
def test_derivatives_of_a_row_are_those_of_its_energy(role, side, phi):
    joints, eps = one_row(role, side), 1e-4

    def at(value):
        return row_energy(joints.rows, joints.start, joints.multipliers, 0, value)

    (low, _, _), (_, first, second), (high, _, _) = at(phi - eps), at(phi), at(phi + eps)
    assert first == pytest.approx((high - low) / (2 * eps), abs=1e-8)
    assert second == pytest.approx((high - 2 * at(phi)[0] + low) / eps**2, abs=1e-6)


def test_a_spring_pulls_to_its_rest_and_a_damper_against_its_motion():
    spring, damper = one_row(EFFORT), one_row(DAMPER)
    force = -row_energy(spring.rows, spring.start, spring.multipliers, 0, 0.5)[1] / H**2
    assert force == pytest.approx(4.0 - 50.0 * (0.5 - 0.2))
    force = -row_energy(damper.rows, damper.start, damper.multipliers, 0, 0.5)[1] / H**2
    assert force == pytest.approx(-3.0 * (0.5 + 0.1) / H)


def test_a_multiplier_becomes_the_force_that_holds_a_motor():
    """Minimising (l + K phi/2) phi - f phi and updating l leads to l = f and phi = 0."""
    joints, f = one_row(MOTOR), 2.0
    bundled, l, K = bundle_joints(*joints), joints.multipliers.value, 7.0
    for _ in range(3):
        phi = np.array([(f - l[0]) / K])
        if update_multipliers(bundled, phi):
            break
    assert l[0] == pytest.approx(f)
    assert abs(phi[0]) <= CONVERGED * LENGTH
    assert joints.multipliers.blocked[0] == 0


def test_a_limit_pulls_nobody_back():
    joints = one_row(LIMIT)
    assert not update_multipliers(bundle_joints(*joints), np.array([-0.5]))
    assert joints.multipliers.value[0] == 0.0
    assert update_multipliers(bundle_joints(*joints), np.array([-0.5]))


def test_a_motor_that_is_stopped_is_given_up_after_updates_without_progress():
    joints = one_row(MOTOR)
    bundled, stopped, updates = bundle_joints(*joints), np.array([0.3]), 0
    while not update_multipliers(bundled, stopped):
        updates += 1
    assert updates == MAX_STALLED
    assert joints.multipliers.blocked[0] == 1
