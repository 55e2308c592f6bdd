"""Contact forces of steps over two (`contact.ipc.newton.two_step`), by what they did to momenta.

In such a step of h [s] the force F at its end acts for h', and a part c of the impulse P_- of the
step before acts again, so the mean force of the step is (h' F + c P_-)/h. Rows of contacts get it:
the part of before is shared by the sizes of F, what is left of its moment are couples.
"""

import numpy as np

from dovetail.contact.ipc.newton.two_step import TwoStep
from dovetail.contact.ipc.report import BODY_A, BODY_B, COUPLE, FORCE, POINT
from dovetail.model.values import Array

FORCES, COUPLES = slice(FORCE, FORCE + 3), slice(COUPLE, COUPLE + 3)


def mean_rows(rows: Array, two: TwoStep, x: Array, h: float) -> Array:
    """Rows as `contact.ipc.report` has them at the end of a step of h, with its mean forces.

    `x` (n, 3) are the centres of the bodies.
    """
    led = (two.led != 0) & (two.alone != 0)
    if not led.any() or not len(rows):
        return rows
    rows = rows.copy()
    for column, sign in ((BODY_A, 1.0), (BODY_B, -1.0)):
        body = rows[:, column].astype(np.int64)
        mine = np.flatnonzero((body >= 0) & np.append(led, False)[body])
        of = body[mine]
        share = (two.time[of] / h)[:, None]
        sizes = np.linalg.norm(rows[mine, FORCES], axis=1)
        total = np.zeros(len(led))
        for other in (BODY_A, BODY_B):
            number = rows[:, other].astype(np.int64)
            known = number >= 0
            np.add.at(total, number[known], np.linalg.norm(rows[known, FORCES], axis=1))
        weight = np.divide(sizes, total[of], out=np.zeros(len(of)), where=total[of] > 0.0)[:, None]
        added = sign * h * two.carried[of, :3] * weight
        moment = sign * h * two.carried[of, 3:] * weight
        arms = rows[mine, POINT : POINT + 3] - x[of]
        rows[mine, FORCES] = share * rows[mine, FORCES] + added
        rows[mine, COUPLES] = share * rows[mine, COUPLES] + moment - np.cross(arms, added)
    return rows
