"""Mistakes of a shape, with the element that describes it."""

from dovetail.errors import InputError
from dovetail.io.xml.elements import Element
from dovetail.model.shapes.shape import Shape


def refuse_unusable(shape: Shape, element: Element) -> None:
    """Raise InputError with all that is wrong with the shape of `element`."""
    mistakes = shape.mistakes()
    if mistakes:
        raise InputError(f"{element.who}: {sentence}" for sentence in mistakes)
