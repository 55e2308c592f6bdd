"""Rotation vectors that hit the hard places: 0, pi, 2 pi and their neighbourhoods."""

import math
import os

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("DOVETAIL_TEST_EXAMPLES", "100"))


def for_all(*strategies):
    """Run a test on many draws; no deadline, since the first one may compile."""
    return lambda test: settings(deadline=None, max_examples=EXAMPLES)(given(*strategies)(test))


@st.composite
def unit_vectors(draw):
    kind = draw(st.integers(0, 3))
    if kind == 0:
        axis = np.zeros(3)
        axis[draw(st.integers(0, 2))] = draw(st.sampled_from([-1.0, 1.0]))
        return axis
    v = np.array(draw(st.tuples(*[st.floats(-1.0, 1.0)] * 3)))
    if np.abs(v).max() < 1e-3:
        return np.array([0.0, 0.6, 0.8])
    return v / np.linalg.norm(v)


@st.composite
def angles(draw, largest=4 * math.pi):
    size = 10.0 ** draw(st.floats(-17.0, -1.0))
    special = draw(st.sampled_from([0.0, math.pi / 2, math.pi, 2 * math.pi, 3 * math.pi]))
    near = abs(special + draw(st.sampled_from([-1.0, 0.0, 1.0])) * size)
    plain = draw(st.floats(0.0, largest))
    return min(draw(st.sampled_from([near, plain])), largest)


@st.composite
def rotation_vectors(draw, largest=4 * math.pi):
    return draw(angles(largest)) * draw(unit_vectors())


@st.composite
def twists(draw, largest=4 * math.pi):
    linear = np.array(draw(st.tuples(*[st.floats(-10.0, 10.0)] * 3)))
    return np.concatenate([draw(rotation_vectors(largest)), linear])
