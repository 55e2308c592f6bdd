"""Mean forces of contacts: half of what a step expected and what it found at its end."""

import numpy as np

from dovetail.contact.ipc.report import BODY_A, BODY_B, COLUMNS
from dovetail.integrators.barrier_verlet.mean_forces import MeanForces

H = 0.1


def contacts(*pairs):
    rows = np.zeros((len(pairs), COLUMNS))
    rows[:, BODY_A : BODY_B + 1] = np.array(pairs).reshape(-1, 2)
    return rows


def up(*sizes):
    return np.array([(0.0, 0.0, size) for size in sizes]).reshape(-1, 3)


def test_what_lands_is_pressed_by_half_of_its_weight_and_then_by_all_of_it():
    means = MeanForces()  # a weight of 2 N, which it meets in the middle of the first step
    _, first = means.update(contacts((1, 0)), up(0.5 * H * 2.0), H)
    _, second = means.update(contacts((1, 0)), up(H * 2.0 - 0.5 * H * first[0, 2]), H)
    _, third = means.update(contacts((1, 0)), up(H * 2.0 - 0.5 * H * second[0, 2]), H)
    np.testing.assert_allclose([first[0, 2], second[0, 2], third[0, 2]], [1.0, 2.0, 2.0])


def test_a_pair_that_parts_is_listed_once_more_with_what_it_began_the_step_with():
    means = MeanForces()
    means.update(contacts((1, 0), (2, 0)), up(0.3, 0.1), H)
    rows, forces = means.update(contacts((2, 0)), up(0.0), H)
    np.testing.assert_array_equal(rows[:, BODY_A], [2, 1])
    np.testing.assert_allclose(forces, up(0.5, 1.5))
    rows, forces = means.update(contacts((2, 0)), up(0.0), H)  # which expected nothing
    np.testing.assert_array_equal(forces, up(0.0))


def test_other_contacts_of_a_pair_share_its_force():
    means = MeanForces()
    means.update(contacts((1, 0)), up(0.4), H)
    _, forces = means.update(contacts((1, 0), (1, 0)), up(0.3, 0.1), H)
    np.testing.assert_allclose(forces, up(3.0 + 1.5, 1.0 + 0.5))


def test_snapshot_keeps_what_is_expected():
    means, again = MeanForces(), MeanForces()
    means.update(contacts((1, 0)), up(0.4), H)
    again.restore(means.snapshot())
    for one in (means, again):
        np.testing.assert_allclose(one.update(contacts((1, 0)), up(0.1), H)[1], up(3.0))
