"""Features of bodies with their trees, shared by all bodies that look the same.

A scene of many bodies often has a shape of its own for each of them, of the same size. What the
surface is made of decides, not which object it is.
"""

from dovetail.collision.mesh.contact_features import ContactFeatures
from dovetail.contact.ipc.round_shapes import contact_shape
from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import Sphere


class SharedFeatures:
    """Makes the features of each different surface once."""

    def __init__(self) -> None:
        self._of_shape: dict[tuple[object, ...], tuple[ContactFeatures, float]] = {}
        self._known: dict[tuple[object, ...], tuple[ContactFeatures, float]] = {}

    def of(self, body: CheckedBody) -> tuple[ContactFeatures, float]:
        """The features of a body's core, in body axes, and the radius [m] around them."""
        by_surface = (type(body.shape), id(body.surface))
        known = self._of_shape.get(by_surface)
        if known is None:
            by_shape = (id(body.shape), body.centre.tobytes())
            known = self._of_shape.get(by_shape) or self._by_content(body)
            self._of_shape[by_shape] = self._of_shape[by_surface] = known
        return known

    def _by_content(self, body: CheckedBody) -> tuple[ContactFeatures, float]:
        shape = body.shape
        content: tuple[object, ...] | None = None
        if isinstance(shape, Sphere):
            content = (float(shape.radius), body.centre.tobytes())
            if content in self._known:
                return self._known[content]
        core, radius = contact_shape(body)
        if content is None:
            rows = core.vertices, core.edges, core.faces
            content = (radius, *(part.tobytes() for part in rows))
        if content not in self._known:
            self._known[content] = (ContactFeatures(core), radius)
        return self._known[content]
