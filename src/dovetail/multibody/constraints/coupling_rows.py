"""Couplings of joint coordinates as rows: one of kind COUPLING over rows that measure.

A coupling that the initial pose does not fulfil is closed in time, as a motor would: bodies in
contact are not put elsewhere.
"""

from dovetail.errors import InputError
from dovetail.model.couplings import PlacedCoupling
from dovetail.model.frozen import DYNAMIC, GROUND, Model
from dovetail.model.joints.equations import COUPLING
from dovetail.model.joints.motions import ANGLE
from dovetail.model.values import Mistakes, quote
from dovetail.multibody.constraints.actuation_rows import rows_along
from dovetail.multibody.constraints.bodies import MEASURE, MOTOR
from dovetail.multibody.constraints.joint_rows import coordinate_rows
from dovetail.multibody.constraints.motors import CLOSING
from dovetail.multibody.constraints.row import Pair, Row, RowTerm
from dovetail.multibody.state import BodyState, initial_state

CLOSED = 1e-12  # [m or rad]
Measured = dict[tuple[int, int], Row]  # by joint and coordinate


def can_be_rows(model: Model) -> bool:
    """Whether rows between bodies can express all couplings of the model."""
    try:
        coupling_rows(model, initial_state(model))
    except InputError:
        return False
    return True


def are_fulfilled(model: Model) -> bool:
    """Whether the initial pose fulfils all couplings that are kept."""
    return all(one.actuation is not None or abs(one.offset) <= CLOSED for one in model.couplings)


def coupling_rows(model: Model, start: BodyState) -> list[Row]:
    """Rows that measure coordinates, then those of the couplings; `start` is the initial pose."""
    found, measured, rows = Mistakes(), Measured(), list[Row]()
    for number, coupling in enumerate(model.couplings):
        try:
            own = _of_one(coupling, model, start, measured)
        except InputError as error:
            found.extend(error.mistakes)
            continue
        for row in own:
            row.coupling, row.owner = number, f"coupling {quote(coupling.name)}"
        rows += own
    if found:
        raise InputError(found)
    return [*measured.values(), *rows]


def _of_one(
    coupling: PlacedCoupling, model: Model, start: BodyState, measured: Measured
) -> list[Row]:
    bodies: list[int] = []
    terms = []
    for joint, number, coefficients in coupling.terms:
        row = _measuring(coupling.name, model, joint, number, start, measured)
        bodies += [i for i in row.bodies if i != GROUND and i not in bodies]
        a, b = (bodies.index(i) if i != GROUND else -1 for i in row.bodies)
        terms.append(RowTerm(row, (a, b), coefficients))
    first = model.joints[coupling.terms[0].joint].joint
    turns = first.coordinates[coupling.terms[0].coordinate].quantity == ANGLE
    total = Row(COUPLING, tuple(bodies), terms=tuple(terms), offset=coupling.offset, turns=turns)
    total.offset = 0.0
    if coupling.actuation is None:
        if abs(coupling.offset) > CLOSED:
            total.role, total.motor = MOTOR, (CLOSING, coupling.offset, None)
        return [total]
    return rows_along(total, coupling.actuation, f"coupling {quote(coupling.name)}")


def _measuring(
    name: str, model: Model, joint: int, number: int, start: BodyState, measured: Measured
) -> Row:
    placed = model.joints[joint]
    if (joint, number) not in measured:
        pair = (placed.body_a, placed.body_b)
        if not any(i != GROUND and model.motion[i] == DYNAMIC for i in pair):
            raise InputError(
                f"coupling {quote(name)} names joint {quote(placed.name)}, which connects no body "
                "that moves; leave it out"
            )
        row = coordinate_rows(placed.joint, Pair(start, *pair))[number]
        if row is None:
            raise InputError(
                f"coupling {quote(name)} names coordinate {number + 1} of joint "
                f"{quote(placed.name)} ({placed.joint.kind}), which no single angle or distance "
                "between its two bodies measures; use integrator JointCoordinates, or hinges one "
                "after the other (add_joint_chain)"
            )
        row.role, row.joint, row.coordinate = MEASURE, joint, number
        row.owner = f"joint {quote(placed.name)}"
        measured[joint, number] = row
    return measured[joint, number]
