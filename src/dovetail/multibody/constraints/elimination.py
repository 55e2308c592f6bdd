"""In which order bodies and rows are eliminated: a spanning tree of the joints, leaves first."""

from collections import defaultdict, deque

import numpy as np
from numpy.typing import NDArray

from dovetail.linalg.kkt.fronts import no_sparse_order
from dovetail.linalg.kkt.records import Elimination
from dovetail.model.joints.equations import COUPLING
from dovetail.model.values import Array
from dovetail.multibody.constraints.bodies import JOINT, MOTOR
from dovetail.multibody.constraints.implied_rows import JointGroups
from dovetail.multibody.constraints.loop_paths import Pair, not_implied
from dovetail.multibody.constraints.row import Row
from dovetail.multibody.constraints.sparse_order import articulated_order, sparse_order
from dovetail.multibody.constraints.stacked import row_bodies

SMALLER = 0.8  # of the fronts of a broad tree: where a deep one is taken
ROOT = -1  # the ground and all bodies that forces do not move

Groups = dict[int, list[Row]]  # rows by the number of their joint; those without one under -1


def eliminate(
    rows: list[Row], moves: Array, coupled: bool = False, motions: JointGroups | None = None
) -> tuple[list[Row], Elimination]:
    """The rows in the order of their tree, loop rows last, and that tree.

    Rows of one joint stay together. Each body hangs on its parent by one joint; dampers between
    the same two bodies join it, all else closes loops, couplings at the very end. With `coupled`,
    rows have blocks between their bodies. With `motions`, loop rows that the tree implies are left
    out of the articulated order, and the tree may be one that reaches far, where its fronts are
    so much smaller.
    """
    wide = [row for row in rows if row.kind == COUPLING]
    rows = [row for row in rows if row.kind != COUPLING]
    links, bodies = _links(rows, moves), np.flatnonzero(moves)

    def by(deep: bool) -> tuple[list[Row], Elimination]:
        tree = _spanning_tree(links, bodies, deep)
        return _along(tree, rows, wide, links, moves, coupled, motions)

    broad = by(False)
    if motions is None or not len(broad[1].articulated.row):
        return broad
    deep = by(True)
    return deep if _work(deep[1]) < SMALLER * _work(broad[1]) else broad


def _work(tree: Elimination) -> int:
    """The entries of all fronts."""
    order = tree.articulated
    return int(((np.diff(order.first) + np.diff(order.column_start)) ** 2).sum())


def _along(
    parents: list[tuple[int, tuple[Pair, int] | None]], rows: list[Row], wide: list[Row],
    links: dict[Pair, Groups], moves: Array, coupled: bool, motions: JointGroups | None,
) -> tuple[list[Row], Elimination]:  # fmt: skip
    """As `eliminate`, along one spanning tree."""
    ordered: list[Row] = []
    n = len(moves)
    first, last = np.zeros(n, np.int64), np.zeros(n, np.int64)
    above = np.full(n, ROOT, np.int64)
    order = [body for body, _ in reversed(parents)]
    hung = {body: link for body, link in parents if link is not None}
    used: set[int] = set()
    child_side: list[int] = []
    for body in order:
        first[body] = len(ordered)
        if body in hung:
            pair, group = hung[body]
            above[body] = pair[0] if pair[1] == body else pair[1]
            for row in _tree_rows(links[pair], group):
                used.add(id(row))
                ordered.append(row)
                child_side.append(row.bodies.index(body))
        last[body] = len(ordered)
    start = len(ordered)
    between = {id(row) for groups in links.values() for rows_ in groups.values() for row in rows_}
    loops = [row for row in rows if id(row) not in used and id(row) in between]
    loops += wide
    ordered += loops
    pairs = row_bodies(ordered)
    rows_of = {body: list(range(first[body], last[body])) for body in order}
    groups = _joint_groups(loops, start)
    freedoms = np.full(n, 6)
    for body, own in rows_of.items():
        freedoms[body] -= sum(ordered[r].role in (JOINT, MOTOR) for r in own)
    articulated, parent_at, carried = no_sparse_order(), *np.zeros((2, 0), np.int64)
    if groups and not coupled:
        kept = groups
        if motions is not None:
            kept = not_implied(groups, ordered, above, hung, moves, motions)
        articulated, parent_at, carried = articulated_order(n, order, above, pairs, kept, freedoms)
    tree = Elimination(
        order=np.array(order, np.int64).reshape(-1),
        parent=above,
        first=first,
        last=last,
        child_side=np.array([*child_side, *[0] * len(loops)], np.int64),
        loop=np.array([start], np.int64),
        moves=np.array(moves, np.bool_),
        body=pairs,
        sparse=sparse_order(n, order, pairs, rows_of, groups, coupled),
        articulated=articulated,
        parent_at=parent_at,
        carried=carried,
    )
    return ordered, tree


def _joint_groups(loops: list[Row], start: int) -> list[list[int]]:
    """Numbers of the loop rows, those of one joint between the same bodies together."""
    groups: dict[tuple[int, int, tuple[int, ...]], list[int]] = defaultdict(list)
    for number, row in enumerate(loops, start):
        groups[row.joint, row.coupling, tuple(sorted(row.bodies))].append(number)
    return list(groups.values())


def _links(rows: list[Row], moves: Array) -> dict[Pair, Groups]:
    """Rows by the two moving bodies they connect, ROOT for one that does not move."""
    links: dict[Pair, Groups] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        ends = [i if i >= 0 and moves[i] else ROOT for i in row.bodies]
        if ends[0] != ends[1]:
            links[min(ends), max(ends)][row.joint].append(row)
    return links


def _held(group: list[Row]) -> int:
    return sum(row.role == JOINT for row in group)


def _best_group(groups: Groups) -> int:
    """The joint that holds most; rows without a joint only where there is none."""

    def rank(joint: int) -> tuple[bool, int, int]:
        held = _held(groups[joint])
        return (joint >= 0 or held > 0, held, -joint)

    return max(groups, key=rank)


def _spanning_tree(
    links: dict[Pair, Groups], bodies: NDArray[np.intp], deep: bool
) -> list[tuple[int, tuple[Pair, int] | None]]:
    """(body, its link to the body before it), root first; along holding links, breadth first, or
    `deep` first.
    """
    beside: dict[int, list[tuple[int, Pair, int]]] = defaultdict(list)
    for pair, groups in links.items():
        joint = _best_group(groups)
        for here, there in (pair, pair[::-1]):
            beside[here].append((there, pair, joint))
    for entries in beside.values():
        entries.sort(key=lambda entry: (-_held(links[entry[1]][entry[2]]), entry[0]))
    found: list[tuple[int, tuple[Pair, int] | None]] = []
    seen = {ROOT}

    def spread(start: int) -> None:
        waiting = deque([(start, iter(beside[start]))])
        while waiting:
            at = -1 if deep else 0
            for there, pair, joint in waiting[at][1]:
                if there not in seen:
                    seen.add(there)
                    found.append((there, (pair, joint)))
                    waiting.append((there, iter(beside[there])))
                    if deep:
                        break
            else:
                del waiting[at]

    spread(ROOT)
    for body in bodies:
        if int(body) not in seen:
            seen.add(int(body))
            found.append((int(body), None))
            spread(int(body))
    return found


def _tree_rows(groups: Groups, joint: int) -> list[Row]:
    """The rows of one joint, and dampers between the same bodies that no joint owns."""
    chosen = list(groups[joint])
    if joint >= 0:
        chosen += [row for row in groups.get(-1, []) if row.role != JOINT]
    return chosen
