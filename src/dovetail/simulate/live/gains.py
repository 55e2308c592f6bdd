"""Gains of targets that were given none."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dovetail.simulate.live.core import SimulationCore

SERVO = 0.05  # natural frequency of targets without gains, times the step


def give_gains(
    simulation: "SimulationCore", coordinates: list[tuple[int, int]], to_place: bool
) -> None:
    """Gains for targets that have none: poles at -w and -(w + b / I), w = SERVO / h.

    k = min(w (w I + b), I / h^2), c = 2 w I;  I = 1 / mobility, b the joint's own damping.
    """
    simulation.steer()
    controls, model, h = simulation.controls, simulation.model, simulation.step_size
    known = [one for one in coordinates if one in controls.row_of]
    rows = [controls.row_of[one] for one in known]
    if all(controls.stiffness[row] or controls.damping[row] for row in rows):
        return
    mobility = simulation.space.mobility(simulation.q_and_v()[0], simulation.state)
    rate = SERVO / h
    for row, (j, i) in zip(rows, known):
        index = simulation.meter.places[j].v.start + model.joints[j].joint.coordinates[i].v
        if controls.stiffness[row] or controls.damping[row] or not mobility[index] > 0.0:
            continue
        inertia, entries = 1.0 / mobility[index], model.joints[j].joint.actuation
        if to_place:
            k = rate * (rate * inertia + (entries[i].damping if i < len(entries) else 0.0))
            controls.set(row, stiffness=min(k, inertia / h**2))
        controls.set(row, damping=2.0 * rate * inertia)
