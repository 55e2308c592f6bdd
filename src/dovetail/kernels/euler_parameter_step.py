"""The two compiled parts of the Euler-parameter method: accelerations at a state, projection."""

from dovetail.kernels.accelerations import all_wrenches, project_velocities, solve_accelerations
from dovetail.kernels.constraint_rows import evaluate
from dovetail.kernels.jit import jit
from dovetail.kernels.joined_bodies import copy_motion
from dovetail.kernels.pose_projection import project_poses
from dovetail.kernels.position_stage import DONE, NOT_FINITE, SINGULAR


@jit
def accelerations_after(parts, carried, decay):
    """Accelerations (n, 6) into work.u at the state of `after`; a body without solution, or -1."""
    after, now = parts.after, parts.now
    all_wrenches(
        parts.joined, parts.tree, parts.loads, parts.rows, now.angle, after, parts.work.extra
    )
    return solve_accelerations(
        parts.joined, parts.tree, parts.rows, after, carried, decay, parts.work, parts.kkt
    )


@jit
def arrive(parts, projects):
    """`now` becomes `after`, poses and velocities of which are first projected, if asked for.

    Returns (code, body, iterations, size).
    """
    joined, tree, rows, work, kkt = parts.joined, parts.tree, parts.rows, parts.work, parts.kkt
    now, after, lam = parts.now, parts.after, parts.work.lam
    code, body, iterations, size = DONE, -1, 0, 0.0
    multiplier = after.multiplier
    for r in range(lam.shape[0]):
        multiplier[r] = lam[r]
    if projects:
        evaluate(rows, after.x, after.R, now.angle, after.phi, after.angle, after.G)
        copy_motion(now, after)
        code, body, iterations, size = project_poses(joined, tree, rows, now, after, work, kkt)
        if code != DONE:
            return code, body, iterations, size
        evaluate(rows, after.x, after.R, now.angle, after.phi, after.angle, after.G)
        if project_velocities(joined, tree, after, work, kkt) >= 0:
            return SINGULAR, tree.order[0], iterations, size
    all_wrenches(joined, tree, parts.loads, rows, now.angle, after, work.extra)
    for i in tree.order:
        if not abs(after.x[i, 0]) < 1e300:
            return NOT_FINITE, i, iterations, size
    copy_motion(now, after)
    return code, body, iterations, size
