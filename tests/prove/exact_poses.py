"""Clashes shown at one position in exact rational arithmetic, with no code of the package.

The position is one of the motion: a rotation has a rational tangent t of half its angle. What is
not rational there (the angle 2 atan t of a screw or of a cam's law, the root that closes a
four-bar) is enclosed between two fractions. An edge goes through a triangle where five determinants
have strict signs for all numbers between the bounds. So a clash that is confirmed is one.
"""

from fractions import Fraction
from itertools import product
from math import floor, isqrt, tan

import numpy as np

TERMS = 60  # of the series of atan: bounds to 1e-37
DIGITS = 10**30  # of square roots
NEAR = 1e-9  # [m] by which boxes are widened before pairs are left out
OFFSETS = (0.0, 0.01, -0.01, 0.003, -0.003, 0.03, -0.03, 0.1, -0.1)  # of a step between samples


class Between:
    """A number between two fractions."""

    def __init__(self, low, high=None):
        self.low = Fraction(low)
        self.high = self.low if high is None else Fraction(high)

    def __add__(self, other):
        other = of(other)
        return Between(self.low + other.low, self.high + other.high)

    def __neg__(self):
        return Between(-self.high, -self.low)

    def __sub__(self, other):
        return self + -of(other)

    def __mul__(self, other):
        other = of(other)
        if self.low == self.high and other.low == other.high:
            return Between(self.low * other.low)
        ends = [a * b for a, b in product((self.low, self.high), (other.low, other.high))]
        return Between(min(ends), max(ends))

    @property
    def sign(self):
        """0 where it is not certain."""
        return (self.low > 0) - (self.high < 0)


def of(x):
    return x if isinstance(x, Between) else Between(x)


def _series(t):
    """atan of 0 <= t <= 1/2: partial sums of an alternating series enclose it."""
    total, power, last = Fraction(0), t, Fraction(0)
    for k in range(TERMS):
        last = total
        total += (-1) ** k * power / (2 * k + 1)
        power *= t * t
    return Between(min(last, total), max(last, total))


QUARTER = _series(Fraction(1, 2)) + _series(Fraction(1, 3))  # of pi


def atan_between(t):
    t = Fraction(t)
    if t < 0:
        return -atan_between(-t)
    if t > 1:
        return QUARTER * 2 - atan_between(1 / t)
    return _series(t) if 2 * t <= 1 else QUARTER - _series((1 - t) / (1 + t))


def root_between(x):
    """The square root of a fraction."""
    low = isqrt(floor(x * DIGITS * DIGITS))
    return Between(Fraction(low, DIGITS), Fraction(low + 1, DIGITS))


def tangent(angle):
    """A fraction near the tangent of half of an angle [rad]: it defines the angle."""
    return Fraction(tan(angle / 2)).limit_denominator(10**9)


def angle_between(t, about):
    """The angle [rad] with this tangent of its half, in the turn nearest to `about`."""
    angle = atan_between(t) * 2
    turns = round((about - float(angle.low)) / (2 * np.pi))
    return angle + QUARTER * (8 * turns)


def circle_point(t):
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def moved(triangles, cosine=1, sine=0, centre=(0, 0), shift=(0, 0, 0)):
    """Corners turned about an axis along z through `centre`, then shifted."""
    cx, cy = (Fraction(c) for c in centre)
    known, out = {}, []
    for triangle in triangles.tolist():
        for point in map(tuple, triangle):
            if point not in known:
                x, y, z = (Fraction(c) for c in point)
                known[point] = (
                    of(cosine) * (x - cx) - of(sine) * (y - cy) + cx + shift[0],
                    of(sine) * (x - cx) + of(cosine) * (y - cy) + cy + shift[1],
                    of(shift[2]) + z,
                )
        out.append([known[tuple(point)] for point in triangle])
    return out


def surfaces_cross(a, b):
    """Whether an edge of one goes strictly through a triangle of the other."""
    low_a, high_a = _boxes(a)
    low_b, high_b = _boxes(b)
    for i, one in enumerate(a):
        near = np.all((low_b <= high_a[i] + NEAR) & (high_b >= low_a[i] - NEAR), axis=1)
        for j in np.flatnonzero(near):
            if _pierces(one, b[j]) or _pierces(b[j], one):
                return True
    return False


def _boxes(triangles):
    points = np.array([[[float(c.low) for c in p] for p in triangle] for triangle in triangles])
    return points.min(axis=1), points.max(axis=1)


def _pierces(edges_of, triangle):
    a, b, c = triangle
    side = [_orientation(a, b, c, p) for p in edges_of]
    for i, j in ((0, 1), (1, 2), (2, 0)):
        if side[i] * side[j] >= 0:
            continue
        p, q = edges_of[i], edges_of[j]
        turns = {_orientation(p, q, u, v) for u, v in ((a, b), (b, c), (c, a))}
        if turns in ({1}, {-1}):
            return True
    return False


def _orientation(a, b, c, d):
    u, v, w = ([x - y for x, y in zip(p, a)] for p in (b, c, d))
    det = (
        u[0] * (v[1] * w[2] - v[2] * w[1])
        + u[1] * (v[2] * w[0] - v[0] * w[2])
        + u[2] * (v[0] * w[1] - v[1] * w[0])
    )
    return det.sign


def _gears(one, at):
    c, s = circle_point(tangent(at))
    left = moved(one.parts["left"], c, s)
    return left, moved(one.parts["right"], c, -s, (one.exact["centre"], 0))


def _thread(one, at):
    t = tangent(at)
    c, s = circle_point(t)
    turned = angle_between(t, at)
    advance = turned * Fraction(one.exact["pitch"]) * _INVERSE_TURN
    return moved(one.parts["bolt"]), moved(one.parts["nut"], c, s, shift=(0, 0, advance))


def _bayonet(one, at):
    down = Fraction(at) * Fraction(one.exact["down"])  # on the first leg
    return moved(one.parts["socket"]), moved(one.parts["lug"], shift=(0, 0, -down))


def _cam(one, at):
    angles, lifts = one.exact["angles"], one.exact["lifts"]
    k = floor(at)
    about = angles[k] + (at - k) * (angles[k + 1] - angles[k])
    t = tangent(about)
    angle = angle_between(t, about)
    k -= angle.low < Fraction(angles[k])
    first, last = Fraction(angles[k]), Fraction(angles[k + 1])
    assert first <= angle.low and angle.high <= last  # on this leg of the path
    share = (angle - first) * (1 / (last - first))
    lift = share * (Fraction(lifts[k + 1]) - Fraction(lifts[k])) + Fraction(lifts[k])
    c, s = circle_point(t)
    return moved(one.parts["cam"], c, s), moved(one.parts["follower"], shift=(0, lift, 0))


def _four_bar(one, at):
    """The crank turns by a rational tangent; a square root closes the loop."""
    a, b, c, d = (tuple(Fraction(x) for x in p) for p in one.exact["pins"])
    assert a == (0, 0)
    cosine, sine = circle_point(tangent(at))
    now = cosine * b[0] - sine * b[1], sine * b[0] + cosine * b[1]
    rod = c[0] - b[0], c[1] - b[1]
    reach = d[0] - now[0], d[1] - now[1]
    long2, rocker2 = _square(rod), _square((c[0] - d[0], c[1] - d[1]))
    far2 = _square(reach)
    along = (long2 - rocker2 + far2) / (2 * far2)
    up = root_between(long2 / far2 - along * along)
    x = of(along * reach[0]) - up * reach[1]  # the rod now
    y = of(along * reach[1]) + up * reach[0]
    turned = (x * rod[0] + y * rod[1]) * (1 / long2), (y * rod[0] - x * rod[1]) * (1 / long2)
    shift = now[0] - b[0], now[1] - b[1], 0
    return moved(one.parts["coupler"], *turned, b, shift), moved(one.parts["post"])


def _square(p):
    return p[0] * p[0] + p[1] * p[1]


_INVERSE_TURN = Between(1 / (8 * QUARTER.high), 1 / (8 * QUARTER.low))
POSES = {
    "gears": _gears,
    "thread": _thread,
    "bayonet": _bayonet,
    "cam": _cam,
    "four-bar": _four_bar,
}


def clash_is_shown(assembly):
    """Whether surfaces cross at a position near the planted clash; None: not such a family."""
    pose = POSES.get(assembly.name.split()[0])
    if pose is None:
        return None
    low, high = assembly.span
    step = (high - low) / 36
    return any(surfaces_cross(*pose(assembly, assembly.at + k * step)) for k in OFFSETS)
