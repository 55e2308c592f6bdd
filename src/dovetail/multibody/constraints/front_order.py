"""Where the factors of a system of bodies with loops fill in: its fronts (`linalg.kkt.fronts`)."""

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np

from dovetail.linalg.kkt.fronts import SparseOrder

Node = tuple[int, list[int]]  # a body or -1, and rows
Hung = Sequence[tuple[int, int]]
Table = list[list[tuple[int, int, int, int]]]


def arranged_fronts(
    n: int, nodes: list[Node], pairs: Any, coupled: bool, hung: Hung = ()
) -> SparseOrder:
    """The fronts of `nodes` of n bodies that are eliminated in this order, or one of equal fill.

    `pairs` (r, k) are the bodies of each row, -1 where it has fewer. With `coupled`, rows have
    blocks between their first two bodies; so do all pairs (body, its parent) in `hung`.
    """
    nodes = [nodes[k] for k in _postorder(_filled(_numbered(n, nodes, pairs, coupled, hung))[1])]
    numbers = _numbered(n, nodes, pairs, coupled, hung)
    columns, parents = _filled(numbers)
    first, body_at, row_at, node_of, _ = numbers
    places = [
        {unknown: k for k, unknown in enumerate([*range(*first[s : s + 2]), *columns[s]])}
        for s in range(len(nodes))
    ]
    meet: Table = [[] for _ in nodes]
    link: Table = [[] for _ in nodes]
    for row, ends in enumerate(pairs):
        at = [int(body_at[i]) if i >= 0 else -1 for i in ends]
        for side, unknown in enumerate(at):
            if unknown >= 0:
                s = node_of[min(unknown, row_at[row])]
                meet[s].append((row, side, places[s][row_at[row]], places[s][unknown]))
        if coupled and min(at[:2]) >= 0 and at[0] != at[1]:
            s = node_of[min(at[:2])]
            for side in (0, 1):
                link[s].append((row, side, places[s][at[side]], places[s][at[1 - side]]))
    children: list[list[int]] = [[] for _ in nodes]
    stack_at: list[int] = []
    stack = top = 0
    for s, parent in enumerate(parents):
        top = min([top, *(stack_at[child] for child in children[s])])
        stack_at.append(top)
        top += len(columns[s]) ** 2
        stack = max(stack, top)
        if parent >= 0:
            children[parent].append(s)
    above = [places[parent][k] for s, parent in enumerate(parents) for k in columns[s]]
    own = np.diff(first)
    return SparseOrder(
        body_at, row_at, np.array(first, np.int64), _flat([[body for body, _ in nodes]]),
        _starts([rows for _, rows in nodes]), _flat([rows for _, rows in nodes]),
        _starts(columns), _flat(columns), np.array(above, np.int64), _starts(children),
        _flat(children), np.array(stack_at, np.int64), _starts(meet), _flat(meet).reshape(-1, 4),
        _starts(link), _flat(link).reshape(-1, 4),
        np.cumsum([0, *(own * [len(place) for place in places])], dtype=np.int64),
        np.array([max(map(len, places), default=0), stack], np.int64),
    )  # fmt: skip


def _numbered(n: int, nodes: list[Node], pairs: Any, coupled: bool, hung: Hung) -> Any:
    """First unknowns of nodes, places of bodies and rows, nodes of unknowns, what each meets."""
    first = [0]
    body_at, row_at = np.full(n, -1, np.int64), np.full(len(pairs), -1, np.int64)
    node_of: list[int] = []
    for s, (body, rows) in enumerate(nodes):
        at = first[-1]
        if body >= 0:
            body_at[body] = at
            at += 6
        for k, row in enumerate(rows):
            row_at[row] = at + k
        first.append(at + len(rows))
        node_of += [s] * (first[-1] - first[-2])
    meets: list[set[int]] = [set() for _ in nodes]  # later unknowns of later nodes
    for row, ends in enumerate(pairs):
        bodies = [int(body_at[i]) for i in ends if i >= 0 and body_at[i] >= 0]
        of_row = node_of[row_at[row]] if bodies and row_at[row] >= 0 else -1
        for unknown in bodies:
            s = node_of[unknown]
            if s < of_row:
                meets[s].add(int(row_at[row]))
            elif of_row < s:
                meets[of_row].update(range(unknown, unknown + 6))
        ends_at = [int(body_at[i]) if i >= 0 else -1 for i in ends[:2]]
        if coupled and min(ends_at) >= 0 and ends_at[0] != ends_at[1]:
            meets[node_of[min(ends_at)]].update(range(max(ends_at), max(ends_at) + 6))
    for body, parent in hung:
        near, far = sorted((int(body_at[body]), int(body_at[parent])))
        meets[node_of[near]].update(range(far, far + 6))
    return first, body_at, row_at, node_of, meets


def _filled(numbers: Any) -> tuple[list[list[int]], list[int]]:
    """Columns of each node's front, ascending, and the node it passes on to, -1 for none."""
    first, _, _, node_of, meets = numbers
    columns = [set(unknowns) for unknowns in meets]
    parents = []
    for unknowns in columns:
        parent = node_of[min(unknowns)] if unknowns else -1
        parents.append(parent)
        if parent >= 0:
            columns[parent] |= {k for k in unknowns if k >= first[parent + 1]}
    return [sorted(unknowns) for unknowns in columns], parents


def _postorder(parents: list[int]) -> list[int]:
    """Nodes so that all below one come just before it, the most first: that keeps the stack low."""
    below: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    count = [1] * (len(parents) + 1)
    for s, parent in enumerate(parents):
        below[parent].append(s)  # those without a parent in the last list
        count[parent] += count[s]
    for nodes in below:
        nodes.sort(key=lambda s: -count[s])
    order, waiting = [], list(below[-1])
    while waiting:
        s = waiting.pop()
        order.append(s)
        waiting += below[s]
    return order[::-1]


def _starts(lists: list[Any]) -> Any:
    return np.array([0, *accumulate(len(entries) for entries in lists)], np.int64)


def _flat(lists: list[Any]) -> Any:
    return np.array([*chain(*lists)], np.int64)
