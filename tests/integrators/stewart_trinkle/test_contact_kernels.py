"""Which bodies of a solved piece of a step fly freely, and which overlap too far."""

import numpy as np
import pytest

from dovetail.collision.narrow_phase.contact_points import contact_points
from dovetail.contact.impulse.position_correction import MAX_OVERLAP
from dovetail.contact.impulse.records import constraint_rows
from dovetail.contact.impulse.step_rows import bundle_row_arrays
from dovetail.integrators.stewart_trinkle.contact_kernels import end_gaps, mark_free_bodies
from dovetail.integrators.stewart_trinkle.piece_kernels import bundle_piece
from dovetail.multibody.body_arrays import NO_BODIES
from dovetail.multibody.loads.wrenches import NO_LOADS

N = 4


def a_piece(rates, load):
    """Four bodies of 1 kg; 0 and 2 move at `rates` [m/s] along x, `load` [N] pulls at body 0."""
    force, u = np.zeros((N, 3)), np.zeros((N, 6))
    force[0, 0], u[0, 0], u[2, 0] = load, *rates
    f, x, R, flags = np.zeros(N), np.zeros((N, 3)), np.zeros((N, 3, 3)), np.zeros(N, np.bool_)
    bodies = NO_BODIES._replace(inverse_mass=np.ones((N, 3)))
    loads = NO_LOADS._replace(force=force)
    return bundle_piece(bodies, loads, x, R, x, x, x, u, u, u, x, x, u, f, f, f, flags, flags)


def two_contacts(c=(0.0, 0.0), lam=(0.0, 0.0), gap=(0.1, 0.2)):
    """Of bodies 0 and 1, and of 2 and 1, with normals along x."""
    rows, points = constraint_rows(6), contact_points(2)
    points.body[:], points.gap[:] = [[0, 1], [2, 1]], gap
    impulses, bias = np.zeros(6), np.zeros(6)
    for k in range(2):
        rows.body[3 * k : 3 * k + 3] = points.body[k]
        rows.J[3 * k, 0], rows.J[3 * k, 6] = 1.0, -1.0
        impulses[3 * k], bias[3 * k] = lam[k], c[k]
    arrays = bundle_row_arrays(
        NO_BODIES, rows, np.zeros((0, 3, 3)), np.zeros((0, 2), np.int64), np.zeros((0, 2, 6)),
        np.zeros(0, np.int64), impulses, bias, np.zeros(2),
    )  # fmt: skip
    return arrays, points


@pytest.mark.parametrize(
    ("rates", "c", "lam", "free"),
    [
        ((1, 1), (0, 0), (0, 0), [True, True, True, True]),
        ((1, 1), (0, 0), (1e-9, 0), [False, False, True, True]),
        ((1, 1), (0, 0), (0, 1e-9), [True, False, False, True]),
        ((-1, 1), (0.5, 0), (0, 0), [False, False, True, True]),  # ahead -0.5 < -0.25
        ((-1, 1), (0.75, 0), (0, 0), [True, True, True, True]),  # just as far as the fall opens
        ((-1, 1), (2, 0), (0, 0), [True, True, True, True]),
    ],
)
def test_bodies_fly_that_no_impulse_holds_and_no_gap_would_stop(rates, c, lam, free):
    """Half of what loads add in 1 s, here -0.5 m/s along the first normal, is taken back."""
    alone, (to, points) = np.ones(N, np.bool_), two_contacts(c, lam)
    assert not mark_free_bodies(a_piece(rates, -0.5), to, points, np.ones((2, 2)), 1.0, alone)
    assert alone.tolist() == free


@pytest.mark.parametrize(("times", "overlap"), [(0.9, False), (1.1, True)])
def test_overlaps_beyond_a_part_of_the_smaller_body_are_to_be_corrected(times, overlap):
    size = np.array([[3.0, 2.0], [1.0, 1.0]])
    to, points = two_contacts(gap=(-times * MAX_OVERLAP * 2.0, 0.2))
    alone = np.ones(N, np.bool_)
    assert mark_free_bodies(a_piece((1, 1), 0.0), to, points, size, 1.0, alone) == overlap


def test_gaps_at_the_end_follow_velocities_shifts_and_free_fall():
    """By h u, less a h^2 / 2 for bodies that fly freely: 0.1 - 0.2 + 0.25 at body 0."""
    to, _ = two_contacts()
    shift, gap = np.zeros((N, 6)), np.array([0.1, 0.2])
    shift[2, 0] = 0.03
    alone = np.array([True, False, False, False])
    end_gaps(a_piece((-0.4, 0.8), -2.0), to, gap, 0.5, alone, shift)
    assert gap == pytest.approx([0.1 - 0.2 + 0.25, 0.2 + 0.4 + 0.03])
