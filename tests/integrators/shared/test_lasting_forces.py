"""Mean forces of steps over two: what each body gets from its contacts is what it was given."""

import numpy as np
import pytest

from dovetail.contact.ipc.newton.two_step import two_steps
from dovetail.contact.ipc.report import BODY_A, BODY_B, COLUMNS, COUPLE, FORCE, POINT
from dovetail.integrators.shared.lasting_forces import mean_rows


def received(rows, x):
    """(n, 6) force and moment about the centre of each body."""
    total = np.zeros((len(x), 6))
    for row in rows:
        force, couple = row[FORCE : FORCE + 3], row[COUPLE : COUPLE + 3]
        for column, sign in ((BODY_A, 1.0), (BODY_B, -1.0)):
            i = int(row[column])
            if i < 0:
                continue
            moment = couple + np.cross(row[POINT : POINT + 3] - x[i], force)
            total[i] += sign * np.concatenate((force, moment))
    return total


@pytest.mark.parametrize("grounded", [True, False])
def test_each_body_of_a_group_gets_its_own_momentum(grounded):
    """Six bodies with loops of contacts; without ground their impulses add up to nothing."""
    rng, h, n = np.random.default_rng(3), 0.01, 7
    pairs = [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 6), (6, 4), (1, 6)]
    pairs += [(0, 1), (0, 5)] if grounded else []
    rows = np.zeros((len(pairs), COLUMNS))
    rows[:, :2] = pairs
    rows[:, POINT : POINT + 3] = rng.normal(size=(len(pairs), 3))
    rows[:, FORCE : FORCE + 3] = rng.normal(size=(len(pairs), 3))
    rows[:, COUPLE : COUPLE + 3] = rng.normal(size=(len(pairs), 3))
    x, two = rng.normal(size=(n, 3)), two_steps(n)
    two.led[1:] = two.alone[1:] = 1
    two.time[...], two.gain[...] = 2 / 3 * h, 1 / 3
    before = rows.copy()
    before[:, FORCE : FORCE + 3] *= rng.uniform(0.5, 1.5, size=(len(pairs), 1))
    two.carried[1:] = received(before, x)[1:] / 3 / h
    wanted = 2 / 3 * received(rows, x) + received(before, x) / 3
    got = received(mean_rows(rows, two, x, h), x)
    assert got[1:] == pytest.approx(wanted[1:], abs=1e-10)


def test_forces_that_last_stay_as_they_are():
    """The mean of a force that was the same in the step before is that force."""
    rng, h = np.random.default_rng(4), 0.01
    rows = np.zeros((5, COLUMNS))
    rows[:, :2] = [(0, 1), (0, 1), (1, 2), (1, 2), (0, 2)]
    rows[:, POINT : POINT + 3] = rng.normal(size=(5, 3))
    rows[:, FORCE : FORCE + 3] = rng.normal(size=(5, 3))
    x, two = rng.normal(size=(3, 3)), two_steps(3)
    two.led[1:] = two.alone[1:] = 1
    two.time[...], two.gain[...] = 2 / 3 * h, 1 / 3
    two.carried[1:] = received(rows, x)[1:] / 3 / h
    assert mean_rows(rows, two, x, h) == pytest.approx(rows, abs=1e-12)
