"""Points of loads and centres of mass that are far from the bodies they belong to."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.loads import ConstantForce, SpringDamper
from dovetail.model.values import Array, quote, vector3
from dovetail.scene_check.finding import Finding, merged, place, points
from dovetail.scene_check.placed_body import PlacedBody

FAR_END = 20.0  # sizes of the body: a lever that long is one in mm


def find_far_loads(loads: Mapping[str, Any], bodies: list[PlacedBody]) -> list[Finding]:
    """Forces and springs that act on a body far from its surface."""
    solid = {body.name: body for body in bodies if body.has_surface and not body.unbounded}
    found = []
    for name, load in loads.items():
        for what, point, end in _ends(load):
            if end not in solid:
                continue
            body = solid[end]
            gap = body.distance(point)
            if gap > FAR_END * body.size:
                found.append(
                    Finding(
                        "warning",
                        "far away",
                        (name,),
                        f"`{what}` of load {quote(name)}, {place(point)}, is {gap:.3g} m from "
                        f"{quote(end)}, which is {body.size:.3g} m long; it is in m, in world "
                        "coordinates at the initial pose",
                        locations=points([point]),
                    )
                )
                break
    return [merged(found[0], [one.subject[0] for one in found])] if found else []


def _ends(load: Any) -> Iterator[tuple[str, Array, str]]:
    """Attribute, point and body of each end that a load gives; mistakes are reported elsewhere."""
    ends: tuple[tuple[str, Any, Any], ...] = ()
    if isinstance(load, ConstantForce) and load.point is not None:
        ends = (("point", load.point, load.body),)
    elif isinstance(load, SpringDamper):
        ends = (("point_a", load.point_a, load.body_a), ("point_b", load.point_b, load.body_b))
    for what, given, body in ends:
        try:
            yield what, vector3(given, what, "m"), body
        except InputError:
            continue


def find_far_centres(bodies: list[PlacedBody]) -> list[Finding]:
    """Centres of mass, as given, far outside of the body's shape."""
    found = []
    for body in bodies:
        if body.given.center_of_mass is None or not body.has_surface or body.unbounded:
            continue
        gap = body.distance(body.body.position)
        if body.moves and gap > FAR_END * body.size:
            found.append(
                Finding(
                    "warning",
                    "far away",
                    (body.name,),
                    f"the centre of mass of body {quote(body.name)} is {gap:.3g} m from its shape, "
                    f"which is {body.size:.3g} m long; check the units of `center_of_mass`, which "
                    "is in m in the frame of the body",
                    locations=points([np.asarray(body.body.position)]),
                )
            )
    return [merged(found[0], [one.subject[0] for one in found])] if found else []
