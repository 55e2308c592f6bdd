"""Whether bodies may be put where they are wanted: nothing may intersect."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from dovetail.contact.law import ContactMethod
from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.model.scene import Scene
from dovetail.model.values import quote
from dovetail.multibody.state import BodyState
from dovetail.scene_check.finding import Finding
from dovetail.scene_check.known_surfaces import KnownSurfaces
from dovetail.scene_check.placed_body import PlacedBody

ALLOWED = 1e-3  # of the smaller body: overlap that methods with compliance or drift live with


class PlacingCheck:
    """The surfaces of a scene, to be looked at in any pose."""

    def __init__(self, scene: Scene, model: Model, contact: ContactMethod | None) -> None:
        self._scene, self._model, self._contact = scene, model, contact

    @cached_property
    def _bodies(self) -> list[PlacedBody]:
        surfaces = KnownSurfaces()
        return [
            PlacedBody(body.checked, body.given, surfaces.of(body.checked))
            for body in self._scene.bodies.values()
        ]

    @cached_property
    def _linked(self) -> set[frozenset[str]]:
        return {frozenset((a, b)) for _, a, b in self._scene.joints.values()}

    @cached_property
    def _excluded(self) -> set[frozenset[str]]:
        return set(map(frozenset, self._scene.excluded_contacts))

    def refuse(self, state: BodyState, moved: Iterable[int]) -> None:
        """Raise InputError naming the bodies that would intersect one of those `moved`."""
        if self._contact is None:
            return
        from dovetail.scene_check.overlaps import find_overlaps  # with the kernels of exact tests

        names = {self._model.names[i] for i in moved}
        placed = [self._at(i, state) for i in range(len(self._bodies))]
        strict = self._contact.kind == "potential"
        mistakes = []
        for found in find_overlaps(placed, self._linked, self._excluded):
            bad = _intersects(found) or (
                strict and found.topic == "touching" and found.severity != "note"
            )
            if not bad or not names & set(found.subject):
                continue
            if not strict and self._is_slight(found.subject, state):
                continue
            a, b = found.subject
            mistakes.append(
                f"body {quote(a)} and body {quote(b)} would intersect there; leave a gap between "
                "them"
            )
        if mistakes:
            raise InputError(mistakes)

    def _at(self, i: int, state: BodyState) -> PlacedBody:
        body = self._bodies[i]
        checked = replace(body.body, position=state.x[i].copy(), rotation=state.R[i].copy())
        return PlacedBody(checked, body.given, body.known)

    def _is_slight(self, names: tuple[str, ...], state: BodyState) -> bool:
        """Whether the two are free of each other when moved apart by a small part of their size."""
        from dovetail.scene_check.overlaps import find_overlaps

        i, j = (self._model.names.index(name) for name in names)
        a, b = self._at(i, state), self._at(j, state)
        sizes = [body.size for body in (a, b) if not body.unbounded]
        shift = ALLOWED * min(sizes)
        if a.unbounded or b.unbounded:
            plane, other = (a, j) if a.unbounded else (b, i)
            up = plane.placed.R @ plane.body.shape.unit_normal  # type: ignore[union-attr]
            directions, mover = [up], other
        else:
            mover = i
            directions = [s * axis for axis in np.eye(3) for s in (1.0, -1.0)]
            between = state.x[i] - state.x[j]
            directions.append(between / (np.linalg.norm(between) or 1.0))
        for direction in directions:
            trial = state.copy()
            trial.x[mover] += shift * direction
            pair = [self._at(i, trial), self._at(j, trial)]
            if not any(map(_intersects, find_overlaps(pair, self._linked, self._excluded))):
                return True
        return False


def _intersects(found: Finding) -> bool:
    """Whether surfaces cross, or one body is within the other."""
    return found.severity == "error" or (found.topic == "inside" and found.severity != "note")
