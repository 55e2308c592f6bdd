"""The bound on the approach of two nodes holds for all their points at all times."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dovetail.contact.ipc.candidates.approach import SeenMotion, approach_along
from dovetail.linalg.lie import so3
from dovetail.runtime.jit import jit

EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@jit
def bound(u, seen, c_a, c_b, radius_a, radius_b):
    return approach_along(u, seen, c_a, c_b, radius_a, radius_b)


def vector(array):
    return tuple(float(value) for value in array)


@given(st.integers(0, 2**32 - 1))
def test_no_point_comes_closer_along_the_direction_than_the_bound(seed):
    rng = np.random.default_rng(seed)
    u = rng.normal(size=3)
    u /= np.linalg.norm(u)
    c = rng.normal(size=(2, 3))
    radii = 10.0 ** rng.uniform(-3, 0, 2)
    w = rng.normal(size=(2, 3)) * 10.0 ** rng.uniform(-3, 0, (2, 1))
    ds = rng.normal(size=3) * 10.0 ** rng.uniform(-3, 0)
    w *= rng.choice([0.0, 1.0], (2, 1), p=[0.3, 0.7])
    if seed % 2:  # both turn about one axis through the origin of a, b's centre on its circle
        w[1], ds = w[0], np.zeros(3)
    t = rng.random()
    seen = SeenMotion(
        EYE, (0.0, 0.0, 0.0), 0.0, t, 0.0, vector(ds), vector(w[0]), vector(w[1])
    )  # fmt: skip
    most = bound(vector(u), seen, vector(c[0]), vector(c[1]), *radii)
    y = rng.normal(size=(2, 200, 3))
    points = c[:, None] + radii[:, None, None] * y / np.linalg.norm(y, axis=2, keepdims=True)
    first = (points @ u)[1].min() - (points @ u)[0].max()
    for s in np.linspace(0.0, t, 9):
        a, b = (points[k] @ so3.exp(s * w[k]).T @ u for k in range(2))
        rise_a, rise_b = a - points[0] @ u, b + s * ds @ u - points[1] @ u
        assert rise_a.max() - rise_b.min() <= most + 1e-12
        assert (b + s * ds @ u).min() - a.max() >= first - most - 1e-12


def test_turning_in_a_seat_is_hardly_an_approach():
    """A point of a bush's bore, straight over the axis: its speed is along the bore."""
    spin = 0.0314  # [rad] 3000 rpm in 0.1 ms
    seen = SeenMotion(
        EYE, (0.0, 0.0, 0.0), 0.0, 1.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, spin), (0.0, 0.0, 0.0)
    )  # fmt: skip
    most = bound((0.0, 1.0, 0.0), seen, (0.0, 0.01, 0.0), (0.0, 0.01, 0.0), 1e-4, 1e-4)
    assert most < 0.03 * spin * 0.01
