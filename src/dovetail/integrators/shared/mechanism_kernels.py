"""A step of jointed bodies as one compiled call, or what follows its solve as one.

As `two_steps`, `bounce`, `potential_joints` and `observed_joints` do it one by one in Python, for
mechanisms under constant loads, without motors that depend on time, couplings and elastic impacts.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.ipc.islands.sleeping import FELL, WOKE
from dovetail.contact.ipc.joints.rows import UNKNOWN, take_rows
from dovetail.contact.ipc.status import StepStatus
from dovetail.contact.ipc.step import advance
from dovetail.contact.ipc.warmup import no_ipc_parts
from dovetail.integrators.shared.joint_kernels import (
    bundle_potential_rows,
    bundle_rows_at_end,
    end_rows_of,
    observe_at_rows,
)
from dovetail.integrators.shared.rebound import contact_stops
from dovetail.integrators.shared.two_steps import LARGEST, LEAST
from dovetail.integrators.shared.warmup import no_observed
from dovetail.multibody.constraints.rows import bundle_rows, no_rows
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import (
    BoolArray,
    ByteArray,
    FloatArray,
    Int32Array,
    Int64Array,
    bundler,
)
from dovetail.runtime.warmup import warm, warm_later

DONE, STOPPED = range(2)  # how a step ends: as it was solved, or by an impact


class MechanismArrays(NamedTuple):
    """Arrays of n bodies, r rows and j joints that a step reads and writes besides the solver."""

    acts: ByteArray  # (1,), as the fields below of `contact.ipc.newton.two_step.TwoStep`
    last: FloatArray  # (1,) [s] the step before
    mechanism: Int32Array  # (n,)
    known: ByteArray  # (n,)
    by: ByteArray  # (n,)
    held: ByteArray  # (n,)
    rough: BoolArray  # (n,) workspace: mechanisms whose last step was not smooth
    x: FloatArray  # (n, 3) [m], of the run
    R: FloatArray  # (n, 3, 3)
    v: FloatArray  # (n, 3) [m/s]
    omega: FloatArray  # (n, 3) [rad/s]
    x_0: FloatArray  # (n, 3) [m], at the start of the step
    R_0: FloatArray  # (n, 3, 3)
    v_0: FloatArray  # (n, 3) [m/s]
    omega_0: FloatArray  # (n, 3) [rad/s]
    dynamic: BoolArray  # (n,) where impacts may stop bodies, none where none can
    inverse_mass: FloatArray  # (n, 3) [1/kg]
    radius: FloatArray  # (n,) [m]
    force: FloatArray  # (n, 3) [N] of loads
    time: FloatArray  # (r,) [s] as in `contact.ipc.joints.records.StepStart`
    gain: FloatArray  # (r,)
    previous_h: FloatArray  # (1,) [s]
    row: Int64Array  # (j,) a row of each joint, -1 without
    acted: FloatArray  # (2, j, 3) [N s], [N m s] what acted in the step before
    start: FloatArray  # (2, j, 3) workspace


bundle_mechanisms = bundler(MechanismArrays)


class StepRecords(NamedTuple):
    """All records of a step as one bundle, of which each is one."""

    arrays: Any  # MechanismArrays
    parts: Any  # contact.ipc.queries.IpcParts
    seen: Any  # ObservedArrays
    potential: Any  # PotentialRows
    end: Any  # RowsAtEnd
    accuracy: FloatArray  # (4,) dhat and dmin [m], tolerance [m/s], relative tolerance
    most: Int64Array  # (1,) iterations
    sticking: FloatArray  # (1,) CREEP * PENALTY of dry friction


bundle_step = bundler(StepRecords)


class MadeStep(NamedTuple):
    """How a step was made, in the order of what `step_mechanisms` returns."""

    status: int  # StepStatus
    iterations: int
    speed: float  # [m/s], as in `StepOutcome`
    least_distance: float  # [m]
    contacts: int
    projected_iterations: int
    limiting_pair: int
    tolerance: float  # [m/s]
    unresolved: int
    ended: int  # DONE or STOPPED
    slept: int  # bodies that fell asleep or woke
    creep: float  # [m/s] of the fastest contact of pairs that stuck
    settled: bool  # whether friction is in balance


@jit
def step_mechanisms(records, h, begins):
    """A step of h [s]; `begins`: the first part of a step that joints report on.

    `end` has the rows at the pose it starts from, of the step before or as they were set.

    Returns the numbers of a `MadeStep`. Where it converged, `ended` is as of `end_mechanisms`.
    """
    return _step(records, h, begins)


@jit_in_place
def _step(records, h, begins):
    """See `step_mechanisms`."""
    arrays, parts, seen = records.arrays, records.parts, records.seen
    accuracy, impulse, end = records.accuracy, seen.impulse, seen.end
    if begins:
        for part in range(2):
            for j in range(impulse.shape[1]):
                for k in range(3):
                    impulse[part, j, k] = -end[part, j, k]
    _begin(arrays, h)
    joints, rows = parts.workspace.joints, records.end
    take_rows(joints, parts.bodies, arrays.R, rows.phi, rows.angle, rows.G)
    made = advance(
        parts, h, accuracy[0], accuracy[1], accuracy[2], accuracy[3], records.most[0], False
    )
    joints.known[0] = UNKNOWN  # what was taken may not have been used
    ended = STOPPED
    if made.status == StepStatus.CONVERGED:
        ended = _end(
            arrays, seen, records.potential, records.end, h, made.tolerance, made.contacts > 0,
            records.sticking[0],
        )  # fmt: skip
    counts, report = parts.motion.sleep_counts, parts.friction.report
    return (
        made.status.value, made.iterations, made.speed, made.least_distance, made.contacts,
        made.projected_iterations, made.limiting_pair, made.tolerance, made.unresolved, ended,
        counts[FELL] + counts[WOKE], report.sticking_speed[0], report.converged[0] != 0,
    )  # fmt: skip


@jit_in_place
def _begin(arrays, h):
    """Keep the motion before a step of h [s], and choose who makes it over two (`two_steps`)."""
    x, R, v, omega = arrays.x, arrays.R, arrays.v, arrays.omega
    x_0, R_0, v_0, omega_0 = arrays.x_0, arrays.R_0, arrays.v_0, arrays.omega_0
    for i in range(x.shape[0]):
        for k in range(3):
            x_0[i, k], v_0[i, k], omega_0[i, k] = x[i, k], v[i, k], omega[i, k]
            for c in range(3):
                R_0[i, k, c] = R[i, k, c]
    if arrays.acts[0] == 0:
        return
    mechanism, known, by, held = arrays.mechanism, arrays.known, arrays.by, arrays.held
    rough, last = arrays.rough, arrays.last[0]
    for i in range(by.shape[0]):
        by[i] = held[i] = 0
        rough[i] = False
    if not (last > 0.0 and LEAST <= h / last <= LARGEST):
        return
    for i in range(by.shape[0]):
        if known[i] == 0 and mechanism[i] >= 0:
            rough[mechanism[i]] = True
    for i in range(by.shape[0]):
        by[i] = 1 if mechanism[i] >= 0 and not rough[mechanism[i]] else 0


@jit
def end_mechanisms(arrays, seen, potential, end, h, slowest, awake, sticking):
    """After the solve of a step of h [s]: reactions of joints and what is observed of them.

    Returns STOPPED, and has changed nothing, where bodies are `awake` in contact, and it may have
    stopped one that moved faster than `slowest` [m/s].
    """
    return _end(arrays, seen, potential, end, h, slowest, awake, sticking)


@jit_in_place
def _end(arrays, seen, potential, end, h, slowest, awake, sticking):
    """See `end_mechanisms`."""
    x, R, v, omega = arrays.x, arrays.R, arrays.v, arrays.omega
    if awake and contact_stops(
        arrays.dynamic, arrays.inverse_mass, arrays.radius, arrays.v_0, arrays.omega_0, v, omega,
        arrays.force, h, slowest,
    ):  # fmt: skip
        return STOPPED
    impulse, start, rows_h = seen.impulse, arrays.start, arrays.previous_h[0]
    n_joints = impulse.shape[1]
    for part in range(2):
        for j in range(n_joints):
            for k in range(3):
                start[part, j, k] = impulse[part, j, k]
    end_rows_of(seen, potential, end, x, R, rows_h, sticking)
    if rows_h > 0.0:
        _act_over_two(arrays, impulse, rows_h)
    observe_at_rows(seen, x, R, v, omega)
    return DONE


@jit_in_place
def _act_over_two(arrays, impulse, h):
    """As `ObservedJoints.acted_over_two`."""
    time, gain, row, acted, start = arrays.time, arrays.gain, arrays.row, arrays.acted, arrays.start
    for j in range(row.shape[0]):
        share, again = 1.0, 0.0
        if row[j] >= 0:
            share, again = time[row[j]] / h, gain[row[j]]
        for part in range(2):
            for k in range(3):
                now = share * (impulse[part, j, k] - start[part, j, k]) + again * acted[part, j, k]
                impulse[part, j, k] = start[part, j, k] + now
                acted[part, j, k] = now


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    some, place, rotation = np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3))
    flags, bytes_, joints = np.zeros(0, np.bool_), np.zeros(0, np.uint8), np.zeros((2, 0, 3))
    arrays = bundle_mechanisms(
        bytes_, some, np.zeros(0, np.int32), bytes_, bytes_, bytes_, flags, place, rotation, place,
        place, place, rotation, place, place, flags, place, some, place, some, some, some,
        np.zeros(0, np.int64), joints, joints,
    )  # fmt: skip
    nothing = np.zeros(0, np.int64)
    potential = bundle_potential_rows(*([nothing] + [some] * 13))
    end = bundle_rows_at_end(
        bundle_rows(*no_rows()), some, some, some, np.zeros((0, 2, 6)), some, nothing
    )
    records = bundle_step(
        arrays, no_ipc_parts(), no_observed(), potential, end, some, nothing, some
    )
    warm(step_mechanisms, records, 0.0, True)
    warm(end_mechanisms, arrays, no_observed(), potential, end, 0.0, 0.0, False, 0.0)


warm_later(_register)
