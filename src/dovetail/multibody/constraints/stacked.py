"""Rows as the arrays that kernels read."""

from itertools import accumulate
from typing import Any

import numpy as np

from dovetail.model.couplings import MAX_DEGREE
from dovetail.model.frozen import GROUND
from dovetail.model.joints.equations import ANGLE, COUPLING, DOT, SPIN
from dovetail.multibody.constraints.row import Row
from dovetail.multibody.constraints.rows import Rows
from dovetail.runtime.records import BoolArray, Int64Array


def row_bodies(rows: list[Row]) -> Int64Array:
    """(r, k) bodies of each row, k = 2 unless a coupling has more; the rest is GROUND."""
    width = max([2, *(len(row.bodies) for row in rows)])
    found = np.full((len(rows), width), GROUND, np.int64)
    for r, row in enumerate(rows):
        found[r, : len(row.bodies)] = row.bodies
    return found


def stacked_rows(rows: list[Row]) -> Rows:
    """In this order; the rows that measure the coordinates of a coupling come before it."""
    r = len(rows)
    number = {id(row): k for k, row in enumerate(rows)}

    def column(name: str, shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
        return np.array([getattr(row, name) for row in rows], dtype).reshape(r, *shape)

    terms = [term for row in rows for term in row.terms]
    factor = np.zeros((len(terms), MAX_DEGREE))
    for k, term in enumerate(terms):
        factor[k, : len(term.coefficients)] = term.coefficients
    return Rows(
        kind=column("kind", (), np.int64),
        body=row_bodies(rows),
        e=column("e", (3,)),
        g=column("g", (3,)),
        plane=column("plane", (3, 3)),
        lead=column("lead", ()),
        offset=column("offset", ()),
        term_start=np.array([0, *accumulate(len(row.terms) for row in rows)], np.int64),
        term_row=np.array([number[id(term.row)] for term in terms], np.int64),
        term_side=np.array([term.sides for term in terms], np.int64).reshape(-1, 2),
        term_factor=factor,
    )


def turning_rows(rows: list[Row]) -> BoolArray:
    """(r,) whether the value of each row is an angle or a cosine, no length."""
    return np.array(
        [row.turns if row.kind == COUPLING else row.kind in (DOT, ANGLE, SPIN) for row in rows],
        np.bool_,
    )
