"""The forces that a step expects of the one before."""

from types import SimpleNamespace

import numpy as np
import pytest

from dovetail.integrators.barrier_verlet.reactions import Reactions
from dovetail.multibody.constraints.bodies import DAMPER, LIMIT

H = 0.01  # [s]
JOINTS = np.array([[0, 1], [-1, 2]])  # bodies of two rows; -1 is the ground
CONTACTS = np.array([[0, 2], [1, 2], [0, 2]])


def problem(joint_impulses, contact_impulses, seed=0):
    """Rows of two joint coordinates and of three contacts (normal and two tangents each)."""
    J = np.random.default_rng(seed).normal(size=(2 + 9, 12))
    J[1, :6] = 0.0  # the ground
    body = np.concatenate([JOINTS, np.repeat(CONTACTS, 3, axis=0)])
    lam = np.concatenate([joint_impulses, np.ravel(contact_impulses)])
    return SimpleNamespace(n_joint=2, n_rows=11, lam=lam, rows=SimpleNamespace(J=J, body=body))


def impulse(force, expected):
    """What a velocity stage finds where the force is constant."""
    return 0.5 * H * (2 * force - expected)


def on_bodies(J, body, forces):
    total = np.zeros((3, 6))
    for row, (a, b), f in zip(J, body, forces):
        if a >= 0:
            total[a] += f * row[:6]
        if b >= 0:
            total[b] += f * row[6:]
    return total


def test_a_constant_force_is_expected_as_it_is_from_the_first_step_on():
    force, normal = np.array([3.0, -5.0]), np.arange(1.0, 10.0).reshape(3, 3)
    reactions = Reactions(3, np.array([LIMIT, LIMIT]))
    expected, expected_normal = np.zeros(2), np.zeros((3, 3))
    for _ in range(3):
        made = problem(impulse(force, expected), impulse(normal, expected_normal))
        reactions.update(made, CONTACTS, H)
        assert reactions.rows == pytest.approx(force)
        forces = np.concatenate([force, normal.ravel()])
        assert reactions.wrench == pytest.approx(on_bodies(made.rows.J, made.rows.body, forces))
        expected, expected_normal = force, normal


def test_contacts_that_open_are_no_longer_expected():
    reactions = Reactions(3, np.array([LIMIT, LIMIT]))
    reactions.update(problem(np.zeros(2), np.ones((3, 3))), CONTACTS, H)
    assert reactions.wrench.any()
    open_now = problem(np.zeros(2), np.zeros((3, 3)))
    reactions.update(open_now, CONTACTS, H)
    assert not reactions.wrench.any() and len(reactions.snapshot()["pairs"]) == 0


def test_dampers_are_expected_as_they_are_at_the_end():
    """They follow the velocity, so the mean over the step is not what acts at its end."""
    reactions = Reactions(3, np.array([DAMPER, LIMIT]))
    lam = np.array([0.02, 0.03])
    reactions.update(problem(lam, np.zeros((3, 3))), CONTACTS, H)
    assert reactions.rows == pytest.approx([2 * 0.02 / H, 0.03 / H])
    reactions.update(problem(lam, np.zeros((3, 3))), CONTACTS, H, dampers=np.array([7.0, 8.0]))
    assert reactions.rows == pytest.approx([7.0, 0.03 / H + 0.5 * 0.03 / H])


def test_a_restored_one_goes_on_as_if_nothing_had_happened():
    first, second = Reactions(3, np.array([LIMIT, LIMIT])), Reactions(3, np.array([LIMIT, LIMIT]))
    rng = np.random.default_rng(5)
    steps = [problem(rng.normal(size=2), rng.normal(size=(3, 3)), seed) for seed in (1, 2)]
    first.update(steps[0], CONTACTS, H)
    kept = first.snapshot()
    assert kept["pairs"].tolist() == [[0, 2], [1, 2]] and kept["forces"].shape == (2, 12)
    second.restore(kept)
    assert np.array_equal(second.wrench, first.wrench)
    assert np.array_equal(second.rows, first.rows)
    for one in (first, second):
        one.update(steps[1], CONTACTS, H)
    assert np.array_equal(second.wrench, first.wrench)
    assert np.array_equal(kept["wrench"], kept["wrench"]) and not np.shares_memory(
        kept["rows"], second.rows
    )
    assert {k: v.tolist() for k, v in second.snapshot().items()} == {
        k: v.tolist() for k, v in first.snapshot().items()
    }


def test_a_cleared_one_expects_nothing_and_remembers_nothing():
    reactions, fresh = (
        Reactions(3, np.array([LIMIT, LIMIT])),
        Reactions(3, np.array([LIMIT, LIMIT])),
    )
    made = problem(np.ones(2), np.ones((3, 3)))
    reactions.update(made, CONTACTS, H)
    reactions.clear()
    assert not reactions.wrench.any() and not reactions.rows.any()
    for one in (reactions, fresh):
        one.update(made, CONTACTS, H)
    assert np.array_equal(reactions.wrench, fresh.wrench)
