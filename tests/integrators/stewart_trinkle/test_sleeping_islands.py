"""Which bodies fall asleep, with which contacts, and what wakes them."""

from types import SimpleNamespace

import numpy as np
import pytest

from dovetail.contact.impulse.warm_start import SolvedContacts, WarmStart
from dovetail.integrators.stewart_trinkle.rest_kernels import MIN_STEPS
from dovetail.integrators.stewart_trinkle.sleeping import TOUCHING, Sleeping

H, G = 0.1, 10.0
FLOOR, N = 0, 6  # body 0 cannot move


def contacts(*pairs, impulse=1.0, h=H):
    """Contacts of pairs of bodies, numbered in their gaps, all with an impulse upwards."""
    m = len(pairs)
    rows = np.zeros((m, 3))
    push = np.zeros((m, 3))
    push[:, 2] = impulse
    return SolvedContacts(
        np.array(pairs, np.int32).reshape(m, 2), rows, rows, rows, np.arange(m, dtype=float), push,
        np.array([h]),
    )  # fmt: skip


class World:
    """Bodies 1 to 5 of radius 1 mm and 1 kg under gravity, which may sleep."""

    def __init__(self, solved):
        may = np.arange(N) != FLOOR
        self.sleeping, self.warm_start = Sleeping(may, np.full(N, 1e-3)), WarmStart()
        self.warm_start.add(solved)
        self.u, self.loads = np.zeros((N, 6)), np.zeros((N, 6))
        self.loads[1:, 2] = -G
        self.inverse_mass = np.ones((N, 3))
        self.inverse_mass[0] = 0.0
        self.moving_others = np.zeros(N, bool)

    def rest(self, steps=MIN_STEPS):
        """What falls asleep in so many steps."""
        fallen = []
        for _ in range(steps):
            found = self.sleeping.update(
                self.u, self.loads, self.inverse_mass, H, self.warm_start, self.moving_others
            )
            fallen += found.tolist()
        return fallen


def test_an_island_sleeps_as_a_whole_and_only_what_is_held():
    """1 on the floor, 2 on 1; 3 on the floor; 4 on 5, which moves; nothing holds 5 besides."""
    world = World(contacts((1, 0), (2, 1), (3, 0), (4, 5)))
    world.u[5, 0] = 1.0
    assert world.rest(MIN_STEPS - 1) == []
    assert world.rest(1) == [1, 2, 3]
    assert world.sleeping.asleep.tolist() == [False, True, True, True, False, False]
    assert world.sleeping.record().bodies.tolist() == [[1, 0], [2, 1], [3, 0]]
    assert world.sleeping.record().forces[:, 2] == pytest.approx(1.0 / H)
    assert world.warm_start.solved.body.tolist() == [[4, 5]]  # others stay with the awake


def test_a_body_in_the_air_at_rest_does_not_sleep():
    world = World(contacts((1, 0)))
    assert world.rest() == [1]  # 2 to 5 have no contacts: they are at the top of a flight
    unpressed = World(contacts((1, 0), impulse=0.0))
    assert unpressed.rest() == []


def test_what_touches_a_kinematic_body_that_moves_stays_awake():
    world = World(contacts((1, 0), (2, 1), (3, 0)))
    world.moving_others[0] = True
    assert world.rest() == []
    other = World(contacts((1, 0), (2, 4), (4, 1), (3, 0)))
    other.moving_others[5] = True
    assert other.rest() == [1, 2, 3, 4]


def test_a_changed_load_wakes_its_island_with_its_impulses():
    world = World(contacts((1, 0), (2, 1), (3, 0)))
    world.rest()
    sleeping = world.sleeping
    assert not sleeping.wake_by_loads(world.loads, world.warm_start)
    world.loads[2, 0] = 0.5
    assert sleeping.wake_by_loads(world.loads, world.warm_start)
    assert sleeping.asleep.tolist() == [False, False, False, True, False, False]
    assert sorted(world.warm_start.solved.body.tolist()) == [[1, 0], [2, 1]]
    assert sleeping.record().bodies.tolist() == [[3, 0]]
    assert world.rest(MIN_STEPS - 1) == []  # it counts from the beginning


def reaching(gap, rate, lam=0.0, pair=(4, 3)):
    """One contact of body 4 with sleeping body 3 [m, m/s, N s], bodies of 2 m and 1 m."""
    found = SimpleNamespace(
        count=1, smaller_size=np.array([1.0]),
        points=SimpleNamespace(body=np.array([pair], np.int32), gap=np.array([gap])),
    )  # fmt: skip
    problem = SimpleNamespace(
        rates=lambda u: np.array([rate, 9.0, 9.0]), normals=lambda: slice(0, 3, 3),
        lam=np.array([lam, 5.0, 5.0]),
    )  # fmt: skip
    return found, problem


@pytest.mark.parametrize(
    ("gap", "rate", "wakes"),
    [
        (1.0, -10.0, True),
        (1.0, -9.99, False),
        (1.0 + TOUCHING / 2, -10.0, True),
        (0.0, 0.0, True),
        (0.0, 1.0, False),
    ],
)
def test_what_would_reach_a_sleeping_body_within_the_step_wakes_it(gap, rate, wakes):
    world = World(contacts((1, 0), (3, 0)))
    world.rest()
    found, problem = reaching(gap, rate)
    woken = world.sleeping.wake_by_contacts(found, problem, world.u, H, world.warm_start)
    assert woken == wakes and world.sleeping.asleep[3] != wakes and world.sleeping.asleep[1]
    awake, problem = reaching(gap, rate, pair=(4, 5))
    assert not world.sleeping.wake_by_contacts(awake, problem, world.u, H, world.warm_start)
    none = SimpleNamespace(count=0)
    assert not world.sleeping.wake_by_contacts(none, problem, world.u, H, world.warm_start)


@pytest.mark.parametrize(("lam", "wakes"), [(1e-9, True), (0.0, False)])
def test_an_impulse_on_a_sleeping_body_wakes_it(lam, wakes):
    world = World(contacts((1, 0), (3, 0)))
    found, problem = reaching(0.0, 0.0, lam)
    assert not world.sleeping.wake_by_impulses(found, problem, world.warm_start)  # nobody sleeps
    world.rest()
    assert world.sleeping.wake_by_impulses(found, problem, world.warm_start) == wakes
    assert world.sleeping.asleep[3] != wakes and world.sleeping.asleep[1]
    none = SimpleNamespace(count=0)
    assert not world.sleeping.wake_by_impulses(none, problem, world.warm_start)


def test_islands_that_sleep_one_after_another_keep_all_their_contacts():
    world = World(contacts((1, 0), (2, 0)))
    world.u[2, 0] = 1.0
    assert world.rest() == [1]
    world.u[2, 0] = 0.0
    assert world.rest() == [2]
    assert sorted(world.sleeping.record().bodies.tolist()) == [[1, 0], [2, 0]]
    assert len(world.warm_start.solved.gap) == 0


def test_a_restored_one_sleeps_and_counts_as_before():
    world = World(contacts((1, 0), (3, 0)))
    world.u[3, 0] = 1.0
    world.rest()
    world.u[3, 0] = 0.0
    world.rest(5)
    other = World(contacts((3, 0)))
    other.sleeping.restore(world.sleeping.snapshot())
    assert other.sleeping.asleep.tolist() == world.sleeping.asleep.tolist()
    assert np.array_equal(other.sleeping.record().forces, world.sleeping.record().forces)
    assert other.rest(MIN_STEPS - 6) == [] and other.rest(1) == [3]
    for array in world.sleeping.snapshot().values():
        array[...] = 0
    assert world.sleeping.asleep[1]  # a snapshot is a copy
    other.loads[1, 0] = 1.0
    assert other.sleeping.wake_by_loads(other.loads, other.warm_start)
    assert not other.sleeping.asleep[1] and other.sleeping.asleep[3]


def test_nobody_asleep_has_no_forces():
    assert World(contacts((1, 0))).sleeping.record().forces.shape == (0, 3)
