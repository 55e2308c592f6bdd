"""Couplings of joint coordinates: gears, mimic joints, tendons.

A coupling is a sum s = f_1(q_1) + f_2(q_2) + ... over coordinates of joints, each f a number times
the coordinate or a polynomial of it. Held, s equals `offset` at all times; with an `actuation` s is
a coordinate of its own, such as the length of a tendon, on which springs, dampers, dry friction,
limits and motors act. Coordinates are 0 at the initial pose.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from dovetail.model.joints import Actuation, Joint
from dovetail.model.values import CopiedFields, Mistakes, number, quote
from dovetail.runtime.options import named_parameters

MAX_DEGREE = 4


@named_parameters
@dataclass(frozen=True)
class Coupling(CopiedFields):
    """A sum over joint coordinates that is held, or that an `Actuation` acts on.

    `terms`: {joint: c} for c q, or {joint: (c1, c2, ...)} for c1 q + c2 q^2 + ... up to degree 4.
    Of a joint with several coordinates name one as (joint, 1), (joint, 2), ...
    """

    terms: Any
    offset: Any = 0.0
    actuation: Any = None

    def mistakes(self, who: str, joints: dict[str, Any]) -> list[str]:
        """What is wrong with it in a scene of these joints."""
        found = Mistakes()
        found.take(number, self.offset, f"`offset` of {who}", "m or rad")
        if not isinstance(self.terms, dict) or not self.terms:
            found.append(
                f"`terms` of {who} must be a mapping from joints to numbers, such as "
                f"{{'wheel': 1, 'pinion': -3}}, got {quote(self.terms)}"
            )
            return found
        for key, value in self.terms.items():
            found.extend(_term_mistakes(key, value, who, joints))
        if self.actuation is not None and not isinstance(self.actuation, Actuation):
            found.append(
                f"`actuation` of {who} must be a dt.Actuation, got {quote(self.actuation)}"
            )
        elif self.actuation is not None:
            found.extend(self.actuation.mistakes(who))
            motor = self.actuation.motor
            if not found and isinstance(motor, tuple | list):
                found.append(
                    f"the motor of {who} must be an effort; to prescribe the sum, leave "
                    "`actuation` out and give `offset`, or a motor to one of its joints"
                )
            if not found and self.actuation.armature:
                found.append(f"`armature` of {who} must be 0; give it to its joints")
        return found


def _term_mistakes(key: Any, value: Any, who: str, joints: dict[str, Any]) -> list[str]:
    found = Mistakes()
    name, coordinate = named(key)
    if name not in joints:
        known = ", ".join(map(quote, list(joints)[:8])) or "none"
        found.append(
            f"{who} names joint {quote(name)}, which is not in the scene (it has: {known})"
        )
        return found
    joint = joints[name]
    if not isinstance(joint, Joint):
        return found
    if not isinstance(coordinate, int) or not 1 <= coordinate <= joint.freedoms:
        found.append(
            f"{who} names coordinate {quote(coordinate)} of joint {quote(name)}, which has "
            f"{joint.freedoms}"
        )
    elif not joint.coordinates[coordinate - 1].motion.has_values:
        found.append(
            f"{who} names joint {quote(name)} ({joint.kind}), whose turns are not numbers that add "
            "up; use hinges one after the other (add_joint_chain)"
        )
    for one in value if isinstance(value, tuple | list) else (value,):
        found.take(number, one, f"the factor of joint {quote(name)} in {who}")
    if isinstance(value, tuple | list) and not 1 <= len(value) <= MAX_DEGREE:
        found.append(
            f"the polynomial of joint {quote(name)} in {who} must have 1 to {MAX_DEGREE} "
            f"coefficients, of q, q^2, ..., got {len(value)}"
        )
    return found


def named(key: Any) -> tuple[Any, Any]:
    """The joint of a key of `terms` and the number, from 1, of its coordinate."""
    return key if isinstance(key, tuple) and len(key) == 2 else (key, 1)


class Term(NamedTuple):
    """One joint coordinate in a coupling."""

    joint: int  # its number in the model
    coordinate: int  # from 0
    coefficients: tuple[float, ...]  # of q, q^2, ...


@dataclass(frozen=True, eq=False)
class PlacedCoupling:
    """A checked coupling with its joints as numbers."""

    name: str
    terms: tuple[Term, ...]
    offset: float
    actuation: Actuation | None

    @property
    def is_held(self) -> bool:
        return self.actuation is None

    @property
    def is_linear(self) -> bool:
        return not any(any(term.coefficients[1:]) for term in self.terms)


def placed_coupling(name: str, coupling: Coupling, numbers: dict[str, int]) -> PlacedCoupling:
    """`numbers`: of the joints by name."""
    terms = []
    for key, value in coupling.terms.items():
        joint, coordinate = named(key)
        listed = value if isinstance(value, tuple | list) else (value,)
        terms.append(Term(numbers[joint], coordinate - 1, tuple(float(c) for c in listed)))
    return PlacedCoupling(name, tuple(terms), float(coupling.offset), coupling.actuation)
