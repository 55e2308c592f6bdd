"""Contact forces of steps over two (`contact.ipc.newton.two_step`), by what they did to momenta.

In such a step of h [s] the force F at its end acts for h', and a part c of the impulse P_- of the
step before acts again, so the mean force of the step is (h' F + c P_-)/h. P_- is known of bodies,
not of contacts: each contact gets c h F, and what bodies then lack of their c P_- is shared by
    w_p = s_p (l_a - l_b),   sum of +-w_p = what body i lacks,
w_p the wrench that contact p of size s_p = |F_p| gives from b to a, l of bodies (0 of those that
nothing moves): the least sum of |w_p|^2/s_p. Moments that points do not explain are couples.
"""

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from dovetail.contact.ipc.newton.two_step import TwoStep
from dovetail.contact.ipc.report import BODY_A, BODY_B, COUPLE, FORCE, POINT
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray, Int64Array

FORCES, COUPLES, POINTS = (
    slice(FORCE, FORCE + 3),
    slice(COUPLE, COUPLE + 3),
    slice(POINT, POINT + 3),
)
DENSE = 60  # bodies, up to which a dense matrix is solved faster
GROUNDED = 1e-12  # of the diagonal: groups that nothing fixed touches lack nothing in sum


def mean_rows(rows: Array, two: TwoStep, x: Array, h: float) -> Array:
    """Rows as `contact.ipc.report` has them at the end of a step of h, with its mean forces.

    `x` (n, 3) are the centres of the bodies.
    """
    led = (two.led != 0) & (two.alone != 0)
    if not led.any() or not len(rows):
        return rows
    bodies = rows[:, BODY_A : BODY_B + 1].astype(np.int64)
    ends = (bodies >= 0) & np.append(led, False)[bodies]
    mine = np.flatnonzero(ends.any(axis=1))
    if not len(mine):
        return rows
    rows, bodies, ends = rows.copy(), bodies[mine], ends[mine]
    of = np.where(ends[:, 0], bodies[:, 0], bodies[:, 1])  # both ends step so, or one is not free
    forces, points = rows[mine, FORCES], rows[mine, POINTS]
    gain = two.gain[of][:, None]
    again = gain * np.hstack((forces, rows[mine, COUPLES] + np.cross(points, forces)))
    lacking = h * two.carried
    lacking[:, 3:] += np.cross(x, lacking[:, :3])  # about the origin, as all wrenches here
    for side, sign in ((0, 1.0), (1, -1.0)):
        np.subtract.at(lacking, bodies[ends[:, side], side], sign * again[ends[:, side]])
    added = _shared(bodies, ends, np.linalg.norm(forces, axis=1), lacking)
    share = (two.time[of] / h)[:, None] + gain
    rows[mine, FORCES] = share * forces + added[:, :3]
    moments = added[:, 3:] - np.cross(points, added[:, :3])
    rows[mine, COUPLES] = share * rows[mine, COUPLES] + moments
    return rows


def _shared(bodies: Int64Array, ends: BoolArray, sizes: Array, lacking: Array) -> Array:
    """(k, 6) wrenches of contacts of these sizes that give the bodies at their ends `lacking`."""
    numbers, node = np.unique(bodies[ends], return_inverse=True)
    k, m = len(bodies), len(numbers)
    row, side = np.nonzero(ends)
    incidence = csc_array((np.where(side == 0, 1.0, -1.0), (row, node)), shape=(k, m))
    weighted = incidence.multiply(sizes[:, None]).tocsc()
    matrix, wanted = (incidence.T @ weighted).tocsc(), lacking[numbers]
    diagonal = matrix.diagonal()
    least = GROUNDED * float(diagonal.max(initial=0.0)) or 1.0
    matrix = (matrix + csc_array((np.full(m, least), (np.arange(m),) * 2), shape=(m, m))).tocsc()
    along = splu(matrix).solve(wanted) if m > DENSE else np.linalg.solve(matrix.toarray(), wanted)
    return np.asarray(weighted @ along)
