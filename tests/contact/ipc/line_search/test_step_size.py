"""The collision-free step size: the same whatever has been listed, and no contact is missed."""

from functools import partial

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.contact.ipc.barrier.stiffness import DHAT as SCALED_DHAT
from dovetail.contact.ipc.candidates.lists import update_body_pairs
from dovetail.contact.ipc.line_search.step_size import collision_free_step_size
from dovetail.contact.ipc.poses import move, set_path_lengths
from dovetail.contact.ipc.records import Poses
from ipc_arrays import IpcArrays

DHAT = 1e-3


BALL = trimesh.creation.icosphere(2, radius=0.5)
BOX = trimesh.creation.box((0.57, 0.57, 0.57))
ROUND, ROD = dt.Sphere(0.5), dt.Capsule(0.25, 0.5)


class Bodies(IpcArrays):
    """Three balls, say, over a half-space, their lists and working arrays."""

    def __init__(self, shape=BALL, kept=DHAT):
        scene = dt.Scene()
        for name in "abc":
            own = (
                shape
                if isinstance(shape, dt.Sphere | dt.Capsule)
                else dt.Mesh(shape.vertices, shape.faces)
            )
            scene.add_body(name, own, mass=1)
        scene.add_body("floor", dt.HalfSpace(), motion="static")
        super().__init__(scene.build(), candidates=1 << 16)
        self.lists.scales.values[SCALED_DHAT] = kept  # 0: the same part is left of wide gaps

    def path_lengths(self, twist):
        lengths = np.zeros(4)
        set_path_lengths(self.bodies.slot, self.bodies.geometry.radius, twist, lengths)
        return lengths

    def step_size(self, x, R, twist, reach=0.0):
        poses = Poses(x, R)
        assert update_body_pairs(*self.parts[:2], poses, self.path_lengths(twist), DHAT)
        return collision_free_step_size(*self.parts, poses, twist, 0.0, reach, 0.1)[0]

    def least(self, x, R, twist, t):
        """[m] the least distance after the part t of the path, or half the ball if that is less."""
        moved = Poses(x.copy(), R.copy())
        move(self.bodies.slot, Poses(x, R), twist, t, moved)
        squared = self.measure(*moved, 0.25, DHAT)
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
def test_step_size_does_not_depend_on_what_was_listed_where_and_when(seed):
    rng = np.random.default_rng(seed)
    x, R, twist = scattered(rng)
    made = partial(Bodies, kept=DHAT if seed % 2 else 0.0)
    fresh = made()
    plain = fresh.step_size(x, R, twist)  # down the trees
    for reach in (1e-4, 0.02, 0.3):
        other = made()
        away = x + 0.01 * rng.normal(size=x.shape) * np.array([[1]] * 3 + [[0]])
        other.measure(away, R, reach, DHAT)
        assert other.step_size(x, R, twist) == plain
    sizes = []
    for reach in (0.02, 0.1):  # contacts first: those of the pose, not those of the list
        other = made()
        other.measure(x, R, reach, DHAT)
        other.measure(x, R, 0.02, DHAT)
        sizes.append(other.step_size(x, R, twist, 0.02))
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("shape", [BALL, BOX, ROUND, ROD], ids=["meshes", "boxes", "balls", "rods"])
@pytest.mark.parametrize("seed", range(20))
def test_step_size_does_not_depend_on_which_pairs_are_known_to_be_far_apart(seed, shape):
    rng = np.random.default_rng(seed)
    x, R, twist = scattered(rng)
    reach = 10.0 ** rng.uniform(-4, -1)
    fresh = Bodies(shape)
    assert fresh.least(x, R, twist, 0.0) > 0.0
    plain = fresh.step_size(x, R, twist)
    other = Bodies(shape)
    for size in (0.03, 0.01, 0.001, 0.0):  # lists get old, and their distances are measured again
        away = x + size * rng.normal(size=x.shape) * np.array([[1]] * 3 + [[0]])
        other.measure(away, R, reach, DHAT)
        t = other.step_size(away, R, twist, reach)
        other.measure(away, R, reach, DHAT)
        assert other.step_size(away, R, twist, reach) == t
    assert t == plain


@pytest.mark.parametrize("shape", [BALL, ROUND, ROD], ids=["meshes", "balls", "rods"])
def test_steps_of_that_size_meet_no_contact_and_are_not_shorter_than_needed(shape):
    rng = np.random.default_rng(1)
    bodies, cut, whole = Bodies(shape), 0, 0
    for _ in range(80):
        x, R, twist = scattered(rng)
        if not bodies.least(x, R, twist, 0.0) > 0.0:
            continue
        t = bodies.step_size(x, R, twist)
        assert t > 0.0
        gaps = [bodies.least(x, R, twist, s * t) for s in np.linspace(0.0, 1.0, 21)]
        assert min(gaps) > 0.0
        cut += t < 1.0
        whole += t == 1.0
        if t < 1.0:  # what stopped it went 7/8 of its gap at least, and what is left is the rest
            longest = np.sort(bodies.path_lengths(twist))[-2:].sum()
            assert gaps[-1] <= 1.0001 * t * longest / 7.0
    assert cut > 10
    assert whole > 5


def test_bodies_flying_together_through_half_the_world_are_free_at_once():
    bodies = Bodies()
    x, R, twist = scattered(np.random.default_rng(2))
    twist[...] = 0.0
    twist[:3, :3] = [200.0, -50.0, 30.0]
    assert bodies.step_size(x, R, twist) == 1.0
    bodies.measure(x, R, 0.02, DHAT)
    listed = bodies.listed_displacement[0].copy()
    assert bodies.step_size(x, R, twist) == 1.0
    bodies.measure(x + twist[:, :3], R, 0.02, DHAT)
    assert bodies.pairs[0].tolist() == [0, 1]
    assert np.array_equal(bodies.listed_displacement[0], listed)  # the list is still the same


def test_wide_gaps_are_closed_to_half_of_dhat():
    x, R, twist = scattered(np.random.default_rng(3))
    x[1:3] = [[30.0, 0, 5], [0, 30, 5]]
    twist[...] = 0.0
    twist[0, 2] = -5.0
    bodies = Bodies()
    gap = bodies.least(x, R, twist, bodies.step_size(x, R, twist))
    assert 0.5 * DHAT <= gap <= 0.5 * 1.26 * DHAT
