"""A body: a shape with mass, placed and moving."""

from functools import cached_property
from typing import Any

from dovetail.model.by_name import refuse_unknown_attribute
from dovetail.model.checked_body import BodyInput, CheckedBody, check_body
from dovetail.model.shapes.shape import Shape
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array, quote


class Body:
    """One body of a scene; its numbers are in SI units, world axes unless said otherwise."""

    def __init__(self, given: BodyInput) -> None:
        self.given = given

    def __setattr__(self, name: str, value: Any) -> None:
        refuse_unknown_attribute(
            self, name, ("given",), "a body is described once, in add_body(); set_state() moves it"
        )
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"<Body {quote(self.given.name)} {quote(self.given.motion)}>"

    @cached_property
    def checked(self) -> CheckedBody:
        """The body with everything derived; raises InputError with all its mistakes."""
        return check_body(self.given)

    @property
    def name(self) -> str:
        return self.checked.name

    @property
    def shape(self) -> Shape | None:
        return self.checked.shape

    @property
    def motion(self) -> str:
        return self.checked.motion

    @property
    def mass(self) -> float:
        """[kg]; inf for half-spaces, and for bodies that are not dynamic and have no measure."""
        return self.checked.mass

    @property
    def inertia(self) -> Array:
        """(3, 3) [kg m^2], body frame, about the centre of mass."""
        return self.checked.inertia

    @property
    def position(self) -> Array:
        """(3,) [m] of the centre of mass."""
        return self.checked.position

    @property
    def rotation(self) -> Array:
        """(3, 3) body to world."""
        return self.checked.rotation

    @property
    def velocity(self) -> Array:
        """(3,) [m/s] of the centre of mass."""
        return self.checked.velocity

    @property
    def angular_velocity(self) -> Array:
        """(3,) [rad/s] in world axes."""
        return self.checked.angular_velocity

    @property
    def vertices(self) -> Array:
        """(n, 3) [m] in the body frame: world = rotation @ v + position."""
        return self.checked.surface.vertices

    @property
    def edges(self) -> IndexArray:
        return self.checked.surface.edges

    @property
    def faces(self) -> IndexArray:
        return self.checked.surface.faces
