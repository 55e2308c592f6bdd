"""In which order a system of bodies with loops is factored."""

import heapq
from collections import defaultdict
from typing import Any

import numpy as np

from dovetail.linalg.kkt.fronts import SparseOrder, no_sparse_order
from dovetail.multibody.constraints.front_order import arranged_fronts

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
    order = _least_degree_first(beside, waits)
    nodes = [(moving[node] if node < first_loop else -1, rows[node]) for node in order]
    return arranged_fronts(n, nodes, pairs, coupled)


def articulated_order(
    n: int, moving: list[int], parent: Any, pairs: Any, loops: list[Group], freedoms: Any
) -> tuple[SparseOrder, Any, Any]:
    """The order of `linalg.kkt.articulated`: each body after all that hang on it, its joint's rows
    being no unknowns; with it `parent_at` and `carried` of `linalg.kkt.records.Elimination`.

    Rows of a loop wait for as many `freedoms` (n,) of joints in it as they are: without these,
    nothing but the slack would be left of some, and what follows would be all round-off.
    """
    of_body = {body: node for node, body in enumerate(moving)}
    hung = [(body, int(parent[body])) for body in moving if parent[body] >= 0]
    groups: list[Group] = [[] for _ in moving] + loops
    beside: list[set[int]] = [set() for _ in groups]
    waits: list[set[int]] = [set() for _ in groups]
    for body, above in hung:
        i, p = of_body[body], of_body[above]
        beside[i].add(p)
        beside[p].add(i)
        waits[p].add(i)
    of_loops = np.full_like(pairs, -1)
    for node in range(len(moving), len(groups)):
        for row in groups[node]:
            of_loops[row] = pairs[row]
            for body in pairs[row]:
                if int(body) in of_body:
                    other = of_body[int(body)]
                    beside[node].add(other)
                    beside[other].add(node)
                    waits[node].add(other)
        ends = [int(body) for body in pairs[groups[node][0]] if int(body) in of_body]
        for body in _near_ends(ends, parent, freedoms, len(groups[node])):
            waits[node].add(of_body[body])
    order = _least_degree_first(beside, waits)
    nodes = [(moving[node] if node < len(moving) else -1, groups[node]) for node in order]
    fronts = arranged_fronts(n, nodes, of_loops, False, hung)
    return _with_parents(fronts, parent)


def _near_ends(ends: list[int], parent: Any, freedoms: Any, wanted: int) -> list[int]:
    """Bodies of the loop that closes at `ends`, the nearest first, with `wanted` freedoms or all.

    Bodies above the one where both sides of the loop meet are not in it.
    """
    sides = []
    for body in ends:
        side = [body]
        while parent[side[-1]] >= 0:
            side.append(int(parent[side[-1]]))
        sides.append(side)
    if len(sides) > 1:
        while all(sides) and len({side[-1] for side in sides}) == 1:
            for side in sides:
                side.pop()
    found: list[int] = []
    for k in range(max(map(len, sides), default=0)):
        for side in sides:
            if k < len(side) and wanted > 0:
                found.append(side[k])
                wanted -= int(freedoms[side[k]])
    return found


def _with_parents(fronts: SparseOrder, parent: Any) -> tuple[SparseOrder, Any, Any]:
    """The fronts without parents that only their joint connects, and where these are."""
    count = len(fronts.body)
    parent_at, carried = np.full((2, count), -1, np.int64)
    above, meet = fronts.above.copy(), fronts.meet.copy()
    for s, body in enumerate(fronts.body):
        if body < 0 or parent[body] < 0:
            continue
        columns = fronts.column[slice(*fronts.column_start[s : s + 2])]
        place = 6 + int(np.searchsorted(columns, fronts.body_at[parent[body]]))
        children = fronts.child[slice(*fronts.child_start[s : s + 2])]
        passed = [np.arange(*fronts.column_start[c : c + 2]) for c in children]
        local = np.concatenate([np.zeros(0, np.int64), *passed])
        if ((above[local] >= place) & (above[local] < place + 6)).any():
            parent_at[s] = place
            continue
        carried[s] = place - 6
        above[local] -= np.where(above[local] >= place, 6, 0)
        met = slice(*fronts.meet_start[s : s + 2])
        meet[met, 2:] -= np.where(meet[met, 2:] >= place, 6, 0)
    return fronts._replace(above=above, meet=meet), parent_at, carried


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
