"""Contact forces of steps over two (`contact.ipc.newton.two_step`), by what they did to momenta.

In such a step of h [s] the force F at its end acts for h', and a part c of the impulse P_- of the
step before acts again, so the mean force of the step is (h' F + c P_-)/h. P_- is known of bodies,
not of contacts: each contact gets c h F, and what bodies then lack of their c P_- is shared by
    w_p = s_p (l_a - l_b),   sum of +-w_p = what body i lacks,
w_p the wrench that contact p of size s_p = |F_p| gives from b to a, l of bodies (0 of those that
nothing moves): the least sum of |w_p|^2/s_p. Moments that points do not explain are couples. The
equations for l, a Laplacian of the bodies that touch, are solved by conjugate gradients (Hestenes
and Stiefel 1952), scaled by its diagonal, for the six components at once.
"""

import numpy as np

from dovetail.contact.ipc.newton.two_step import TwoStep
from dovetail.contact.ipc.report import BODY_A, BODY_B, COLUMNS, COUPLE, FORCE, POINT
from dovetail.linalg.vec3 import cross, load3
from dovetail.model.values import Array
from dovetail.runtime.jit import jit, jit_in_place, jit_within
from dovetail.runtime.warmup import warm

LACK, ALONG, LEFT, WAY, OUT, WEIGHT = range(6)  # of the workspace
EXACT = 1e-13  # of what is lacked
SPARE = 20  # iterations beyond one for each body


def mean_rows(rows: Array, two: TwoStep, x: Array, h: float) -> Array:
    """Rows as `contact.ipc.report` has them at the end of a step of h, with its mean forces.

    `x` (n, 3) are the centres of the bodies.
    """
    led = two.led * two.alone
    if not led.any() or not len(rows):
        return rows
    rows = rows.copy()
    set_mean_forces(rows, led, two.time, two.gain, two.carried, x, h, np.zeros((6, len(led), 6)))
    return rows


@jit
def set_mean_forces(rows, led, time, gain, carried, x, h, work):
    """Put mean forces into the rows of contacts of bodies that are `led` (n,).

    `work` (6, n, 6) is zero.
    """
    _set(rows, led, time, gain, carried, x, h, work)


@jit_in_place
def _set(rows, led, time, gain, carried, x, h, work):
    """As `set_mean_forces`; wrenches are about the origin."""
    lack = work[LACK]
    for i in range(led.shape[0]):
        if led[i] == 0:
            continue
        moment = cross(load3(x, i), load3(carried, i))
        for k in range(3):
            lack[i, k] = h * carried[i, k]
            lack[i, 3 + k] = h * (carried[i, 3 + k] + moment[k])
    for p in range(rows.shape[0]):
        a, b, of = _ends(rows, led, p)
        if of < 0:
            continue
        moment, size = cross(_vector(rows, p, POINT), _vector(rows, p, FORCE)), _size(rows, p)
        for k in range(3):
            force, couple = gain[of] * rows[p, FORCE + k], rows[p, COUPLE + k] + moment[k]
            if a >= 0:
                lack[a, k] -= force
                lack[a, 3 + k] -= gain[of] * couple
            if b >= 0:
                lack[b, k] += force
                lack[b, 3 + k] += gain[of] * couple
        if a >= 0:
            work[WEIGHT, a, 0] += size
        if b >= 0:
            work[WEIGHT, b, 0] += size
    _solve(rows, led, work)
    for p in range(rows.shape[0]):
        a, b, of = _ends(rows, led, p)
        if of < 0:
            continue
        share, size = time[of] / h + gain[of], _size(rows, p)
        point = _vector(rows, p, POINT)
        added = (_along(work, a, b, 0), _along(work, a, b, 1), _along(work, a, b, 2))
        moment = cross(point, added)
        for k in range(3):
            couple = size * (_along(work, a, b, 3 + k) - moment[k])
            rows[p, FORCE + k] = share * rows[p, FORCE + k] + size * added[k]
            rows[p, COUPLE + k] = share * rows[p, COUPLE + k] + couple


@jit_in_place
def _ends(rows, led, p):
    """(a, b, one of them): the bodies of row p that are led, -1 for others."""
    a, b = int(rows[p, BODY_A]), int(rows[p, BODY_B])
    a = a if a >= 0 and led[a] != 0 else -1
    b = b if b >= 0 and led[b] != 0 else -1
    return a, b, max(a, b)


@jit_within
def _vector(rows, p, column):
    return (rows[p, column], rows[p, column + 1], rows[p, column + 2])


@jit_in_place
def _size(rows, p):
    """|F|."""
    x, y, z = _vector(rows, p, FORCE)
    return (x * x + y * y + z * z) ** 0.5


@jit_in_place
def _along(work, a, b, k):
    """Component k of l_a - l_b."""
    of_a = work[ALONG, a, k] if a >= 0 else 0.0
    return of_a - (work[ALONG, b, k] if b >= 0 else 0.0)


@jit_in_place
def _solve(rows, led, work):
    """Conjugate gradients for work[ALONG]."""
    n, bodies = led.shape[0], 0
    along, left, way, out, weight = work[ALONG], work[LEFT], work[WAY], work[OUT], work[WEIGHT]
    for i in range(n):
        bodies += 1 if weight[i, 0] > 0.0 else 0
        for k in range(6):
            left[i, k] = work[LACK, i, k] if weight[i, 0] > 0.0 else 0.0
            way[i, k] = left[i, k] / weight[i, 0] if weight[i, 0] > 0.0 else 0.0
    first = (0.0, 0.0)
    for k in range(6):
        product = _product(left, left, weight, k)
        first = (first[0] + product, first[1]) if k < 3 else (first[0], first[1] + product)
    for _ in range(bodies + SPARE):
        for i in range(n):
            for k in range(6):
                out[i, k] = 0.0
        for p in range(rows.shape[0]):
            a, b, of = _ends(rows, led, p)
            if of < 0:
                continue
            size = _size(rows, p)
            for k in range(6):
                apart = way[a, k] if a >= 0 else 0.0
                apart -= way[b, k] if b >= 0 else 0.0
                if a >= 0:
                    out[a, k] += size * apart
                if b >= 0:
                    out[b, k] -= size * apart
        done = True
        for k in range(6):
            before, curved = _product(left, left, weight, k), 0.0
            for i in range(n):
                curved += way[i, k] * out[i, k]
            if not (before > EXACT**2 * first[k // 3] and curved > 0.0):
                continue
            t = before / curved
            for i in range(n):
                along[i, k] += t * way[i, k]
                left[i, k] -= t * out[i, k]
            now = _product(left, left, weight, k)
            done = done and now <= EXACT**2 * first[k // 3]
            for i in range(n):
                if weight[i, 0] > 0.0:
                    way[i, k] = left[i, k] / weight[i, 0] + now / before * way[i, k]
        if done:
            break


@jit_in_place
def _product(u, v, weight, k):
    """Sum of u v / weight of component k."""
    total = 0.0
    for i in range(u.shape[0]):
        if weight[i, 0] > 0.0:
            total += u[i, k] * v[i, k] / weight[i, 0]
    return total


warm(
    set_mean_forces, np.zeros((1, COLUMNS)), np.zeros(1, np.uint8), np.zeros(1), np.zeros(1),
    np.zeros((1, 6)), np.zeros((1, 3)), 1.0, np.zeros((6, 1, 6)),
)  # fmt: skip
