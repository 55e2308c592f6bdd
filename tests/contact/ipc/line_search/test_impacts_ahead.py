"""All impacts along a direction are found, each where its own pair meets."""

import numpy as np

import dovetail as dt
from dovetail.contact.ipc.candidates.lists import update_body_pairs
from dovetail.contact.ipc.line_search.impacts_ahead import (
    N_AHEAD,
    NORMAL,
    POINT_A,
    POINT_B,
    find_impacts_ahead,
)
from dovetail.contact.ipc.line_search.step_size import collision_free_step_size
from dovetail.contact.ipc.poses import set_path_lengths
from dovetail.contact.ipc.records import Poses
from ipc_arrays import IpcArrays

DHAT = 1e-3
FLOORS = {"plane": dt.HalfSpace(), "plate": dt.Box((20, 2, 1))}


class Row(IpcArrays):
    """Cubes of unit side at different heights over a floor, which is the last body."""

    def __init__(self, floor, gaps):
        scene = dt.Scene()
        for k in range(len(gaps)):
            scene.add_body(f"cube {k}", dt.Box((1, 1, 1)), mass=1)
        scene.add_body("floor", FLOORS[floor], motion="static")
        super().__init__(scene.build(), candidates=1 << 16, pairs=256)
        n = len(gaps) + 1
        self.x, self.R = np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1))
        self.x[:-1, 0] = 1.5 * np.arange(n - 1) - 0.75 * (n - 2)
        self.x[:-1, 2] = 0.5 + np.array(gaps)
        self.x[-1, 2] = 0.0 if floor == "plane" else -0.5

    def impacts(self, twist):
        """How many pairs meet along the twists, and the step size."""
        workspace, poses = self.workspace, Poses(self.x, self.R)
        workspace.iterate.x[...], workspace.iterate.R[...] = self.x, self.R
        workspace.twist[...] = twist
        lengths = np.zeros(len(self.x))
        set_path_lengths(self.bodies.slot, self.bodies.geometry.radius, twist, lengths)
        assert update_body_pairs(*self.parts[:2], poses, lengths, DHAT)
        self.measure(self.x, self.R, DHAT, DHAT)
        t = collision_free_step_size(*self.parts, poses, workspace.twist, 0.0, DHAT, 0.1)[0]
        hits, earliest = find_impacts_ahead(*self.parts, 0.0, DHAT)
        assert earliest >= t * (1 - 1e-12)
        return hits, t


def falling(n, s):
    twist = np.zeros((n, 6))
    twist[:-1, 2] = -s
    return twist


def test_every_pair_that_meets_is_found_and_no_other():
    gaps = [0.01, 0.1, 0.2, 0.4, 0.8]
    for floor in FLOORS:
        row = Row(floor, gaps)
        hits, t = row.impacts(falling(6, 0.5))
        assert hits == 4
        assert t < 0.02  # the first impact alone stops all of them
        ahead = row.workspace.ahead
        found = ahead.bodies[: ahead.counts[N_AHEAD]]
        assert set(found[:, 0]) == {0, 1, 2, 3} and set(found[:, 1]) == {5}


def test_a_cube_that_lands_flat_has_contacts_at_its_corners():
    for floor in FLOORS:
        row = Row(floor, [0.05])
        hits, _ = row.impacts(falling(2, 0.5))
        ahead = row.workspace.ahead
        rows = ahead.rows[: ahead.counts[N_AHEAD]]
        assert hits == 1 and len(rows) >= 4
        np.testing.assert_allclose(rows[:, NORMAL : NORMAL + 3], [[0, 0, 1]] * len(rows), atol=1e-9)
        on_cube, on_floor = rows[:, POINT_A : POINT_A + 3], rows[:, POINT_B : POINT_B + 3]
        np.testing.assert_allclose(on_cube[:, 2], -0.5, atol=1e-12)
        np.testing.assert_allclose(on_floor[:, 2], 0.0 if floor == "plane" else 0.5, atol=1e-9)
        assert np.ptp(on_cube[:, 0]) > 0.99 and np.ptp(on_cube[:, 1]) > 0.99


def test_nothing_is_found_where_bodies_move_apart():
    row = Row("plate", [0.01, 0.02])
    assert row.impacts(falling(3, -0.5)) == (0, 1.0)
