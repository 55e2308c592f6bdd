"""What one frame records."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.integrators.interface import Observation, StepReport
from dovetail.model.frozen import KINEMATIC, Model
from dovetail.multibody.energy import kinetic_energy, potential_energy
from dovetail.multibody.momentum import angular_momentum, linear_momentum
from dovetail.multibody.state import BodyState


@dataclass
class Tally:
    """What the steps since the last frame cost."""

    iterations: int = 0
    rejected: int = 0
    residual: float = 0.0
    creep: float = 0.0  # [m/s]
    unsettled: int = 0

    def add(self, report: StepReport) -> None:
        self.iterations += report.iterations
        if report.residual > self.residual:
            self.residual = report.residual
        self.creep = max(self.creep, report.creep)
        self.unsettled += not report.settled
        self.rejected += report.rejected


def frame_row(
    model: Model, state: BodyState, observation: Observation, tally: Tally
) -> dict[str, Any]:
    """The columns of one frame except its contacts."""
    kinetic = kinetic_energy(model, state)
    potential = potential_energy(model, state) + observation.stored_energy
    contact = observation.contact.energy
    forces: dict[str, Any] = {}
    if model.joints:
        unknown = np.full((2, len(model.joints), 3), np.nan)
        wrenches = observation.joint_wrenches
        forces["joints/force"], forces["joints/torque"] = wrenches() if wrenches else unknown
    driven = int(np.sum(model.motion == KINEMATIC))
    if driven:
        behind = observation.behind
        forces["kinematic/behind"] = np.zeros(driven) if behind is None else behind
    return {
        **forces,
        "time": state.t,
        "position": state.x,
        "rotation": state.R,
        "velocity": state.v,
        "angular_velocity": state.spin,
        "energy/kinetic": kinetic,
        "energy/potential": potential,
        "energy/contact": contact,
        "energy/total": kinetic + potential + contact,
        "momentum/linear": linear_momentum(model, state),
        "momentum/angular": angular_momentum(model, state),
        "min_distance": observation.contact.min_distance,
        "constraint_violation/position": observation.constraint_position,
        "constraint_violation/velocity": observation.constraint_velocity,
        "stats/iterations": tally.iterations,
        "stats/rejected": tally.rejected,
        "stats/residual": tally.residual,
        "stats/creep": tally.creep,
        "stats/unsettled": tally.unsettled,
    }
