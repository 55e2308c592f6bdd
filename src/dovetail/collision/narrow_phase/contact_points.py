"""The contacts that the narrow phase finds: one row each, in arrays owned by the caller."""

from typing import NamedTuple

import numpy as np

from dovetail.linalg.vec3 import load3, scale, store3
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.records import FloatArray, Int32Array


class ContactPoints(NamedTuple):
    """m contacts, or space for them."""

    body: Int32Array  # (m, 2) a, b
    point: FloatArray  # (m, 3) [m] midway between the two surfaces
    normal: FloatArray  # (m, 3) from b to a
    gap: FloatArray  # (m,) [m], < 0 where the bodies overlap


def contact_points(m: int) -> ContactPoints:
    """Space for m contacts."""
    return ContactPoints(
        np.zeros((m, 2), np.int32), np.zeros((m, 3)), np.zeros((m, 3)), np.zeros(m)
    )


def first_contacts(points: ContactPoints, count: int) -> ContactPoints:
    """The first `count` contacts, as views."""
    body, point, normal, gap = points
    return ContactPoints(body[:count], point[:count], normal[:count], gap[:count])


def with_space_for(points: ContactPoints, count: int, m: int) -> ContactPoints:
    """Space for m contacts, with the first `count` of `points` in it."""
    larger = contact_points(m)
    larger.body[:count], larger.point[:count] = points.body[:count], points.point[:count]
    larger.normal[:count], larger.gap[:count] = points.normal[:count], points.gap[:count]
    return larger


@jit_in_place
def write_contact(out, count, a, b, flip, point, normal, gap):
    """Add a contact whose normal leads to the body with the vertex; `flip`: that one is b.

    Counts on beyond the space there is, so that the caller can provide more.
    """
    if count < out.gap.shape[0]:
        out.body[count, 0] = a
        out.body[count, 1] = b
        store3(out.point, count, point)
        store3(out.normal, count, scale(-1.0, normal) if flip else normal)
        out.gap[count] = gap
    return count + 1


@jit_in_place
def move_contact(out, source, target):
    """Row `target` becomes row `source`."""
    if source != target:
        out.body[target, 0], out.body[target, 1] = out.body[source, 0], out.body[source, 1]
        store3(out.point, target, load3(out.point, source))
        store3(out.normal, target, load3(out.normal, source))
        out.gap[target] = out.gap[source]
