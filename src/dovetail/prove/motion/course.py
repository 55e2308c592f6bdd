"""How far coordinates go in a cell, on a course or each on its own."""

import numpy as np

from dovetail.model.values import Array
from dovetail.prove.motion.records import NO_COURSE, Course, Spread, workspace
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm


@jit
def _piece(knots, t):
    """The number of the cubic that holds at t."""
    low, high = 0, knots.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if knots[middle] <= t:
            low = middle
        else:
            high = middle
    return low


@jit
def coordinates_at(course, parameters, values):
    """Writes the coordinates at `parameters`; without a course they are these."""
    if course.knots.shape[0] == 0:
        for k in range(values.shape[0]):
            values[k] = parameters[k]
        return
    i = _piece(course.knots, parameters[0])
    x = parameters[0] - course.knots[i]
    for k in range(values.shape[0]):
        c = course.cubics[i, k]
        values[k] = c[0] + x * (c[1] + x * (c[2] + x * c[3]))


@jit
def _slopes(course, first, last, k):
    """Least and largest slope of coordinate k over pieces `first` to `last`."""
    level, width = 0, 1
    while 2 * width <= last - first + 1:
        level, width = level + 1, 2 * width
    other = last - width + 1
    low = min(course.slowest[level, first, k], course.slowest[level, other, k])
    return low, max(course.fastest[level, first, k], course.fastest[level, other, k])


@jit
def spread_over(course, low, high, work):
    """The Spread of a cell, its screws still to be written; writes middle, half, slope, excess.

    Within one piece the slope is that in the middle, and the rest is at most half the largest
    second derivative times the square of the half width. Over several pieces the slope is that in
    the middle of all slopes that occur.
    """
    if course.knots.shape[0] == 0:
        for k in range(work.half.shape[0]):
            work.middle[k] = 0.5 * (low[k] + high[k])
            work.half[k] = 0.5 * (high[k] - low[k])
            work.slope[k] = 1.0
            work.excess[k] = 0.0
        return Spread(work.screws, work.half, work.slope, work.excess, -1.0)
    t = 0.5 * (low[0] + high[0])
    along = max(high[0] - t, t - low[0])
    first, last = _piece(course.knots, low[0]), _piece(course.knots, high[0])
    if last > first and course.knots[last] == high[0]:
        last -= 1
    i = _piece(course.knots, t)
    x = t - course.knots[i]
    for k in range(work.half.shape[0]):
        c = course.cubics[i, k]
        work.middle[k] = c[0] + x * (c[1] + x * (c[2] + x * c[3]))
        if first == last:
            slope = c[1] + x * (2.0 * c[2] + 3.0 * x * c[3])
            bend = abs(2.0 * c[2] + 6.0 * x * c[3]) + 6.0 * along * abs(c[3])
            rest = 0.5 * bend * along * along
        else:
            slowest, fastest = _slopes(course, first, last, k)
            slope = 0.5 * (slowest + fastest)
            rest = 0.5 * (fastest - slowest) * along
        work.slope[k] = slope
        work.excess[k] = rest + course.error[k]
        work.half[k] = abs(slope) * along + work.excess[k]
    return Spread(work.screws, work.half, work.slope, work.excess, along)


@jit
def seen_from_b(spread, work):
    """The Spread of a relative to b: the inverse of a product of exponentials.

    exp(d_1 X_1) ... exp(d_k X_k) moves b; exp(-d_k X_k) ... exp(-d_1 X_1) moves a where b stays.
    """
    last = spread.half.shape[0] - 1
    for k in range(last + 1):
        for i in range(6):
            work.back_screws[k, i] = -spread.screws[last - k, i]
        work.back_half[k] = spread.half[last - k]
        work.back_slope[k] = spread.slope[last - k]
        work.back_excess[k] = spread.excess[last - k]
    return Spread(work.back_screws, work.back_half, work.back_slope, work.back_excess, spread.along)


@jit
def at_rest(spread, work):
    """The Spread of a single configuration with the same screws."""
    for k in range(work.half.shape[0]):
        work.half[k] = 0.0
        work.excess[k] = 0.0
    return Spread(spread.screws, work.half, spread.slope, work.excess, 0.0)


def course_of(knots: Array, cubics: Array, error: Array) -> Course:
    """The record of n pieces; `cubics` (n, k, 4), `error` (k,)."""
    knots, cubics = np.ascontiguousarray(knots, float), np.ascontiguousarray(cubics, float)
    n = len(cubics)
    x = np.diff(knots)[:, None]
    c1, c2, c3 = cubics[..., 1], cubics[..., 2], cubics[..., 3]
    ends = [c1, c1 + x * (2.0 * c2 + 3.0 * x * c3)]
    turn = np.divide(-c2, 3.0 * c3, out=np.zeros_like(c2), where=c3 != 0.0)
    turn = np.clip(turn, 0.0, x)
    ends.append(c1 + turn * (2.0 * c2 + 3.0 * turn * c3))
    slowest, fastest = [np.min(ends, axis=0)], [np.max(ends, axis=0)]
    while 2 ** len(slowest) <= n:
        step = 2 ** (len(slowest) - 1)
        for table, choose in ((slowest, np.minimum), (fastest, np.maximum)):
            wider = table[-1].copy()
            wider[:-step] = choose(table[-1][:-step], table[-1][step:])
            table.append(wider)
    reach = (np.abs(cubics) * x[..., None] ** np.arange(4)).sum(axis=-1).max(axis=0)
    return Course(knots, cubics, np.array(slowest), np.array(fastest), error.copy(), reach)


def parts_of(course: Course, numbers: list[int]) -> Course:
    """The course of some of the coordinates."""
    return Course(
        course.knots,
        np.ascontiguousarray(course.cubics[:, numbers]),
        np.ascontiguousarray(course.slowest[:, :, numbers]),
        np.ascontiguousarray(course.fastest[:, :, numbers]),
        np.ascontiguousarray(course.error[numbers]),
        np.ascontiguousarray(course.reach[numbers]),
    )


_numbers = np.zeros(0)
warm(coordinates_at, NO_COURSE, _numbers, _numbers)
warm(spread_over, NO_COURSE, _numbers, _numbers, workspace(1, 0, 0))
