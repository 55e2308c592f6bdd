"""A step that does not converge is divided, recorded, and grows again."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.law import ContactRecord, ContactReport
from dovetail.errors import RunError
from dovetail.integrators import BarrierVerlet, ImplicitEuler
from dovetail.integrators.interface import StepReport
from dovetail.integrators.shared.substeps import MAX_ATTEMPTS, Substeps
from dovetail.multibody.state import BodyState


class Stubborn:
    """A stepper that takes only steps up to `largest` [s]; its body moves at 1 m/s."""

    def __init__(self, largest):
        self.largest, self.taken = largest, []
        self.bodies = BodyState(0.0, np.zeros((1, 3)), np.eye(3)[None], *np.zeros((2, 1, 3)))

    def advance(self, t_next):
        h = t_next - self.bodies.t
        if h > self.largest:
            raise RunError("too long", t_next)
        self.taken.append(h)
        self.bodies.t = t_next
        self.bodies.x[0, 0] = t_next
        return StepReport(2, h, settled=len(self.taken) > 1)

    def waypoints_of_substep(self):
        return self.bodies.x[None] - 1e-3, self.bodies.R[None].copy()

    def contacts_of_substep(self):
        row = np.array([[0.0, 0.0, self.bodies.t]])  # a force that tells when it acted
        return ContactReport(ContactRecord(np.zeros((1, 2), np.int32), row, row, row, np.zeros(1)))

    def snapshot(self):
        return {"t": np.array(self.bodies.t)}

    def restore(self, snapshot):
        self.bodies.t = float(snapshot["t"])


def test_a_step_that_fails_is_taken_in_parts_that_grow_again():
    stepper = Stubborn(0.3)
    steps = Substeps(stepper, stepper.advance)
    report = steps.step(1.0)
    assert stepper.bodies.t == 1.0
    assert sum(stepper.taken) == pytest.approx(1.0)
    assert report.iterations == 2 * len(stepper.taken)
    assert report.rejected >= 2
    assert not report.settled
    x, _ = steps.waypoints()
    ends = np.cumsum(stepper.taken)[:-1]
    mean = steps.contacts().contacts.forces.sum(axis=0)[2]
    assert mean == pytest.approx(np.dot(stepper.taken, np.cumsum(stepper.taken)))
    np.testing.assert_allclose(x[1::2, 0, 0], ends)  # where the parts met
    np.testing.assert_allclose(x[::2, 0, 0], np.append(ends, 1.0) - 1e-3)  # and what each passed
    stepper.largest = 10.0
    taken = len(stepper.taken)
    steps.step(2.0)
    assert len(stepper.taken) - taken > 1  # carefully
    assert steps.step(3.0).rejected == 0
    assert stepper.taken[-1] == 1.0  # whole again
    assert len(steps.waypoints()[0]) == 1


def test_what_fails_at_any_step_is_the_first_error_and_leaves_the_start():
    stepper = Stubborn(1e-9)
    with pytest.raises(RunError, match="t = 1 s: too long"):
        Substeps(stepper, stepper.advance).step(1.0)
    assert stepper.bodies.t == 0.0


@pytest.mark.parametrize("scheme", [ImplicitEuler(), BarrierVerlet()], ids=lambda s: s.name)
def test_a_run_with_too_few_iterations_for_its_step_gets_through(scheme):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body(
        "box", dt.Box((1, 1, 1)), mass=1.0, position=(0, 0, 0.8), rotation=(0.8, 0.6, 0, 0)
    )
    contact = dt.contact.IPC(max_newton_iterations=6)
    result = dt.simulate(scene, 0.5, 0.05, contact, integrator=scheme, progress=False)
    assert result.status == "finished"
    assert result.stats["rejected"].sum() > 0
    assert np.min(result.min_distance) > 0.0


def test_a_step_that_takes_too_many_parts_ends_with_the_cause_and_leaves_the_start():
    stepper = Stubborn(2.0 / MAX_ATTEMPTS)  # parts that would do, with the tries of longer ones
    Substeps(stepper, stepper.advance).step(1.0)
    assert stepper.bodies.t == 1.0
    stepper = Stubborn(0.5 / MAX_ATTEMPTS)
    steps = Substeps(stepper, stepper.advance)
    with pytest.raises(RunError, match=r"a step of 1 s was tried in \d+ parts.* too long") as error:
        steps.step(1.0)
    assert 0.0 < error.value.time < 1.0
    assert stepper.bodies.t == 0.0
    assert steps.part == 1.0
