"""Linkages of textbooks under the default scheme: closed, energy kept, each with its property."""

import warnings

import numpy as np
import pytest

import dovetail as dt
from dovetail.validation.dae_problems.andrews import andrews
from dovetail.validation.dae_problems.textbook import MECHANISMS, rubbing_andrews

SMOOTH = [name for name, (build, _, _) in MECHANISMS.items() if build is not rubbing_andrews]


def run(name, step, most):
    build, check, seconds = MECHANISMS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # starting velocities are made to fit
        result = dt.simulate(build(), min(seconds, most * step), step, progress=False)
    assert result.constraint_violation["position"].max() < 1e-12
    return result, check(result) if check else 0.0


@pytest.mark.parametrize("name", SMOOTH)
def test_a_textbook_mechanism_keeps_its_energy_and_property(name):
    """Energy to a hundredth of that of the motion at 1e-2 s, and of the fourth or second order."""
    errors, moving = [], 0.0
    for step, most in ((1e-2, 100), (5e-3, 200), (1e-5, 20)):
        result, off = run(name, step, most)
        assert off < 1e-12
        total = result.energy["total"]
        moving = max(moving, np.max(result.energy["kinetic"]))
        errors.append(np.abs(total - total[0]).max() / moving)
    assert errors[0] < 1e-2
    assert errors[1] < max(0.3 * errors[0], 1e-11)
    assert errors[2] < 1e-11


def test_dry_friction_takes_energy_out_of_andrews_mechanism_at_any_step():
    ends = []
    for step in (1e-4, 5e-5, 2.5e-5):
        result, _ = run("Andrews' with dry friction", step, 10**6)
        ends.append(result.rotation("K1")[-1][0, 0])
    free = dt.simulate(andrews(), 0.03, 1e-4, progress=False)
    coarse, fine = np.abs(np.diff(ends))
    assert fine < 0.5 * coarse < 3e-3  # at least first order where joints change direction
    assert result.energy["kinetic"][-1] < 0.9 * free.energy["kinetic"][-1]
