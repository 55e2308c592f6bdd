"""What a piece of a step computes of its contacts besides their impulses, in compiled code."""

import math
from typing import Any

import numpy as np

from dovetail.collision.narrow_phase.contact_points import contact_points
from dovetail.contact.friction_curve import smooth_coulomb
from dovetail.contact.impulse.position_correction import MAX_OVERLAP
from dovetail.contact.impulse.records import ContactMaterials
from dovetail.contact.impulse.rows import rate
from dovetail.contact.impulse.step_rows import no_row_arrays
from dovetail.integrators.stewart_trinkle.piece_kernels import no_piece
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.warmup import warm, warm_later


@jit_in_place
def friction_at_slip_of(to, materials, u, mu):
    """See `friction_at_slip`."""
    body, J, joint = to.rows.body, to.rows.J, to.which.shape[0]
    for k in range(mu.shape[0]):
        r = joint + 3 * k
        slip = math.hypot(rate(body, J, r + 1, u), rate(body, J, r + 2, u))
        mu[k] = smooth_coulomb(
            slip, materials.mu_s[k], materials.mu_d[k], materials.v_s[k], materials.v_d[k]
        )


@jit
def friction_at_slip(to, materials, u, mu):
    """mu (contacts,) of the friction curves at the slip in u (n, 6)."""
    friction_at_slip_of(to, materials, u, mu)


@jit_in_place
def _fall_rate(piece, body, J, r):
    """[m/s^2] how constant loads change the rate of row r, where its bodies fall freely."""
    total = 0.0
    for side in range(body.shape[1]):
        i = body[r, side]
        if i >= 0:
            for m in range(3):
                a = piece.loads.force[i, m] * piece.bodies.inverse_mass[i, m]
                total += J[r, 6 * side + m] * a
    return total


@jit_in_place
def mark_free_bodies_of(piece, to, points, body_size, h, alone):
    """See `mark_free_bodies`."""
    body, J, joint, overlap = to.rows.body, to.rows.J, to.which.shape[0], False
    for k in range(points.gap.shape[0]):
        r = joint + 3 * k
        ahead = rate(body, J, r, piece.u) + to.c[r]
        if to.lam[r] > 0.0 or ahead < 0.5 * h * _fall_rate(piece, body, J, r):
            alone[points.body[k, 0]] = False
            alone[points.body[k, 1]] = False
        if points.gap[k] < -MAX_OVERLAP * min(body_size[k, 0], body_size[k, 1]):
            overlap = True
    return overlap


@jit
def mark_free_bodies(piece, to, points, body_size, h, alone):
    """alone (n,) becomes False for bodies that a contact of the solved piece of h [s] acts on.

    Others fly freely, by h (u - fall / 2), `fall` being what loads add to u; that must not close a
    gap that h u leaves open. Returns whether bodies overlap so far that they must be moved apart.
    """
    return mark_free_bodies_of(piece, to, points, body_size, h, alone)


@jit_in_place
def end_gaps_of(piece, to, gap, h, alone, shift):
    """See `end_gaps`."""
    body, J, joint = to.rows.body, to.rows.J, to.which.shape[0]
    for k in range(gap.shape[0]):
        r = joint + 3 * k
        moved = h * rate(body, J, r, piece.u) + rate(body, J, r, shift)
        for side in range(2):
            i = body[r, side]
            if i >= 0 and alone[i]:
                for m in range(3):
                    a = piece.loads.force[i, m] * piece.bodies.inverse_mass[i, m]
                    moved -= 0.5 * h * h * J[r, 6 * side + m] * a
        gap[k] += moved


@jit
def end_gaps(piece, to, gap, h, alone, shift):
    """gap (contacts,) [m] after h [s] with the velocities u, and `shift` (n, 6) besides."""
    end_gaps_of(piece, to, gap, h, alone, shift)


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    f, u, flags = np.zeros(0), np.zeros((0, 6)), np.zeros(0, np.bool_)
    piece, to = no_piece(), no_row_arrays()
    materials: Any = ContactMaterials(f, f, f, f, f)
    warm(friction_at_slip, to, materials, u, f)
    warm(mark_free_bodies, piece, to, contact_points(0), np.zeros((0, 2)), 0.0, flags)
    warm(end_gaps, piece, to, f, 0.0, flags, u)


warm_later(_register)
