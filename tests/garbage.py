"""Anything a user may pass by mistake."""

from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from dovetail.model import Box, HalfSpace, Mesh, PoseTable, Revolute, Sphere


class Hostile:
    """An object that fails however it is looked at."""

    def __repr__(self):
        raise RuntimeError("no name")

    def __array__(self, *args, **kwargs):
        raise RuntimeError("no array")

    def __len__(self):
        raise RuntimeError("no length")

    def __eq__(self, other):
        raise RuntimeError("no comparison")

    __hash__ = None


recursive: list = []
recursive.append(recursive)

numbers = st.one_of(
    st.floats(),
    st.integers(),
    st.sampled_from([0, 1, -1, 1e308, -1e308, 5e-324, 10**400, np.float32(2), np.int8(3), 1j]),
)
garbage = st.one_of(
    numbers,
    st.lists(numbers, max_size=4),
    st.tuples(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0.1, 10)),
    st.lists(st.lists(st.integers(-1, 5), min_size=2, max_size=4), max_size=5),
    st.lists(st.lists(numbers, min_size=3, max_size=3), max_size=5),
    st.text(max_size=5),
    st.binary(max_size=5),
    st.booleans(),
    st.sampled_from(
        [
            None,
            {},
            set(),
            object(),
            Hostile(),
            recursive,
            Path(),
            Path("/"),
            "/dev/null",
            "x.stl",
        ]
    ),
    st.sampled_from(
        [np.zeros(0), np.zeros((3, 3)), np.eye(3), np.array("x"), np.array([None] * 3), np.nan]
    ),
    st.sampled_from(
        [Box, Box((1, 1, 1)), Sphere(-1), HalfSpace(), Mesh([[0.0, 0, 0]]), Revolute()]
    ),
    st.sampled_from([PoseTable(1, 2, 3), PoseTable([0], [[0, 0, 0]]), len, lambda t: 1 / 0]),
    st.sampled_from(["static", "dynamic", "kinematic", "ground", "a"]),
)
