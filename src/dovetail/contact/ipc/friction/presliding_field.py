"""The presliding displacement of two bodies: how far their contacts are sheared in their planes.

It belongs to the pair of bodies and not to a pair of features, so it survives when a corner on a
face becomes an edge on an edge: a small rigid displacement of a against b,
    e(p) = s + w x (p - x_a),   field = (s, w) [m, rad],
of which each contact takes the part in its own plane. After a step every contact has its own value,
u = e + displacement of the step, cut down to eps where it slipped (the return map of friction as
plasticity: Simo and Laursen, An augmented Lagrangian treatment of contact problems involving
friction (1992), section 3), and the field takes over these changes by least squares with the
contact forces as weights. What no contact determines stays as it was. Where nothing slips and
nothing moves the change is zero to the last bit, so a body at rest stays at rest.

Along its normal no contact is sheared: as far as the bodies move, the field loses what it has
there. Else contacts with slanted normals (edges that all but meet) would add to it by how much
bodies come closer when they land, which is far more than eps, and the least tilt of a normal would
then make it friction: stacks would never come to rest.

Between steps the field rotates with the bodies, by the smallest of the rotations between theirs: by
that of both when they rotate together, not at all when one is at rest and the other rolls on it.
"""

from dovetail.contact.ipc.friction.records import FIT_SIZE
from dovetail.linalg.vec3 import add, cross, dot, matvec, norm_squared, scale, sub
from dovetail.runtime.jit import jit_in_place

REGULARISATION = 1e-10  # of the stiffest direction: softer ones are not determined


@jit_in_place
def field_at(fields, k, r):
    """e(p) [m] of pair k at the offset r = p - x_a."""
    s = (fields[k, 0], fields[k, 1], fields[k, 2])
    w = (fields[k, 3], fields[k, 4], fields[k, 5])
    return add(s, cross(w, r))


@jit_in_place
def common_rotation(w_a, w_b):
    """The shortest vector between two rotations: that of both where they are equal."""
    d = sub(w_b, w_a)
    size = norm_squared(d)
    if size == 0.0:
        return w_a
    t = min(1.0, max(0.0, -dot(w_a, d) / size))
    return add(w_a, scale(t, d))


@jit_in_place
def rotate_field(fields, k, Q):
    """Rotate the field of pair k by the matrix Q."""
    for at in (0, 3):
        v = matvec(Q, (fields[k, at], fields[k, at + 1], fields[k, at + 2]))
        for j in range(3):
            fields[k, at + j] = v[j]


@jit_in_place
def clear_fit(work):
    """Begin the least squares of one pair; `work` has FIT_SIZE entries."""
    for i in range(FIT_SIZE):
        work[i] = 0.0


@jit_in_place
def add_to_fit(work, r, n, weight, change, radius, normal_part, decay):
    """One contact: its plane's normal n, weight, and the change of its displacement there [m].

    Rotations count by the displacement of a point at `radius` [m]. What the field has along n,
    `normal_part` [m], is to go, with the weight `decay` (0 to 1) of a change in the plane.
    """
    t1, t2 = _tangents(n)
    if decay > 0.0:
        _add_direction(work, r, n, decay * weight, -normal_part, radius)
    _add_direction(work, r, t1, weight, dot(change, t1), radius)
    _add_direction(work, r, t2, weight, dot(change, t2), radius)


@jit_in_place
def _tangents(n):
    least = min(abs(n[0]), abs(n[1]), abs(n[2]))
    if abs(n[0]) == least:
        t = (0.0, -n[2], n[1])
    elif abs(n[1]) == least:
        t = (n[2], 0.0, -n[0])
    else:
        t = (-n[1], n[0], 0.0)
    t = scale(1.0 / norm_squared(t) ** 0.5, t)
    return t, cross(n, t)


@jit_in_place
def _add_direction(work, r, t, weight, value, radius):
    w = scale(1.0 / radius, cross(r, t))
    row = (t[0], t[1], t[2], w[0], w[1], w[2])
    at = 0
    for i in range(6):
        for j in range(i + 1):
            work[at] += weight * row[i] * row[j]
            at += 1
        work[21 + i] += weight * row[i] * value


@jit_in_place
def finish_fit(work, fields, k, radius):
    """Change the field of pair k by the least squares in `work`."""
    top = 0.0
    for i in range(6):
        top = max(top, work[i * (i + 1) // 2 + i])
    if not top > 0.0:
        return
    for i in range(6):
        work[i * (i + 1) // 2 + i] += REGULARISATION * top
    for i in range(6):  # Cholesky by rows, in place
        for j in range(i + 1):
            value = work[i * (i + 1) // 2 + j]
            for m in range(j):
                value -= work[i * (i + 1) // 2 + m] * work[j * (j + 1) // 2 + m]
            if i == j:
                work[i * (i + 1) // 2 + i] = max(value, 0.5 * REGULARISATION * top) ** 0.5
            else:
                work[i * (i + 1) // 2 + j] = value / work[j * (j + 1) // 2 + j]
    for i in range(6):
        value = work[21 + i]
        for m in range(i):
            value -= work[i * (i + 1) // 2 + m] * work[21 + m]
        work[21 + i] = value / work[i * (i + 1) // 2 + i]
    for back in range(6):
        i = 5 - back
        value = work[21 + i]
        for m in range(i + 1, 6):
            value -= work[m * (m + 1) // 2 + i] * work[21 + m]
        work[21 + i] = value / work[i * (i + 1) // 2 + i]
    for i in range(3):
        fields[k, i] += work[21 + i]
        fields[k, 3 + i] += work[24 + i] / radius
