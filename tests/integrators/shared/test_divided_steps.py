"""Mechanisms pass positions that are nearly singular, by smaller steps there, and say so."""

import warnings

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import RunError
from dovetail.integrators.interface import StepReport
from dovetail.integrators.shared.divided_steps import GOOD, DividedSteps, DividedStepWarning


def nearly_a_parallelogram(mismatch):
    """A four-bar of cranks 1 m and 1 m + mismatch that spins through its flat position."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    angle, spin, base = 0.9, 5.0, 2.0
    c, s = np.cos(angle), np.sin(angle)
    tips = np.array([[c, 0, s], [base + c, 0, s]])
    R = np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
    for k, length in enumerate((1.0, 1.0 + mismatch)):
        foot = tips[k] - length * np.array([c, 0, s])
        centre = 0.5 * (foot + tips[k])
        spun = np.array([0.0, -spin, 0.0])
        scene.add_body(
            f"crank {k}", mass=1.0, inertia=(0.001, 1 / 12, 1 / 12), position=centre, rotation=R,
            velocity=np.cross(spun, centre - foot), angular_velocity=spun,
        )  # fmt: skip
        scene.add_joint(f"foot {k}", dt.Revolute(foot, (0, 1, 0)), "ground", f"crank {k}")
    scene.add_body(
        "bar", mass=0.1, inertia=(1e-4, 0.03, 0.03), position=tips.mean(axis=0),
        velocity=np.cross((0, -spin, 0), (c, 0, s)),
    )  # fmt: skip
    for k in range(2):
        scene.add_joint(f"tip {k}", dt.Revolute(tips[k], (0, 1, 0)), f"crank {k}", "bar")
    return scene


@pytest.mark.filterwarnings("ignore:the starting velocities")
@pytest.mark.parametrize("integrator", [None, "RATTLie", "DH", "JointCoordinates"])
@pytest.mark.parametrize("mismatch", [0.0, 1e-4, 1e-2])
def test_flat_positions_are_passed_with_bounded_energy(integrator, mismatch):
    with warnings.catch_warnings(record=True) as reported:
        warnings.simplefilter("always", DividedStepWarning)
        result = dt.simulate(
            nearly_a_parallelogram(mismatch), duration=1.0, step=5e-3, integrator=integrator
        )
    total, size = result.energy["total"], result.energy["kinetic"].max()
    assert sum(one.category is DividedStepWarning for one in reported) <= 1
    assert np.ptp(total) < 0.02 * size
    assert result.constraint_violation["position"].max() < 1e-10


@pytest.mark.filterwarnings("ignore:the starting velocities")
@pytest.mark.filterwarnings("ignore::dovetail.integrators.shared.divided_steps.DividedStepWarning")
@pytest.mark.parametrize("integrator", ["RATTLie", "DH", "JointCoordinates"])
def test_flat_positions_are_passed_with_bounded_energy_where_joints_are_geared(integrator):
    """A coupling does no work, so energy still tells which steps to divide."""
    scene = nearly_a_parallelogram(1e-4)
    scene.add_body("wheel", mass=1.0, inertia=(0.05, 0.1, 0.05), position=(0, 1, 0))
    scene.add_joint("axle", dt.Revolute((0, 1, 0), (0, 1, 0)), "ground", "wheel")
    scene.add_coupling("gear", dt.Coupling({"axle": 1.0, "foot 0": -1.0}))
    result = dt.simulate(scene, duration=1.0, step=5e-3, integrator=integrator)
    total, size = result.energy["total"], result.energy["kinetic"].max()
    assert np.ptp(total) < 0.02 * size
    assert result.constraint_violation["position"].max() < 1e-10


class Drifting:
    """A stepper whose kinetic energy grows by c dt^2 in a step of dt: 1 + c in one of 1 s."""

    def __init__(self, c):
        self.c, self.t, self.energy, self.taken = c, 0.0, 1.0, []

    def snapshot(self):
        return {"all": np.array([self.t, self.energy])}

    def restore(self, snapshot):
        self.t, self.energy = snapshot["all"].tolist()

    def advance(self, t_next):
        self.taken.append(t_next - self.t)
        self.energy += self.c * (t_next - self.t) ** 2
        self.t = t_next
        return StepReport(1, 1e-12 * len(self.taken))


def divided(c, t=0.0):
    stepper = Drifting(c)
    stepper.t = t
    steps = DividedSteps(stepper, stepper.advance, lambda: stepper.energy)
    steps.begin(1.0)
    return stepper, steps


@pytest.mark.parametrize("t", [0.0, 7.0])
def test_substeps_are_as_small_as_the_energy_needs_and_go_on_in_the_next_step(t):
    stepper, steps = divided(512 * 0.5 * GOOD, t)  # one and two halves of 1/16 differ by GOOD / 2
    said = rf"at t = {t + 1:.0f} s a step of 1 s was divided, down to 0.062 s"
    with pytest.warns(DividedStepWarning, match=said):
        report = steps.step(t, t + 1.0, None)
    assert stepper.t == t + 1.0 and steps.active and steps.h == 1 / 16
    assert report.iterations == 16 * 3
    steps.step(t + 1.0, t + 2.0, None)  # a second warning would be an error here
    assert stepper.t == t + 2.0 and min(stepper.taken) == 1 / 32


@pytest.mark.parametrize("t", [0.0, 7.0])
def test_whole_steps_are_tried_again_where_large_substeps_are_good(t):
    stepper, steps = divided(0.0, t)
    with pytest.warns(DividedStepWarning, match=r"step of 1 s was divided, down to 0.25 s"):
        steps.step(t, t + 1.0, None)
    assert stepper.t == t + 1.0 and not steps.active
    assert stepper.taken[0] == 0.25 and max(stepper.taken) == 0.5  # the second is twice as large


def test_energy_that_jumps_whatever_the_substep_is_an_error():
    stepper, t = Drifting(0.0), 7.0
    jumps = iter(range(10**6))
    steps = DividedSteps(stepper, stepper.advance, lambda: float(1 + next(jumps) % 2))
    steps.begin(1.0)
    with pytest.raises(RunError, match="no substep down to 6e-08 s resolves the motion"):
        steps.step(t, t + 1.0, None)


def test_a_restored_one_divides_as_before():
    _, steps = divided(1.0)
    _, other = divided(1.0)
    steps.h, other.h = 0.125, 0.5
    other.restore(steps.snapshot())
    assert other.h == 0.125
