"""Rows of contacts that are found in fields."""

from typing import NamedTuple

import numpy as np

from dovetail.runtime.records import FloatArray, Int32Array


class ContactRows(NamedTuple):
    """Contacts, one row each: a point of body `point_body` inside body `field_body`."""

    point_body: Int32Array  # (capacity,)
    field_body: Int32Array  # (capacity,)
    pair: Int32Array  # (capacity,) row of the pair's force law
    depth: FloatArray  # (capacity,) [m]
    point: FloatArray  # (capacity, 3) [m] world: midway between detection point and surface
    gradient: FloatArray  # (capacity, 3) of the field body's field, world axes


def empty_contacts(capacity: int) -> ContactRows:
    """Rows that are not yet written."""
    point_body, field_body, pair = np.empty((3, capacity), np.int32)
    point, gradient = np.empty((2, capacity, 3))
    return ContactRows(point_body, field_body, pair, np.empty(capacity), point, gradient)
