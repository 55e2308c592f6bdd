"""The scalar equations that a joint keeps: one vocabulary for loops and maximal coordinates.

Between body a and body b of a joint, with p_a, p_b the joint's point on either body, e_i(a) axis i
of the joint frame as body a carries it, e_j(b) axis j as body b carries it:
    GAP    e_i(a) . (p_b - p_a) = 0                    [m]
    DOT    e_i(a) . e_j(b) = 0                         [1], the two axes stay at right angles
    HELIX  e_i(a) . (p_b - p_a) - lead * angle = 0     [m], the angle of b about e_i(a)
Loop closures take a joint's equations in the order it declares them. Maximal coordinates take them
sorted, which is gaps first, then right angles by their axes, then the helix.
"""

from typing import NamedTuple

GAP, DOT, ANGLE, HELIX, STRETCH, SPIN, COUPLING = range(7)
"""Kinds of rows; ANGLE, STRETCH and SPIN measure motions (`multibody.constraints.rows`), a COUPLING
is a sum over coordinates of joints."""


class Equation(NamedTuple):
    """One scalar equation and the axes of the joint frame that it takes on a and on b."""

    kind: int
    axis_a: int
    axis_b: int

    def __str__(self) -> str:
        a, b = "xyz"[self.axis_a], "xyz"[self.axis_b]
        if self.kind == DOT:
            return f"right angle of {a} and {b}"
        return f"gap along {a}" if self.kind == GAP else f"helix along {a}"


def gap(axis: int) -> Equation:
    """The joint's points do not part along an axis of the first body."""
    return Equation(GAP, axis, axis)


def right_angle(axis_a: int, axis_b: int) -> Equation:
    """An axis of the first body and one of the second stay at right angles."""
    return Equation(DOT, axis_a, axis_b)


def helix(axis: int) -> Equation:
    """The displacement along an axis is the joint's lead times the rotation about it."""
    return Equation(HELIX, axis, axis)


def same_point() -> tuple[Equation, ...]:
    """The joint's points coincide."""
    return gap(0), gap(1), gap(2)


def same_axis(axis: int) -> tuple[Equation, ...]:
    """An axis keeps its direction, and nothing else does."""
    x, y = (axis + 1) % 3, (axis + 2) % 3
    return right_angle(x, axis), right_angle(y, axis)


def same_directions() -> tuple[Equation, ...]:
    """No relative rotation."""
    return (*same_axis(2), right_angle(0, 1))
