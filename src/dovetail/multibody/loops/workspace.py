"""Workspace of one step of a mechanism, owned by the caller."""

from typing import NamedTuple

import numpy as np

from dovetail.multibody.tree.bodies import BodyRows
from dovetail.runtime.records import BoolArray, FloatArray, Int64Array

LARGEST_FULL = 800  # unknowns up to which there is space for a full Newton matrix


class StepWorkspace(NamedTuple):
    """n bodies in the scene, n_v velocities, m equations of which the first d drive coordinates."""

    above: Int64Array  # (n_v,) next coordinate towards the ground, -1 at it
    label: Int64Array  # (n,) label of each body of the scene; 0 does not move
    frames: FloatArray  # (labels + 1, 3, 3) body axes in the tree's frame
    driven: Int64Array  # (d,) which velocities are driven
    active: BoolArray  # (d,) the motor prescribes its motion
    w_target: FloatArray  # (d,) mean velocity over the step
    v_target: FloatArray  # (d,) velocity at its end
    motor: FloatArray  # (n_v,) efforts of motors
    extra_force: FloatArray  # (n, 3) [N] what the caller adds
    extra_torque: FloatArray  # (n, 3) [N m]
    kicks: BoolArray  # (1,) wrenches act at the ends of the step too
    start_force: FloatArray  # (n, 3) [N] what acts for half a step at its start
    start_torque: FloatArray  # (n, 3) [N m]
    end_force: FloatArray  # (n, 3) [N] and at its end
    end_torque: FloatArray  # (n, 3) [N m]
    q0: FloatArray  # start of the step
    v0: FloatArray
    q1: FloatArray  # its end
    v1: FloatArray
    w: FloatArray  # (n_v,) velocity over the step
    multipliers: FloatArray  # (m,) impulses of the position stage
    bodies: BodyRows  # motion halfway
    ends: BodyRows  # motion at the end
    q_m: FloatArray
    p0: FloatArray  # (n_v,) momenta at the start
    p1: FloatArray  # (n_v,) and at the end, before loops are closed there
    p: FloatArray  # (n_v,) what a velocity needs them to be
    momentum: FloatArray  # (n_v,) halfway
    push: FloatArray  # (n_v,)
    tau: FloatArray  # (n_v,)
    slope: FloatArray  # (n_v,)
    load: FloatArray  # (n_v,) sum of the sizes of all that pushes
    r: FloatArray  # (n_v,) what the momenta miss
    e: FloatArray  # (m - d,) residuals of the closures
    rate: FloatArray  # (m,) residuals of all equations, divided by the step
    wrench: FloatArray  # (labels + 1, 6)
    spin: FloatArray  # (n, 3)
    force: FloatArray  # (n, 3)
    torque: FloatArray  # (n, 3)
    M: FloatArray  # (n_v, n_v)
    inertia: FloatArray  # (n_v,) of each coordinate alone, halfway
    J0: FloatArray  # (m, n_v) at the start
    J1: FloatArray  # (m, n_v) at the end
    Y0: FloatArray  # (m, n_v) J0 L^-1
    Y1: FloatArray  # (m, n_v) J1 L^-1
    chosen: Int64Array  # (m,) numbers of the independent equations
    S: FloatArray  # (m, m)
    swaps: Int64Array  # (m,)
    x: FloatArray  # (2, n_v)
    y: FloatArray  # (m,)
    change: FloatArray  # (n_v + m,) of velocities and multipliers that was made last
    full: FloatArray  # (n_v + m, n_v + m), empty for large systems
    full_swaps: Int64Array  # (n_v + m,)
    full_x: FloatArray  # (n_v + m,)


def body_rows(n: int) -> BodyRows:
    """Rows for n bodies at rest at the origin."""
    return BodyRows(
        np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3)), np.zeros((n, 3))
    )


def step_workspace(
    above: Int64Array,
    label: Int64Array,
    frames: FloatArray,
    driven: Int64Array,
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
        inertia=np.zeros(n_v),
        J0=np.zeros((m, n_v)),
        J1=np.zeros((m, n_v)),
        Y0=np.zeros((m, n_v)),
        Y1=np.zeros((m, n_v)),
        chosen=np.zeros(m, dtype=np.int64),
        S=np.zeros((m, m)),
        swaps=np.zeros(m, dtype=np.int64),
        x=np.zeros((2, n_v)),
        y=np.zeros(m),
        change=np.zeros(n_v + m),
        full=np.zeros((full, full)),
        full_swaps=np.zeros(full, dtype=np.int64),
        full_x=np.zeros(full),
    )
