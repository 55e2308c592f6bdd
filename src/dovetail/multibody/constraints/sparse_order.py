"""In which order a system of bodies with loops is factored, and where its factors fill in."""

import heapq
from collections import defaultdict
from itertools import accumulate, chain, product
from typing import Any

import numpy as np

from dovetail.linalg.kkt.sparse import SparseOrder, no_sparse_order

Group = list[int]  # rows


def sparse_order(
    n: int, moving: list[int], pairs: Any, hung: dict[int, Group], loops: list[Group],
    coupled: bool = False,
) -> SparseOrder:  # fmt: skip
    """The order for `moving` bodies of n, each with the rows `hung` on it, and groups of loop rows.

    `pairs` (r, k) are the bodies of each row, -1 where it has fewer. A body and its rows are one
    node, and so is a group of loop rows, which waits for its bodies. With `coupled`, rows have
    blocks between their first two bodies.
    """
    if not loops:
        return no_sparse_order()
    of_body = {body: node for node, body in enumerate(moving)}
    rows = [hung.get(body, []) for body in moving] + loops
    beside: list[set[int]] = [set() for _ in rows]
    for node, group in enumerate(rows):
        for row in group:
            for body in pairs[row]:
                other = of_body.get(int(body), node)
                if other != node:
                    beside[node].add(other)
                    beside[other].add(node)
            ends = [of_body[int(body)] for body in pairs[row][:2] if int(body) in of_body]
            if coupled and len(ends) == 2 and ends[0] != ends[1]:
                beside[ends[0]].add(ends[1])
                beside[ends[1]].add(ends[0])
    first_loop = len(moving)
    waits = [set(around) if node >= first_loop else set() for node, around in enumerate(beside)]
    body, part = [], []
    for node in _least_degree_first(beside, waits):
        if node < first_loop:
            body += [moving[node]] * 6
            part += list(range(6))
        body += [-1] * len(rows[node])
        part += rows[node]
    return _with_pattern(n, np.array(body, np.int64), np.array(part, np.int64), pairs, coupled)


def _least_degree_first(beside: list[set[int]], waits: list[set[int]]) -> list[int]:
    """Nodes in an order of little fill: always one with the fewest neighbours left."""
    around = [set(nodes) for nodes in beside]
    wait = [set(nodes) for nodes in waits]
    freed = defaultdict(list)
    for node, nodes in enumerate(wait):
        for other in nodes:
            freed[other].append(node)
    heap = [(len(nodes), node) for node, nodes in enumerate(around) if not wait[node]]
    heapq.heapify(heap)
    order: list[int] = []
    done = [False] * len(around)
    while heap:
        degree, node = heapq.heappop(heap)
        if done[node] or degree != len(around[node]):
            continue
        done[node] = True
        order.append(node)
        for other in freed[node]:
            wait[other].discard(node)
        for other in around[node]:
            around[other] |= around[node]
            around[other] -= {other, node}
        for other in [*around[node], *freed[node]]:
            if not done[other] and not wait[other]:
                heapq.heappush(heap, (len(around[other]), other))
    return order


def _with_pattern(n: int, body: Any, part: Any, pairs: Any, coupled: bool) -> SparseOrder:
    size, r = len(body), len(pairs)
    body_at, row_at = np.full(n, -1, np.int64), np.zeros(r, np.int64)
    for at in range(size - 1, -1, -1):
        if body[at] < 0:
            row_at[part[at]] = at
        else:
            body_at[body[at]] = at
    touching: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    entries: list[set[int]] = [set() for _ in range(size)]  # columns beyond the diagonal

    def meet(i: int, j: int) -> None:
        entries[min(i, j)].add(max(i, j))

    for at in body_at[body_at >= 0]:
        for i in range(6):
            entries[at + i].update(range(at + i + 1, at + 6))
    for row, ends in enumerate(pairs):
        for side, i in enumerate(ends):
            if i >= 0 and body_at[i] >= 0:
                touching[i].append((row, side))
                for k in range(6):
                    meet(row_at[row], body_at[i] + k)
        first, second = ends[:2]
        if coupled and min(first, second) >= 0 and min(body_at[first], body_at[second]) >= 0:
            for k, m in product(range(6), range(6)):
                meet(body_at[first] + k, body_at[second] + m)
    for at in range(size):  # what elimination fills in
        if entries[at]:
            first = min(entries[at])
            entries[first] |= entries[at] - {first}
    upper = [sorted(columns) for columns in entries]
    lower: list[list[int]] = [[] for _ in range(size)]
    for at, columns in enumerate(upper):
        for column in columns:
            lower[column].append(at)
    flat = [pair for pairs_ in touching for pair in pairs_]
    return SparseOrder(
        body, part, body_at, row_at, _starts(touching), _flat([row for row, _ in flat]),
        _flat([side for _, side in flat]), _starts(lower), _flat([*chain(*lower)]), _starts(upper),
        _flat([*chain(*upper)]),
    )  # fmt: skip


def _starts(lists: list[Any]) -> Any:
    return np.array([0, *accumulate(len(entries) for entries in lists)], np.int64)


def _flat(entries: list[int]) -> Any:
    return np.array(entries, np.int64)
