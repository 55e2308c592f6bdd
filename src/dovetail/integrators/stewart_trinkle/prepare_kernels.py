"""A piece of a step up to its rows in one call: velocities, loads, contacts, rows.

For scenes whose loads are compiled and whose bodies all move by themselves; contacts of smooth
bodies, lists of the features of large meshes, and space for more contacts are left to the caller.
"""

import numpy as np

from dovetail.collision.narrow_phase.contact_points import ContactPoints
from dovetail.collision.narrow_phase.kept_lists import ALL
from dovetail.contact.impulse.detection import (
    LARGE,
    SMOOTH,
    detected,
    large_contacts_of,
    no_detection,
)
from dovetail.contact.impulse.joint_kernels import no_joint_arrays
from dovetail.contact.impulse.step_rows import no_row_arrays
from dovetail.integrators.stewart_trinkle.piece_kernels import (
    begin_of,
    finish_loads_of,
    no_piece,
    reach_of,
    rows_of,
)
from dovetail.integrators.stewart_trinkle.rest_kernels import loads_changed
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm, warm_later

LOADS_CHANGED, NO_SPACE, LISTED = -1, -2, -3  # in place of the number of contacts


@jit
def prepare_piece(piece, joints, rows, known, asleep_loads, changed, h):
    """State, loads, contacts and rows of a piece of h [s]; returns the number of contacts.

    LOADS_CHANGED: loads of sleeping bodies are not `asleep_loads` (n, 6), those in `changed` (n,)
    must wake, and nothing but the loads is set. NO_SPACE: contacts and rows are to be set; LISTED:
    those of the pairs that detection only lists, and the rows.
    """
    begin_of(piece, joints)
    finish_loads_of(piece, joints)
    if loads_changed(piece.all_loads, asleep_loads, piece.asleep, changed):
        return LOADS_CHANGED
    awake = piece.awake[: piece.awake.shape[0] if reach_of(piece, h) else 0]
    pairs, needed, count = detected(
        known, piece.x, piece.R, piece.displacement, piece.motion, awake
    )
    points = known.points
    if pairs > known.partner.shape[0] or needed > points.gap.shape[0]:
        return NO_SPACE
    if known.pairs[SMOOTH]:
        return LISTED
    if known.pairs[LARGE]:
        missing, count, needed = large_contacts_of(known, piece.x, piece.R, count)
        if missing != ALL or needed > points.gap.shape[0]:
            return LISTED
    if rows.which.shape[0] + 3 * count > rows.lam.shape[0]:
        return NO_SPACE
    found = ContactPoints(
        points.body[:count], points.point[:count], points.normal[:count], points.gap[:count]
    )
    rows_of(piece, rows, found)
    return count


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    warm(
        prepare_piece, no_piece(), no_joint_arrays(), no_row_arrays(), no_detection(),
        np.zeros((0, 6)), np.zeros(0, np.bool_), 0.0,
    )  # fmt: skip


warm_later(_register)
