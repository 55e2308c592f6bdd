"""What one frame records."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from dovetail.integrators.interface import FrameBlock, Observation, StepReport
from dovetail.model.frozen import KINEMATIC, Model
from dovetail.model.values import Array
from dovetail.multibody.frame_quantities import frame_quantities
from dovetail.multibody.state import BodyState


@dataclass
class Tally:
    """What the steps since the last frame cost."""

    iterations: int = 0
    rejected: int = 0
    residual: float = 0.0
    creep: float = 0.0  # [m/s]
    unsettled: int = 0
    unconverged: int = 0

    def add(self, report: StepReport) -> None:
        self.iterations += report.iterations
        if report.residual > self.residual:
            self.residual = report.residual
        self.creep = max(self.creep, report.creep)
        self.unsettled += not report.settled
        self.unconverged += not (report.converged and report.residual < inf)
        self.rejected += report.rejected


def frame_row(
    model: Model, state: BodyState, observation: Observation, tally: Tally
) -> dict[str, Any]:
    """The columns of one frame except its contacts."""
    contact = observation.contact
    if model.joints:
        wrenches = observation.joint_wrenches
        unknown = np.full((2, len(model.joints), 3), np.nan)
        force, torque = wrenches() if wrenches else unknown
    else:
        force = torque = np.zeros((0, 3))
    one = np.array([0.0])
    block = FrameBlock(
        state.x[None], state.R[None], state.v[None], state.omega[None], force[None], torque[None],
        one + observation.stored_energy, one + observation.constraint_position,
        one + observation.constraint_velocity, np.array([tally.iterations]), one + tally.residual,
    )  # fmt: skip
    rows = frame_rows(model, np.array([state.t]), block)
    row = {path: column[0] for path, column in rows.items()}
    row["energy/contact"] = contact.energy
    row["energy/total"] = row["energy/kinetic"] + row["energy/potential"] + contact.energy
    row["min_distance"] = contact.min_distance
    if observation.behind is not None:
        row["kinematic/behind"] = observation.behind
    row["stats/iterations"] = tally.iterations
    row["stats/rejected"] = tally.rejected
    row["stats/creep"], row["stats/unsettled"] = tally.creep, tally.unsettled
    row["stats/unconverged"] = tally.unconverged
    return row


def frame_rows(model: Model, times: Array, block: FrameBlock) -> dict[str, Any]:
    """The columns of k frames without contacts."""
    found = frame_quantities(model, block.x, block.R, block.v, block.omega)
    potential = found.potential + block.stored_energy
    zero = np.zeros(len(times))
    rows: dict[str, Any] = {
        "time": times,
        "position": block.x,
        "rotation": block.R,
        "velocity": block.v,
        "angular_velocity": found.spin,
        "energy/kinetic": found.kinetic,
        "energy/potential": potential,
        "energy/contact": zero,
        "energy/total": found.kinetic + potential,
        "momentum/linear": found.linear,
        "momentum/angular": found.angular,
        "min_distance": zero + np.inf,
        "constraint_violation/position": block.constraint_position,
        "constraint_violation/velocity": block.constraint_velocity,
        "stats/iterations": block.iterations,
        "stats/rejected": zero,
        "stats/residual": block.residual,
        "stats/creep": zero,
        "stats/unsettled": zero,
        "stats/unconverged": zero,
    }
    if model.joints:
        rows |= {"joints/force": block.joint_force, "joints/torque": block.joint_torque}
    driven = int(np.sum(model.motion == KINEMATIC))
    if driven:
        rows["kinematic/behind"] = np.zeros((len(times), driven))
    return rows
