r"""One step of a variational integrator for bodies with joints (Huang et al. 2022, eqs. 6-23).

Position stage, unknowns dx, f of every body and L = (h^2/2) lambda of every row:
    m dx   - h m v_0     - (h^2/2) force_0  + G_x0^T L = 0
    h Pi_0(f) - h J w_0  - (h^2/2) torque_0 + G_t0^T L = 0        (eqs. 11, 13, 22)
    phi(x_0 + dx, R_0 exp(f)) = 0
by Newton's method with the exact Jacobian. Velocity stage, unknowns v_1, w_1 and (h/2) mu:
    m v_1 + (h/2) G_x1^T mu = m dx/h + (h/2) force_1,   J w_1 + ... = Pi_1(f) + (h/2) torque_1
    G_1 u_1 + d phi/dt = 0                                        (eqs. 12, 14, 23)
A damper is a row of the velocity stage with D = 2/(h c), so that its force is taken at the end
velocities: stable at any step. Forces of the start are those found at the end of the step before.
"""

from typing import Any

from dovetail.kernels.constraint_rows import NO_ROWS, Rows
from dovetail.kernels.jit import jit
from dovetail.kernels.joined_bodies import (
    NO_JOINED_BODIES,
    JoinedBodies,
    JoinedMotion,
    StepRoom,
    copy_motion,
    motion_room,
    step_room,
)
from dovetail.kernels.kkt_tree import NO_ELIMINATION, Elimination, KktRoom, kkt_room
from dovetail.kernels.load_wrenches import NO_LOADS, CompiledLoads
from dovetail.kernels.position_stage import DONE, position_stage
from dovetail.kernels.velocity_stage import velocity_stage
from dovetail.kernels.warmup import warm


@jit
def move(h, h_before, rule, projects, joined, tree, rows, now, after, work, kkt):
    """The position stage, and the multipliers it found where nothing else will find them.

    An unprojected step acts with the impulse (h + h_before)/2 of each multiplier at its start.
    """
    code, body, iterations, size = position_stage(
        h, rule, joined, tree, rows, now, after, work, kkt
    )
    if code == DONE and not projects:
        for r in range(joined.role.shape[0]):
            after.multiplier[r] = 2.0 * work.lam[r] / (h * (h + h_before))
    return code, body, iterations, size


@jit
def unpacked(arrays):
    """The named groups of one flat tuple: Numba takes arrays in a plain tuple twice as fast."""
    return (
        JoinedBodies(*arrays[:11]),
        Elimination(*arrays[11:19]),
        CompiledLoads(*arrays[19:29]),
        Rows(*arrays[29:36]),
        JoinedMotion(*arrays[36:49]),
        JoinedMotion(*arrays[49:62]),
        StepRoom(*arrays[62:68]),
        KktRoom(*arrays[68:82]),
    )


@jit
def step(h, h_before, rule, projects, arrays):
    """A whole step; `now` changes only if it succeeds. Returns (code, body, iterations, size)."""
    joined, tree, loads, rows, now, after, work, kkt = unpacked(arrays)
    code, body, iterations, size = move(
        h, h_before, rule, projects, joined, tree, rows, now, after, work, kkt
    )
    if code != DONE:
        return code, body, iterations, size
    code, body = velocity_stage(
        h, rule, projects, joined, tree, loads, rows, now, after, work, kkt
    )
    if code == DONE:
        copy_motion(now, after)
    return code, body, iterations, size


@jit
def step_move(h, h_before, rule, projects, arrays):
    """The first part of `step`, for forces that Python must find at the new poses."""
    joined, tree, loads, rows, now, after, work, kkt = unpacked(arrays)
    return move(h, h_before, rule, projects, joined, tree, rows, now, after, work, kkt)


@jit
def step_close(h, rule, projects, arrays):
    """The second part, with those forces in `extra`; `now` does not change. (code, body)."""
    joined, tree, loads, rows, now, after, work, kkt = unpacked(arrays)
    return velocity_stage(h, rule, projects, joined, tree, loads, rows, now, after, work, kkt)


@jit
def commit(arrays):
    """`now` becomes `after`."""
    _, _, _, _, now, after, _, _ = unpacked(arrays)
    copy_motion(now, after)


def example() -> tuple[Any, ...]:
    """Arrays of no bodies, of the types every call has."""
    return (
        *NO_JOINED_BODIES, *NO_ELIMINATION, *NO_LOADS, *NO_ROWS, *motion_room(0, 0),
        *motion_room(0, 0), *step_room(0, 0), *kkt_room(NO_ELIMINATION),
    )  # fmt: skip


warm(step, 0.0, 0.0, 0, True, example())
warm(step_move, 0.0, 0.0, 0, True, example())
warm(step_close, 0.0, 0, True, example())
warm(commit, example())
