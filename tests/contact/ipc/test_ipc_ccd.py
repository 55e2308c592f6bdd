"""The CCD of whole bodies: the same time whatever has been listed, and no contact is missed."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.contact.ipc.candidates.distances import stand
from dovetail.contact.ipc.candidates.lists import pairs_ready
from dovetail.contact.ipc.line_search.step_size import safe_time
from dovetail.contact.ipc.model_bodies import body_arrays
from dovetail.contact.ipc.poses import find_paths, move
from dovetail.contact.ipc.records import WHICH, bundle_bodies, bundle_lists, bundle_room
from dovetail.contact.ipc.workspace import list_room, step_room

DHAT = 1e-3


BALL = trimesh.creation.icosphere(2, radius=0.5)
BOX = trimesh.creation.box((0.57, 0.57, 0.57))


class Bodies:
    """Three balls, say, over a half-space, their lists and working arrays."""

    def __init__(self, shape=BALL):
        scene = dt.Scene()
        for name in "abc":
            scene.add_body(name, dt.Mesh(shape.vertices, shape.faces), mass=1)
        scene.add_body("floor", dt.HalfSpace(), motion="static")
        model = scene.build()
        self.bodies = body_arrays(model)
        self.lists = list_room(self.bodies, 16, 1 << 16)
        self.room = step_room(self.bodies, 16, 1 << 16, 2, 8)
        self.parts = (
            bundle_bodies(*self.bodies), bundle_lists(*self.lists), bundle_room(*self.room)
        )  # fmt: skip

    def stands(self, x, R, reach):
        """Make lists at a pose, and measure."""
        assert stand(*self.parts, x, R, np.zeros(4), reach, DHAT)[0]

    def time(self, x, R, twist, reach=0.0):
        path = np.zeros(4)
        find_paths(self.bodies.slot, self.bodies.radius, twist, path)
        assert pairs_ready(*self.parts[:2], x, R, path, DHAT)
        return safe_time(*self.parts, x, R, twist, 0.0, reach, 0.1)[0]

    def least(self, x, R, twist, t):
        """[m] the least distance after the part t of the way, or half the ball where it is more."""
        x_t, R_t = x.copy(), R.copy()
        move(self.bodies.slot, x, R, twist, t, x_t, R_t)
        fits, squared = stand(*self.parts, x_t, R_t, np.zeros(4), 0.25, DHAT)
        assert fits
        return np.sqrt(min(squared, 0.0625)) if squared >= 0.0 else -1.0


def scattered(rng):
    x = np.array([[0, 0, 0.6], [1.02, 0, 0.6], [0.4, 1.0, 0.6], [0, 0, 0]])
    x[:3] += 0.02 * rng.random((3, 3)) + [0, 0, 0.3 * rng.random()]
    R = Rotation.random(4, rng).as_matrix()
    R[3] = np.eye(3)
    twist = np.zeros((4, 6))
    twist[:3] = rng.normal(size=(3, 6)) * 10.0 ** rng.uniform(-3, 0.5)
    return x, R, twist


@pytest.mark.parametrize("seed", range(20))
def test_time_does_not_depend_on_what_was_listed_where_and_when(seed):
    rng = np.random.default_rng(seed)
    x, R, twist = scattered(rng)
    fresh = Bodies()
    plain = fresh.time(x, R, twist)  # down the trees
    for reach in (1e-4, 0.02, 0.3):
        other = Bodies()
        away = x + 0.01 * rng.normal(size=x.shape) * np.array([[1]] * 3 + [[0]])
        other.stands(away, R, reach)
        assert other.time(x, R, twist) == plain
    times = []
    for reach in (0.02, 0.1):  # contacts first: those of the pose, not those of the list
        other = Bodies()
        other.stands(x, R, reach)
        other.stands(x, R, 0.02)
        times.append(other.time(x, R, twist, 0.02))
    assert times[0] == times[1]


@pytest.mark.parametrize("shape", [BALL, BOX], ids=["balls", "boxes"])
@pytest.mark.parametrize("seed", range(20))
def test_time_does_not_depend_on_which_pairs_are_known_to_be_far_apart(seed, shape):
    rng = np.random.default_rng(seed)
    x, R, twist = scattered(rng)
    reach = 10.0 ** rng.uniform(-4, -1)
    fresh = Bodies(shape)
    assert fresh.least(x, R, twist, 0.0) > 0.0
    plain = fresh.time(x, R, twist)
    other = Bodies(shape)
    for size in (0.03, 0.01, 0.001, 0.0):  # lists get old, and are told anew what distances are
        away = x + size * rng.normal(size=x.shape) * np.array([[1]] * 3 + [[0]])
        other.stands(away, R, reach)
        t = other.time(away, R, twist, reach)
        other.stands(away, R, reach)
        assert other.time(away, R, twist, reach) == t
    assert t == plain


def test_no_contact_is_met_before_the_time_and_long_ways_are_not_cut_for_nothing():
    rng = np.random.default_rng(1)
    bodies, cut, whole = Bodies(), 0, 0
    for _ in range(60):
        x, R, twist = scattered(rng)
        if not bodies.least(x, R, twist, 0.0) > 0.0:
            continue
        t = bodies.time(x, R, twist)
        assert t > 0.0
        ways = [bodies.least(x, R, twist, s * t) for s in np.linspace(0.0, 1.0, 21)]
        assert min(ways) > 0.0
        cut += t < 1.0
        whole += t == 1.0
        if t < 1.0:  # what stopped it went 7/8 of its gap at least, and what is left is the rest
            path = np.zeros(4)
            find_paths(bodies.bodies.slot, bodies.bodies.radius, twist, path)
            assert ways[-1] <= 1.0001 * t * (np.sort(path)[-2:].sum()) / 7.0
    assert cut > 10
    assert whole > 5


def test_bodies_flying_together_through_half_the_world_are_free_at_once():
    bodies = Bodies()
    x, R, twist = scattered(np.random.default_rng(2))
    twist[...] = 0.0
    twist[:3, :3] = [200.0, -50.0, 30.0]
    assert bodies.time(x, R, twist) == 1.0
    bodies.stands(x, R, 0.02)
    lists = bodies.lists
    made = lists.made_x[lists.numbers[WHICH], 0].copy()
    assert bodies.time(x, R, twist) == 1.0
    bodies.stands(x + twist[:, :3], R, 0.02)
    assert lists.pairs[lists.numbers[WHICH], 0].tolist() == [0, 1]
    assert np.array_equal(lists.made_x[lists.numbers[WHICH], 0], made)  # the list is still the same
