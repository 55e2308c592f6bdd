"""Newton's direction under the equations of joints.

    [ H  G^T ] [ d ]   [ -g   ]
    [ G   0  ] [ l ] = [ -phi ]
by the method of multipliers with the one factor of H + G^T W G, so loops and rows implied by others
need nothing special: d = -(H + G^T W G)^-1 (g + G^T (l + W phi)), l <- l + W (phi + G d).
"""

from dovetail.contact.ipc.joints.projection import EQUATIONS_WITHIN
from dovetail.contact.ipc.joints.rows import subtract_row
from dovetail.linalg.block_cholesky.factor import solve
from dovetail.multibody.constraints.bodies import JOINT
from dovetail.runtime.jit import jit_in_place, when_called

ROUNDING = 1e-12  # of the terms of a directional derivative
LARGEST_ROTATION = 0.5  # [rad] of a jointed body in one iteration
MAX_ITERATIONS = 6


@when_called(0.0)
@jit_in_place
def constrained_direction(joints, bodies, workspace):
    """The direction into system.right, and the multipliers; returns (g + G^T l) . d.

    What rounding leaves of a directional derivative whose terms cancel counts as none.
    """
    rows, G, phi = joints.rows, joints.iterate.G, joints.iterate.phi
    l, W = joints.multipliers.value, joints.multipliers.penalty
    gradient, right = workspace.system.gradient, workspace.system.right
    factor = workspace.factor
    role, unit, body, slot = rows.role, rows.unit, rows.equations.body, bodies.slot
    n_rows, enough = phi.shape[0], EQUATIONS_WITHIN * rows.length[0]
    descent, size = 0.0, 0.0
    for _ in range(MAX_ITERATIONS):
        for k in range(gradient.shape[0]):
            for i in range(6):
                right[k, i] = -gradient[k, i]
        for r in range(n_rows):
            if role[r] == JOINT:
                subtract_row(body, slot, G, r, l[r] + W[r] * phi[r], right)
        solve(factor, right)
        residual, largest, descent, size = 0.0, 0.0, 0.0, 0.0
        for k in range(gradient.shape[0]):
            for i in range(6):
                descent += gradient[k, i] * right[k, i]
                size += abs(gradient[k, i] * right[k, i])
        for r in range(n_rows):
            if role[r] != JOINT:
                continue
            linear = phi[r]
            for side in range(body.shape[1]):
                i = body[r, side]
                if i >= 0 and slot[i] >= 0:
                    for k in range(6):
                        moved = G[r, side, k] * right[slot[i], k]
                        linear += moved
                        largest = max(largest, abs(moved) * unit[r])
            l[r] += W[r] * linear
            descent += l[r] * (linear - phi[r])
            size += abs(l[r] * (linear - phi[r]))
            residual = max(residual, abs(linear) * unit[r])
        if not residual > 1e-9 * largest + enough:
            break
    return min(descent, 0.0) if descent <= ROUNDING * size else descent
