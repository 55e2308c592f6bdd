"""Contacts at the poses that an iteration has come to: gaps, slips and rows of J there.

Poses are those of workspace.trial, workspace.twist leads to them from the iterate. Rows of J are
the derivatives by twists from them on, so that forces balance inertia there.
"""

from dovetail.collision.distance.derivatives import WA_WA, WB_WB
from dovetail.contact.ipc.first_iterate.bent_gaps import MOST, add_bend, placed_contact
from dovetail.contact.ipc.first_iterate.linearise import along, displaced, set_row
from dovetail.contact.ipc.first_iterate.records import (
    BASE,
    FIRST,
    NORMAL,
    RIGID,
    SECOND,
    WIDTH,
)
from dovetail.contact.ipc.friction.potential import add_arc
from dovetail.contact.ipc.poses import copy_poses
from dovetail.linalg.so3 import exp, log
from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    cross,
    dot,
    load33,
    matmul,
    norm,
    scale,
    store33,
    transpose,
)
from dovetail.multibody.free_rotation import orthogonalised
from dovetail.runtime.jit import jit_in_place

NEAR = 2.0  # dhat: rows of wider gaps stay as they are


@jit_in_place
def begin_poses(workspace, along_way):
    """The poses are those of the iterate, or those that contacts.way leads to."""
    twist, iterate, trial = workspace.twist, workspace.iterate, workspace.trial
    way = workspace.linear_contacts.way
    copy_poses(iterate, trial)
    for i in range(twist.shape[0]):
        for k in range(6):
            twist[i, k] = way[i, k] if along_way else 0.0
        if along_way:
            for k in range(3):
                trial.x[i, k] += way[i, k]
            w = (way[i, 3], way[i, 4], way[i, 5])
            if w[0] != 0.0 or w[1] != 0.0 or w[2] != 0.0:
                store33(trial.R, i, orthogonalised(matmul(exp(w), load33(iterate.R, i))))


@jit_in_place
def go_on(owner, workspace, change, t):
    """Move the poses by the part t of the twists `change` (m, 6), by unknowns."""
    twist, iterate, trial = workspace.twist, workspace.iterate, workspace.trial
    for k in range(owner.shape[0]):
        i = owner[k]
        for c in range(3):
            twist[i, c] += t * change[k, c]
            trial.x[i, c] = iterate.x[i, c] + twist[i, c]
        w = (t * change[k, 3], t * change[k, 4], t * change[k, 5])
        if w[0] != 0.0 or w[1] != 0.0 or w[2] != 0.0:
            R = orthogonalised(matmul(exp(w), load33(trial.R, i)))
            store33(trial.R, i, R)
            turned = log(matmul(R, transpose(load33(iterate.R, i))))
            for c in range(3):
                twist[i, 3 + c] = turned[c]


@jit_in_place
def place(contacts, r, poses, start, twist, within, least, rows, into, bends):
    """The gap [m] of contact r. Its rows and its slip are set where it may be less than `within`.

    Then how its forces change as it turns is added to row `into` of `rows`, unless that is -1.
    Without `bends` rows of J stay as they are. What rotations add to a gap of first order counts
    only where it closes it.
    """
    bent, a, b = contacts.bent, contacts.bodies[r, 0], contacts.bodies[r, 1]
    linear = contacts.distance[r] + along(contacts, r, BASE, twist)
    rigid, turned = bent.turns[r] == RIGID, 0.0
    if not rigid:
        for k in range(3, 6):
            turned += twist[a, k] * twist[a, k] + twist[b, k] * twist[b, k]
    most = MOST * turned * bent.reach[r]
    if linear - most >= within:
        if contacts.mu[r] > 0.0:
            slip, start_slip = contacts.interior.slip, contacts.interior.start_slip
            for k in range(2):
                slip[r, k] = start_slip[r, k] + along(contacts, r, FIRST + k, twist)
        return linear
    slip = contacts.interior.slip
    if rigid:
        if contacts.mu[r] > 0.0:
            apart = _row_at(contacts.slip, r, 0)
            for k in range(2):
                t = _row_at(contacts.J, r, (FIRST + k) * WIDTH)
                slip[r, k] = dot(t, apart) + along(contacts, r, FIRST + k, twist)
        return linear
    at = placed_contact(bent, r, a, b, poses, _row_at(contacts.J, r, BASE * WIDTH))
    n, radius, force = at.normal, bent.radius, contacts.force
    r_a, r_b = add_scaled(at.r_a, -radius[r, 0], n), add_scaled(at.r_b, radius[r, 1], n)
    if not bends:
        if contacts.mu[r] > 0.0:
            apart = add(_row_at(contacts.slip, r, 0), displaced(poses, start, a, b, r_a, r_b))
            for k in range(2):
                slip[r, k] = dot(_row_at(contacts.J, r, (FIRST + k) * WIDTH), apart)
        return max(min(at.gap, linear), linear - most)
    set_row(contacts.J, r, NORMAL, r_a, r_b, n)
    if into >= 0:
        add_bend(bent, r, at, force[r, NORMAL], least, rows, into)
    if contacts.mu[r] > 0.0:
        t1 = _place_tangents(contacts, r, a, b, r_a, r_b, n, poses, start)
        if into >= 0:
            pull = add_scaled(scale(-force[r, FIRST], t1), -force[r, SECOND], cross(n, t1))
            add_arc(rows, into, WA_WA, 1.0, r_a, pull)
            add_arc(rows, into, WB_WB, -1.0, r_b, pull)
    return max(min(at.gap, linear), linear - most)


@jit_in_place
def _row_at(rows, r, at):
    return (rows[r, at], rows[r, at + 1], rows[r, at + 2])


@jit_in_place
def _place_tangents(contacts, r, a, b, r_a, r_b, n, poses, start):
    """Rows of the tangents, turned as the normal turned, and the slip since the step began.

    It is that of the points of both bodies that touch now. Returns the first tangent.
    """
    J, slip = contacts.J, contacts.interior.slip
    t1 = _row_at(J, r, FIRST * WIDTH)
    t1 = add_scaled(t1, -dot(n, t1), n)
    t1 = scale(1.0 / norm(t1), t1)
    t2 = cross(n, t1)
    set_row(J, r, FIRST, r_a, r_b, t1)
    set_row(J, r, SECOND, r_a, r_b, t2)
    apart = add(_row_at(contacts.slip, r, 0), displaced(poses, start, a, b, r_a, r_b))
    slip[r, 0], slip[r, 1] = dot(t1, apart), dot(t2, apart)
    return t1
