"""The paper's own bookkeeping: a connectivity matrix, O(n^2) memory, for teaching and tests.

Read as Qi, Huang, Shao 2009 must mean it; its print contradicts itself in these places:
- eq. 2 sets S = 1 "if B_i and B_j are connected or i = j", but the history of eq. 3 starts with
  zeros on the diagonal and the patterns need empty sets I_i: a diagonal entry is 1 only once its
  body is in the graph;
- I_i = {k | S_ik > 0} and the tests S_ii = 0, S_ii = 1 need S_{i+1,k+1} and S_{i+1,j+1}: row 1 is
  the ground;
- pattern (b) unites I_i, I_j and {i, j}, not {I_i, I_j};
- a cut joint i is marked by J_{3,i} = 0 (printed J_{3,j}), and the tree keeps the columns whose
  third entry is not 0; the text deletes columns with entry "1" instead, also in eq. 9, where
  the columns with a negative entry are meant (eq. 10);
- m leaves get n_b, n_b - 1, ..., n_b - m + 1 in the text, but both examples count upward with the
  bodies' old numbers;
- the third row is relabelled by I_J of the joint's number, which for cut joints has been
  overwritten by 0.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.multibody.topology.checks import checked_pairs
from dovetail.multibody.topology.structure import Topology
from dovetail.runtime.options import named_options

Matrix = NDArray[np.int64]


@named_options
def connectivity_history(
    incidence: Sequence[Sequence[int]] | NDArray[Any], n_bodies: int | None = None
) -> tuple[tuple[Matrix, ...], tuple[str, ...]]:
    """Connectivity matrix S after each joint, and the assembly pattern of each joint.

    S[i, j] = 1 when bodies i and j are in the graph assembled so far and connected (eqs. 2-3;
    row 0 is the ground). Patterns: a both bodies new, b one new, c two branches merge, d cut.
    Returns n_joints matrices (n_bodies + 1, n_bodies + 1) and n_joints letters.
    """
    pairs, count = checked_pairs(incidence, n_bodies, floating=True)
    S = np.zeros((count + 1, count + 1), dtype=np.int64)
    history, patterns = [], []
    for i, j in pairs.tolist():
        connected_to_i = set(np.flatnonzero(S[i]).tolist())
        connected_to_j = set(np.flatnonzero(S[j]).tolist())
        if not connected_to_i and not connected_to_j:
            patterns.append("a")
        elif not connected_to_i or not connected_to_j:
            patterns.append("b")
        elif S[i, j] == 0:
            patterns.append("c")
        else:
            patterns.append("d")
        if patterns[-1] != "d":
            members = sorted(connected_to_i | connected_to_j | {i, j})
            S[np.ix_(members, members)] = 1
        history.append(S.copy())
    return tuple(history), tuple(patterns)


@named_options
def analyse_by_connectivity_matrix(
    incidence: Sequence[Sequence[int]] | NDArray[Any], n_bodies: int | None = None
) -> Topology:
    """The same answer as `analyse` in the given order, step by step as the paper writes it.

    Cubic in the number of bodies; use `analyse` for anything but study.
    """
    pairs, count = checked_pairs(incidence, n_bodies, floating=False)
    joints = [(int(a), int(b)) for a, b in pairs]
    _, patterns = connectivity_history(pairs, count)
    cut = [number for number, pattern in enumerate(patterns, 1) if pattern == "d"]

    body_label: dict[int, int] = {0: 0}
    joint_label: dict[int, int] = {}
    tree = {number: joints[number - 1] for number in range(1, len(joints) + 1) if number not in cut}
    free = count
    while tree:
        ends = [body for pair in tree.values() for body in pair]
        leaves = [body for body in range(1, count + 1) if ends.count(body) == 1]
        for k, leaf in enumerate(leaves):
            holder = next(number for number, pair in tree.items() if leaf in pair)
            body_label[leaf] = joint_label[holder] = free - len(leaves) + 1 + k
            del tree[holder]
        free -= len(leaves)
    for k, number in enumerate(cut):
        joint_label[number] = count + 1 + k

    numbers = range(1, len(joints) + 1)
    parents = [0] * count
    for number, label in joint_label.items():
        if label <= count:
            parents[label - 1] = min(body_label[body] for body in joints[number - 1])
    return Topology(
        ends=(tuple(a for a, _ in joints), tuple(b for _, b in joints)),
        cut_joints=tuple(cut),
        body_labels=tuple(body_label[body] for body in range(1, count + 1)),
        joint_labels=tuple(joint_label[number] for number in numbers),
        parents=tuple(parents),
        patterns=patterns,
        assembly_order=tuple(numbers),
    )
