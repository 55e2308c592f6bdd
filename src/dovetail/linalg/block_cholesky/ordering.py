"""Which body to eliminate next: minimum degree on the graph of bodies and their pairs.

Eliminating a body joins all its neighbours to each other; those joints are the blocks of its row
of U. They are kept as one list per eliminated body (an "element") that stands for all of them, so
that a body's neighbours are its remaining pairs and the members of its elements, and the lists
are the rows of U when all are eliminated. Degrees are the upper bounds of Amestoy, Davis and Duff
(1996), An approximate minimum degree ordering algorithm, eq. 4.1. Ties go to the body touched
last, so the order depends on nothing but the pairs.
"""

from dovetail.runtime.jit import jit_in_place

# rows of the scratch array
START, LENGTH, ELEMENTS, DEGREE, HEAD, NEXT, BEFORE, MARK, OUTSIDE = 0, 1, 2, 3, 4, 5, 6, 7, 8


@jit_in_place
def eliminate_by_least_degree(n, pair, m, order, place, first, column, link, work):
    """Order of elimination and the bodies in each row of U; the number of blocks, or -1.

    -1 says that `column` is too short. Rows hold bodies, in no order.
    """
    for i in range(n):
        place[i] = -1
        work[LENGTH, i], work[ELEMENTS, i] = 0, 0
        work[HEAD, i], work[MARK, i] = -1, -1
    _list_neighbours(n, pair, m, link, work)
    for i in range(n - 1, -1, -1):
        work[DEGREE, i] = min(work[LENGTH, i], n - 1)  # a pair may appear several times
        _enter(work, i)
    least, filled, capacity = 0, 0, column.shape[0]
    for k in range(n):
        while work[HEAD, least] < 0:
            least += 1
        p = work[HEAD, least]
        _leave(work, p)
        order[k], place[p], first[k] = p, k, filled
        filled = _gather(p, k, first, column, filled, capacity, link, work, place)
        if filled < 0:
            return -1
        first[k + 1] = filled
        _count_outside(p, k, first, column, link, work)
        size = filled - first[k]
        for at in range(first[k], filled):
            i = column[at]
            _leave(work, i)
            bound = min(_prune(i, k, link, work, place) + size - 1, n - k - 2)
            work[DEGREE, i] = min(work[DEGREE, i] + size - 1, bound)
            _enter(work, i)
            least = min(least, work[DEGREE, i])
    first[n] = filled
    return filled


@jit_in_place
def _list_neighbours(n, pair, m, link, work):
    """The neighbours of body i, `link` from START[i] on."""
    for k in range(m):
        work[LENGTH, pair[k, 0]] += 1
        work[LENGTH, pair[k, 1]] += 1
    at = 0
    for i in range(n):
        work[START, i] = at
        at += work[LENGTH, i]
        work[LENGTH, i] = 0
    for k in range(m):
        for side in range(2):
            i, j = pair[k, side], pair[k, 1 - side]
            link[work[START, i] + work[LENGTH, i]] = j
            work[LENGTH, i] += 1


@jit_in_place
def _enter(work, i):
    """Put body i at the head of the list of its degree."""
    degree = work[DEGREE, i]
    head = work[HEAD, degree]
    work[NEXT, i], work[BEFORE, i] = head, -1
    if head >= 0:
        work[BEFORE, head] = i
    work[HEAD, degree] = i


@jit_in_place
def _leave(work, i):
    after, before = work[NEXT, i], work[BEFORE, i]
    if before >= 0:
        work[NEXT, before] = after
    else:
        work[HEAD, work[DEGREE, i]] = after
    if after >= 0:
        work[BEFORE, after] = before


@jit_in_place
def _gather(p, k, first, column, filled, capacity, link, work, place):
    """Write the neighbours of p, marked k, after `filled`; the new end, or -1 if it is full.

    Elements of p are part of the new one and end here. A segment of `link` holds the elements of
    a body first, by place, then its remaining pairs.
    """
    start, split = work[START, p], work[START, p] + work[ELEMENTS, p]
    work[MARK, p] = k
    for at in range(split, start + work[LENGTH, p]):
        j = link[at]
        if work[MARK, j] != k and place[j] < 0:
            if filled == capacity:
                return -1
            work[MARK, j] = k
            column[filled] = j
            filled += 1
    for at in range(start, split):
        e = link[at]
        for inner in range(first[e], first[e + 1]):
            j = column[inner]
            if work[MARK, j] != k and place[j] < 0:
                if filled == capacity:
                    return -1
                work[MARK, j] = k
                column[filled] = j
                filled += 1
    return filled


@jit_in_place
def _count_outside(p, k, first, column, link, work):
    """OUTSIDE[e] = |element e without element k|, for all that share a body with element k.

    0 for the elements of the eliminated body p: they are part of element k.
    """
    for at in range(first[k], first[k + 1]):
        i = column[at]
        start = work[START, i]
        for inner in range(start, start + work[ELEMENTS, i]):
            e = link[inner]
            work[OUTSIDE, e] = first[e + 1] - first[e]
    for at in range(first[k], first[k + 1]):
        i = column[at]
        start = work[START, i]
        for inner in range(start, start + work[ELEMENTS, i]):
            work[OUTSIDE, link[inner]] -= 1
    for at in range(work[START, p], work[START, p] + work[ELEMENTS, p]):
        work[OUTSIDE, link[at]] = 0


@jit_in_place
def _prune(i, k, link, work, place):
    """Leave to body i what element k does not cover; a bound on its neighbours outside of it.

    An element within element k is dropped, and so are pairs of two bodies that are both in it.
    The segment has space for k: i lost either the pair with the eliminated body or an element.
    """
    start = work[START, i]
    split, end = start + work[ELEMENTS, i], start + work[LENGTH, i]
    kept, bound = start, 0
    for at in range(start, split):
        e = link[at]
        if work[OUTSIDE, e] > 0:
            bound += work[OUTSIDE, e]
            link[kept] = e
            kept += 1
    pairs = kept
    for at in range(split, end):
        j = link[at]
        if place[j] < 0 and work[MARK, j] != k:
            bound += 1
            link[pairs] = j
            pairs += 1
    if pairs > kept:
        link[pairs] = link[kept]
    link[kept] = k
    work[ELEMENTS, i] = kept + 1 - start
    work[LENGTH, i] = pairs + 1 - start
    return bound
