"""Memory of the intersection-free step: it grows when asked, and what is known stays known."""

from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.ipc import queries
from dovetail.contact.ipc.islands.sleeping import ASLEEP, FELL, NEWLY, WOKE
from dovetail.contact.ipc.report import COLUMNS, ENERGY, GAP
from dovetail.contact.ipc.solver import BLOCKS, BODIES, CANDIDATES, ITERATES, PAIRS
from dovetail.contact.ipc.status import StepStatus
from dovetail.contact.ipc.workspace import make_motion


def a_solver(friction=0.0, gap=1.0):
    """A floor, and two boxes above it and beside each other."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    for k in range(2):
        scene.add_body(f"box{k}", dt.Box((1, 1, 1)), density=1000, position=(2 * k, 0, 0.5 + gap))
    model = scene.build()
    x, R = np.array(model.position), np.array(model.rotation)
    motion = make_motion(x, R, np.zeros((3, 3)), np.zeros((3, 3)))
    solver = dt.contact.IPC(friction=friction, dhat=0.1).prepare(model).solver(motion)
    return solver, motion


def answers(*outcomes):
    """A kernel that gives these answers, one after another, and sees the arrays it is given."""
    left, seen = list(outcomes), []

    def kernel(parts, *arguments):
        seen.append((parts, arguments))
        status = left.pop(0)
        return SimpleNamespace(status=status)

    return kernel, seen


def rows_among(*bodies):
    rows = np.zeros((len(bodies), COLUMNS))
    for k, pair in enumerate(bodies):
        rows[k, :2], rows[k, ENERGY], rows[k, GAP] = pair, 10.0 + k, 0.01 * (k + 1)
    return rows


def test_a_motion_shares_its_arrays_and_begins_without_loads_and_awake():
    arrays = np.ones((2, 3)), np.ones((2, 3, 3)), np.ones((2, 3)), np.ones((2, 3))
    motion = make_motion(*arrays)
    assert all(mine is given for mine, given in zip(motion[:4], arrays))
    shapes = [array.shape for array in motion[4:]]
    assert shapes == [(2, 3, 3), (2, 3), (2, 3), (2,), (2,), (2, 7), (3,)]
    assert not any(array.any() for array in motion[4:])


def test_there_is_space_per_body_at_the_start():
    solver, _ = a_solver()
    least = BODIES[0]  # for fewer bodies
    assert solver._lists.pairs.shape == (2, PAIRS * least, 2)
    assert solver._lists.rows.shape == (2, CANDIDATES * least, 4)
    assert len(solver._workspace.iterates.x) == ITERATES[1]
    assert solver._blocks == BLOCKS * least


@pytest.mark.parametrize(
    ("status", "grows", "by"),
    [
        (StepStatus.ITERATES_FULL, lambda s: len(s._workspace.iterates.x), 4),
        (StepStatus.FACTOR_FULL, lambda s: s._blocks, 4),
    ],
)
def test_what_is_too_small_becomes_four_times_as_large(status, grows, by):
    solver, _ = a_solver()
    before = grows(solver)
    kernel, seen = answers(status, StepStatus.CONVERGED)
    assert solver._call(kernel, "argument").status == StepStatus.CONVERGED
    assert grows(solver) == by * before
    assert [given for _, given in seen] == [("argument",)] * 2
    assert seen[0][0] is not seen[1][0] and seen[1][0] is solver._parts


def test_lists_get_what_they_need_and_half_as_many_pairs_more():
    solver, _ = a_solver()
    counters = solver._lists.counters[0]
    counters.pairs_needed, counters.candidates_needed = 1000, 9000
    kernel, _ = answers(StepStatus.LISTS_FULL, StepStatus.CONVERGED)
    solver._call(kernel)
    assert solver._lists.pairs.shape[1] == 1500 and solver._lists.rows.shape[1] == 9000
    counters = solver._lists.counters[0]
    counters.pairs_needed, counters.candidates_needed = 3, 5  # never less than there is
    kernel, _ = answers(StepStatus.LISTS_FULL, StepStatus.CONVERGED)
    solver._call(kernel)
    assert solver._lists.pairs.shape[1] == 1500 and solver._lists.rows.shape[1] == 9000


def test_friction_grows_by_itself():
    solver, _ = a_solver(friction=0.5)
    lists = solver._lists
    grown = []
    inner, solver.friction.grow = solver.friction.grow, lambda: (grown.append(1), inner())
    kernel, seen = answers(StepStatus.FRICTION_FULL, StepStatus.CONVERGED)
    solver._call(kernel)
    assert len(grown) == 1 and len(seen) == 2 and solver._lists is lists
    assert seen[0][0] is not seen[1][0]  # the second call has the larger arrays
    kernel, seen = answers(StepStatus.CONVERGED)
    solver._call(kernel)
    assert seen[0][0] is solver._parts


@pytest.mark.parametrize("status", [s for s in StepStatus if s >= StepStatus.TOUCHING])
def test_steps_that_fail_are_not_tried_with_more_memory(status):
    solver, _ = a_solver()
    lists = solver._lists
    kernel, seen = answers(status)
    assert solver._call(kernel).status == status and len(seen) == 1 and solver._lists is lists


def test_what_is_known_stays_when_memory_grows():
    solver, _ = a_solver()
    known = {"pairs": np.array([[0, 1], [1, 2]], np.int32), "values": np.array([[1.0, 2], [3, 4]])}
    solver.restore_pairs(known)
    poses = np.arange(9.0).reshape(3, 3), np.arange(27.0).reshape(3, 3, 3)
    for kept in (solver._workspace.iterate, solver._workspace.predicted):
        kept.x[...], kept.R[...] = poses
    for number, scale in enumerate(solver._lists.scales):
        scale[...] = number + 1.0
    solver._workspace.iterates.x[:] = 5.0
    solver._workspace.iterates.R[:] = 6.0
    kernel, _ = answers(StepStatus.ITERATES_FULL, StepStatus.CONVERGED)
    solver._call(kernel)
    for name, array in solver.pairs_snapshot().items():
        assert np.array_equal(array, known[name])
    for kept in (solver._workspace.iterate, solver._workspace.predicted):
        assert np.array_equal(kept.x, poses[0]) and np.array_equal(kept.R, poses[1])
    assert [{*scale.tolist()} for scale in solver._lists.scales] == [{1.0}, {2.0}, {3.0}]
    path = solver._workspace.iterates
    assert (path.x[: ITERATES[1]] == 5.0).all() and (path.R[: ITERATES[1]] == 6.0).all()
    assert not path.x[ITERATES[1] :].any()
    assert solver.targets[0] is solver._workspace.predicted.x


def test_more_pairs_than_there_is_space_for_are_restored():
    solver, _ = a_solver()
    space = len(solver._lists.memory.pairs)
    count = space + 10
    known = {
        "pairs": np.column_stack([np.arange(count), np.arange(count) + 1]).astype(np.int32),
        "values": np.random.default_rng(0).normal(size=(count, 2)),
    }
    solver._lists.counters[0].sweeps = 3
    solver.restore_pairs(known)
    assert len(solver._lists.memory.pairs) == count + count // 2
    for name, array in solver.pairs_snapshot().items():
        assert np.array_equal(array, known[name])
    assert solver._lists.counters[0].sweeps == 0  # lists are made again
    exactly, _ = a_solver()
    exactly.restore_pairs({name: array[:space] for name, array in known.items()})
    assert len(exactly._lists.memory.pairs) == space


def test_contacts_of_sleeping_bodies_are_reported_with_those_found():
    solver, motion = a_solver(gap=0.05)
    assert solver.contacts(0.01)[2] == pytest.approx(0.05)
    motion.asleep[1:], motion.sleep_counts[FELL] = NEWLY, 2
    solver.sleeping.update(rows_among((1, 0), (2, 0)))
    rows, energy, least = solver.contacts(0.01)
    listed = solver.listed(0.01)
    assert len(rows) == len(listed[0]) + 2 and energy == listed[1] + 21.0 and least == 0.01
    assert np.array_equal(rows[-2:], rows_among((1, 0), (2, 0)))


def test_bodies_that_fell_asleep_keep_their_contacts_until_they_wake():
    solver, motion = a_solver()
    sleeping = solver.sleeping
    motion.asleep[1:], motion.sleep_counts[:] = (1, NEWLY), (2, 1, 0)
    sleeping.update(rows_among((2, 0), (1, 2)))
    assert motion.asleep.tolist() == [0, 1, 1] and not sleeping.changed
    assert motion.sleep_counts[ASLEEP] == 2
    assert sleeping.rows[:, :2].tolist() == [[2, 0], [1, 2]]
    kept = sleeping.snapshot()
    motion.asleep[1], motion.sleep_counts[WOKE] = 0, 1
    assert sleeping.changed
    sleeping.update(rows_among((1, 0)))
    assert sleeping.rows[:, :2].tolist() == [[2, 0]] and sleeping.energy == 10.0
    solver._lists.counters[0].sweeps = 2
    solver.restore_sleeping(kept)
    assert solver._lists.counters[0].sweeps == 0
    assert motion.asleep.tolist() == [0, 1, 1] and motion.sleep_counts.tolist() == [2, 0, 0]
    assert sleeping.energy == 21.0 and sleeping.least_gap == 0.01


def test_a_step_counts_the_contacts_of_sleeping_bodies():
    solver, motion = a_solver()
    still = solver.step(0.01, 0.0, 1e-2, 100)
    assert still.status == StepStatus.CONVERGED and still.contacts == 0
    motion.asleep[1:] = 1
    solver.sleeping.restore(solver.sleeping.snapshot() | {"contacts": rows_among((1, 0), (2, 0))})
    slept = solver.step(0.01, 0.0, 1e-2, 100)
    assert slept.contacts == 2 and slept.least_distance == 0.01


def test_the_way_of_a_body_that_fell_asleep_since_is_looked_at_too():
    """Box 1 fell asleep where box 0 has passed through it: awake or not, that way is not free."""
    solver, motion = a_solver()
    x, R = motion.x.copy(), motion.R.copy()
    assert solver.is_path_collision_free(x, R)
    x[1, 0] += 4.0
    assert not solver.is_path_collision_free(x, R)
    motion.asleep[1:] = 1
    assert not solver.is_path_collision_free(x, R)
    assert motion.asleep.tolist() == [0, 1, 1] and solver._lists.counters[0].sweeps == 0
    x[1] = motion.x[1] + [0.0, 4.0, 0.0]
    assert solver.is_path_collision_free(x, R)


def test_a_step_of_one_iteration_has_no_waypoints(monkeypatch):
    solver, _ = a_solver()
    for iterations in (0, 1):
        x, R = solver.waypoints(iterations)
        assert x.shape == (0, 3, 3) and R.shape == (0, 3, 3, 3)
    asked = []
    solver._workspace.iterates.x[:3] = np.arange(3.0)[:, None, None]
    solver._workspace.iterates.R[:3] = np.arange(3.0)[:, None, None, None]
    solver._workspace.iterates.chosen[:2] = 2, 1

    def chosen(parts, iterations, dmin):
        asked.append(iterations)
        return queries.PathCheck(StepStatus.OK, False, 2)

    monkeypatch.setattr(queries, "check_path", chosen)
    x, R = solver.waypoints(2)
    assert asked == [2] and x[:, 0, 0].tolist() == [2.0, 1.0] and R[:, 0, 0, 0].tolist() == [2, 1]


def test_loads_connect_the_bodies_that_are_named():
    solver, _ = a_solver()
    terms = solver.connect_by_loads(np.array([[1, 2]]))
    assert terms is solver.loads is solver._workspace.loads and terms.bodies.tolist() == [[1, 2]]
    assert len(solver._workspace.system.linked) == len(solver._lists.pairs[0]) + 1


def test_a_pair_of_the_last_step_is_named_by_its_bodies():
    solver, _ = a_solver()
    lists = solver._lists
    lists.pairs[1, 3], lists.counters[0].active_buffer = (1, 2), 1
    assert solver.body_pair(3) == (1, 2)
    assert solver.slot.tolist() == [-1, 0, 1]
    assert solver.radius.tolist() == pytest.approx([0.0, np.sqrt(0.75), np.sqrt(0.75)])
