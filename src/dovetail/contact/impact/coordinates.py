r"""The impact law of `generations` along coordinates, for stops of joints: no friction.

With A = J W J^T over the stops that touch, W the response of the mechanism to impulses with its
joints, loops and motors, and v the rates at which they part: those that approach are a generation,
    0 <= l _|_ A l + v >= 0,     u += W J^T (1 + e) l,
until nothing approaches. The energy changes by -(1 - e^2) l . A l / 2 <= 0 where all have one e;
where several would gain, e is halved until they do not.
"""

import numpy as np

from dovetail.contact.impact.generations import APPROACHING, MAX_GENERATIONS, MAX_HALVINGS
from dovetail.linalg.lcp.solve import solve
from dovetail.model.values import Array


def reflect_rates(A: Array, rates: Array, restitution: Array) -> Array:
    """Impulses (k,) along k stops that part at `rates`, < 0 where they approach."""
    total, fastest = np.zeros(len(rates)), 0.0
    for generation in range(MAX_GENERATIONS + 1):
        v = rates + A @ total
        fastest = max(fastest, float(-v.min(initial=0.0)))
        hit = np.flatnonzero(-v > APPROACHING * fastest)
        if not len(hit):
            break
        among = A[np.ix_(hit, hit)]
        found = solve(among, v[hit])
        impulse = np.maximum(found.x, 0.0)
        e = restitution[hit] if generation < MAX_GENERATIONS else np.zeros(len(hit))
        for _ in range(MAX_HALVINGS):
            more = (1.0 + e) * impulse
            work = float(more @ (v[hit] + 0.5 * among @ more))
            if work <= 1e-12 * float(impulse @ -v[hit]):
                break
            e = 0.5 * e
        else:
            more = impulse
        total[hit] += more
    return total
