"""A search that moves nothing any more ends: what is left of the energy is rounding."""

import sys
from pathlib import Path

import pytest

from dovetail.contact.ipc import solver
from dovetail.integrators import default_for

sys.path.insert(0, str(Path(__file__).parents[4] / "benchmarks"))


def test_no_step_of_a_bearing_goes_on_at_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two steps of the first 155 took 3000 iterations of 1e-11 of their directions, then halves."""
    from ipc_machines import bearing

    attempts = []
    compiled = solver.step

    def counted(*arguments):
        outcome = compiled(*arguments)
        attempts.append(solver.StepOutcome(*outcome).iterations)
        return outcome

    monkeypatch.setattr(solver, "step", counted)
    machine = bearing(friction=0.0)
    model = machine.scene.build()
    stepper = default_for(machine.law, model).start(model, machine.law)
    for k in range(155):
        stepper.step((k + 1) * machine.h)
    assert len(attempts) >= 155
    assert max(attempts) < 500
