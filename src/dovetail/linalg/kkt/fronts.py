r"""Sparse matrix of symmetric pattern, factored front by front (Duff and Reid, ACM TOMS 9 (1983)).

Unknowns that are eliminated together are a node: a body and the rows of the joint to its parent, or
the rows that close a loop. The front of a node is the dense matrix over its own unknowns and its
columns, the later unknowns that they meet:
    [ F11 F12 ]   own unknowns   F11 = L11 U11,  L21 = F21 U11^-1,  U12 = L11^-1 F12,
    [ F21 F22 ]   columns        F22 - L21 U12 is added to the front of the node that comes next.
Nodes come in postorder, so what is passed on lies on a stack. Loops run along memory; places are
unsigned, since Numba asks of others whether they count from the end, which keeps the compiler from
using vector instructions (2.3 times as slow).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy import uintp

from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.records import FloatArray, Int64Array, bundler


class SparseOrder(NamedTuple):
    """The place of each of the N unknowns, and the fronts of s nodes in which they are solved for.

    A local number is the place in a front: own unknowns first, then columns.
    """

    body_at: Int64Array  # (n,) first unknown of a body, -1 for one that forces do not move
    row_at: Int64Array  # (r,) unknown of a row's multiplier
    first: Int64Array  # (s + 1,) first unknown of a node
    body: Int64Array  # (s,) its body, which has its first six, or -1
    row_start: Int64Array  # (s + 1,) its rows, which have the others
    row: Int64Array
    column_start: Int64Array  # (s + 1,) its columns, ascending
    column: Int64Array
    above: Int64Array  # local number of a column in the front of the parent
    child_start: Int64Array  # (s + 1,) nodes that pass on to it
    child: Int64Array
    stack_at: Int64Array  # (s,) where what it passes on lies
    meet_start: Int64Array  # (s + 1,) entries of G in its front
    meet: Int64Array  # (., 4) row, side, local number of the row and of the body's first unknown
    link_start: Int64Array  # (s + 1,) blocks between bodies in its front
    link: Int64Array  # (., 4) row, side, local number of that body and of the other
    factor_at: Int64Array  # (s + 1,) where its factors begin
    largest: Int64Array  # (2,) size of a front, of the stack


class FrontWorkspace(NamedTuple):
    """Factors, front and stack."""

    lower: FloatArray  # columns of L of each node, below the diagonal
    upper: FloatArray  # columns of U of each node
    inverse: FloatArray  # (N,) of the diagonal of U
    front: FloatArray  # (m, m) the largest
    stack: FloatArray
    local: FloatArray  # (m,)


@jit_in_place
def size_of(order, s):
    """Number of own unknowns of node s, and of these and its columns."""
    own = order.first[s + 1] - order.first[s]
    return own, own + order.column_start[s + 1] - order.column_start[s]


@jit_in_place
def clear_front(F, size):
    """F = 0."""
    for i in range(size):
        for j in range(size):
            F[uintp(i), uintp(j)] = 0.0


@jit_in_place
def add_children(order, s, F, stack):
    """Add what nodes below pass on to the front of node s."""
    above, children = order.above, order.child
    for e in range(order.child_start[s], order.child_start[s + 1]):
        child = children[e]
        start, at = order.column_start[child], order.stack_at[child]
        count = order.column_start[child + 1] - start
        for i in range(count):
            to = uintp(above[start + i])
            for j in range(count):
                F[to, uintp(above[uintp(start + j)])] += stack[uintp(at + j)]
            at += count


@jit_in_place
def eliminate_front(order, s, fronts):
    """L and U of node s from its front, the rest onto the stack; False where a pivot is 0."""
    F, upper, inverse, stack = fronts.front, fronts.upper, fronts.inverse, fronts.stack
    first, base, at = order.first[s], order.factor_at[s], order.stack_at[s]
    own, size = size_of(order, s)
    for k in range(own):
        pivot = F[k, k]
        if not (abs(pivot) > 0.0 and math.isfinite(pivot)):
            return False
        inverse[first + k] = 1.0 / pivot
        _eliminate_unknown(F, k, size, 1.0 / pivot, fronts.lower, base + k * size)
    for j in range(size):
        for k in range(min(j + 1, own)):
            upper[uintp(base + k)] = F[uintp(k), uintp(j)]
        base += own
    for i in range(own, size):
        for j in range(own, size):
            stack[uintp(at + j - own)] = F[uintp(i), uintp(j)]
        at += size - own
    return True


@jit_in_place
def _eliminate_unknown(F, k, size, inverse, lower, base):
    """Take unknown k out of the rows after it, whose shares of it go to lower[base + row]."""
    pivot = uintp(k)
    for i in range(k + 1, size):
        row = uintp(i)
        f = F[row, pivot] * inverse
        lower[uintp(base + i)] = f
        if f != 0.0:
            for j in range(k + 1, size):
                F[row, uintp(j)] -= f * F[pivot, uintp(j)]


@jit_in_place
def substitute(order, fronts, w):
    """W becomes the solution for the right-hand side w."""
    for s in range(order.body.shape[0]):
        _forward(order, s, fronts, w)
    for s in range(order.body.shape[0] - 1, -1, -1):
        _backward(order, s, fronts, w)


@jit_in_place
def _forward(order, s, fronts, w):
    """L^-1 of one node."""
    lower, local, column = fronts.lower, fronts.local, order.column
    first, start, base = order.first[s], order.column_start[s], order.factor_at[s]
    own, size = size_of(order, s)
    for k in range(own):
        local[uintp(k)] = w[uintp(first + k)]
    for k in range(own, size):
        local[uintp(k)] = 0.0
    for k in range(own):
        y = local[k]
        for i in range(k + 1, size):
            local[uintp(i)] -= lower[uintp(base + i)] * y
        w[first + k] = y
        base += size
    for k in range(own, size):
        w[column[start + k - own]] += local[uintp(k)]


@jit_in_place
def _backward(order, s, fronts, w):
    """U^-1 of one node."""
    upper, inverse, local, column = fronts.upper, fronts.inverse, fronts.local, order.column
    first, start, base = order.first[s], order.column_start[s], order.factor_at[s]
    own, size = size_of(order, s)
    for k in range(own):
        local[uintp(k)] = w[uintp(first + k)]
    base += own * own
    for j in range(size - own):
        y = w[column[start + j]]
        for k in range(own):
            local[uintp(k)] -= upper[uintp(base + k)] * y
        base += own
    base = order.factor_at[s] + own * own
    for j in range(own - 1, -1, -1):
        base -= own
        y = local[j] * inverse[first + j]
        for k in range(j):
            local[uintp(k)] -= upper[uintp(base + k)] * y
        w[first + j] = y


bundle_sparse_order = bundler(SparseOrder)
bundle_fronts = bundler(FrontWorkspace)


def front_workspace(order: SparseOrder) -> FrontWorkspace:
    """Arrays for the factors of one order."""
    entries = int(order.factor_at[-1])
    size, stack = (int(k) for k in order.largest)
    return FrontWorkspace(
        np.zeros(entries), np.zeros(entries), np.zeros(int(order.first[-1])),
        np.zeros((size, size)), np.zeros(stack), np.zeros(size),
    )  # fmt: skip


def no_sparse_order() -> SparseOrder:
    """Nothing, for systems without loops, of the types every call has."""
    none, zero, table = np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros((0, 4), np.int64)
    return SparseOrder(
        none, none, zero, none, zero, none, zero, none, none, zero, none, none, zero, table, zero,
        table, zero, np.zeros(2, np.int64),
    )  # fmt: skip
