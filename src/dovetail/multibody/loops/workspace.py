"""Workspace of one step of a mechanism, owned by the caller."""

from typing import NamedTuple

import numpy as np

from dovetail.multibody.tree.bodies import BodyRows

LARGEST_FULL = 800  # unknowns up to which there is space for a full Newton matrix


class StepWorkspace(NamedTuple):
    """n bodies in the scene, n_v velocities, m equations of which the first d drive coordinates."""

    above: np.ndarray  # (n_v,) next coordinate towards the ground, -1 at it
    label: np.ndarray  # (n,) label of each body of the scene; 0 does not move
    frames: np.ndarray  # (labels + 1, 3, 3) body axes in the tree's frame
    driven: np.ndarray  # (d,) which velocities are driven
    active: np.ndarray  # (d,) bool: the motor holds its motion
    w_target: np.ndarray  # (d,) mean velocity over the step
    v_target: np.ndarray  # (d,) velocity at its end
    motor: np.ndarray  # (n_v,) efforts of motors
    extra_force: np.ndarray  # (n, 3) [N] what the caller adds
    extra_torque: np.ndarray  # (n, 3) [N m]
    kicks: np.ndarray  # (1,) bool: wrenches act at the ends of the step too
    start_force: np.ndarray  # (n, 3) [N] what acts for half a step at its start
    start_torque: np.ndarray  # (n, 3) [N m]
    end_force: np.ndarray  # (n, 3) [N] and at its end
    end_torque: np.ndarray  # (n, 3) [N m]
    q0: np.ndarray  # start of the step
    v0: np.ndarray
    q1: np.ndarray  # its end
    v1: np.ndarray
    w: np.ndarray  # (n_v,) velocity over the step
    multipliers: np.ndarray  # (m,) impulses of the position stage
    bodies: BodyRows  # motion halfway
    ends: BodyRows  # motion at the end
    q_m: np.ndarray
    p0: np.ndarray  # (n_v,) momenta at the start
    p1: np.ndarray  # (n_v,) and at the end, before loops are closed there
    p: np.ndarray  # (n_v,) what a velocity needs them to be
    momentum: np.ndarray  # (n_v,) halfway
    push: np.ndarray  # (n_v,)
    tau: np.ndarray  # (n_v,)
    slope: np.ndarray  # (n_v,)
    load: np.ndarray  # (n_v,) sum of the sizes of all that pushes
    r: np.ndarray  # (n_v,) what the momenta miss
    e: np.ndarray  # (m - d,) residuals of the closures
    rate: np.ndarray  # (m,) residuals of all equations, divided by the step
    wrench: np.ndarray  # (labels + 1, 6)
    spin: np.ndarray  # (n, 3)
    force: np.ndarray  # (n, 3)
    torque: np.ndarray  # (n, 3)
    M: np.ndarray  # (n_v, n_v)
    J0: np.ndarray  # (m, n_v) at the start
    J1: np.ndarray  # (m, n_v) at the end
    Y0: np.ndarray  # (m, n_v) J0 L^-1
    Y1: np.ndarray  # (m, n_v) J1 L^-1
    chosen: np.ndarray  # (m,) numbers of the independent equations
    S: np.ndarray  # (m, m)
    swaps: np.ndarray  # (m,)
    x: np.ndarray  # (2, n_v)
    y: np.ndarray  # (m,)
    full: np.ndarray  # (n_v + m, n_v + m), empty for large systems
    full_swaps: np.ndarray  # (n_v + m,)
    full_x: np.ndarray  # (n_v + m,)


def body_rows(n: int) -> BodyRows:
    """Rows for n bodies at rest at the origin."""
    return BodyRows(
        np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3)), np.zeros((n, 3))
    )


def step_workspace(
    above: np.ndarray,
    label: np.ndarray,
    frames: np.ndarray,
    driven: np.ndarray,
    n_q: int,
    n_closures: int,
) -> StepWorkspace:
    """A workspace of the right sizes; q0, v0 are the caller's to set."""
    n_v, n, d = above.size, label.size, driven.size
    m = d + n_closures
    rows, labels = (n, 3), frames.shape[0]
    full = n_v + m if n_v + m <= LARGEST_FULL else 0
    return StepWorkspace(
        above=above,
        label=label,
        frames=frames,
        driven=driven,
        active=np.ones(d, dtype=np.bool_),
        w_target=np.zeros(d),
        v_target=np.zeros(d),
        motor=np.zeros(n_v),
        extra_force=np.zeros(rows),
        extra_torque=np.zeros(rows),
        kicks=np.zeros(1, dtype=np.bool_),
        start_force=np.zeros(rows),
        start_torque=np.zeros(rows),
        end_force=np.zeros(rows),
        end_torque=np.zeros(rows),
        q0=np.zeros(n_q),
        v0=np.zeros(n_v),
        q1=np.zeros(n_q),
        v1=np.zeros(n_v),
        w=np.zeros(n_v),
        multipliers=np.zeros(m),
        bodies=body_rows(n),
        ends=body_rows(n),
        q_m=np.zeros(n_q),
        p0=np.zeros(n_v),
        p1=np.zeros(n_v),
        p=np.zeros(n_v),
        momentum=np.zeros(n_v),
        push=np.zeros(n_v),
        tau=np.zeros(n_v),
        slope=np.zeros(n_v),
        load=np.zeros(n_v),
        r=np.zeros(n_v),
        e=np.zeros(n_closures),
        rate=np.zeros(m),
        wrench=np.zeros((labels, 6)),
        spin=np.zeros(rows),
        force=np.zeros(rows),
        torque=np.zeros(rows),
        M=np.zeros((n_v, n_v)),
        J0=np.zeros((m, n_v)),
        J1=np.zeros((m, n_v)),
        Y0=np.zeros((m, n_v)),
        Y1=np.zeros((m, n_v)),
        chosen=np.zeros(m, dtype=np.int64),
        S=np.zeros((m, m)),
        swaps=np.zeros(m, dtype=np.int64),
        x=np.zeros((2, n_v)),
        y=np.zeros(m),
        full=np.zeros((full, full)),
        full_swaps=np.zeros(full, dtype=np.int64),
        full_x=np.zeros(full),
    )
