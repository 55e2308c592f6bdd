"""From "which joint joins which bodies" to a labelled tree with cut joints."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.multibody.topology.checks import (
    IntArray,
    raise_if_any,
    read_joints,
    read_order,
    read_weights,
)
from dovetail.multibody.topology.labels import regular_labels
from dovetail.multibody.topology.spanning_tree import CUT, assemble, breadth_first_sequence
from dovetail.multibody.topology.structure import Topology
from dovetail.runtime.options import named_options

PATTERN_NAMES = np.array(["a", "b", "c", "d"])


@named_options
def analyse(
    incidence: Sequence[Sequence[int]] | NDArray[Any],
    order: str | Sequence[int] = "as_given",
    weights: Sequence[float] | NDArray[Any] | None = None,
    floating: bool = False,
    n_bodies: int | None = None,
) -> Topology:
    """Cut joints, regular labels and loops of a multibody system, near linear in joints.

    Joints are assembled one by one; a joint whose bodies are already connected closes a loop and
    is cut (Qi et al. 2009, section 1). The leaves of the tree that remains are stripped round by
    round and take the highest free labels (section 2).

    incidence: (body, body) per joint, ground = 0, bodies 1..n_bodies, in any order and direction.
    order: what is assembled first, so what is kept:
        "as_given"  joints by number, as in the paper;
        "shallow"   breadth-first from the ground: every body as few joints from it as possible;
        a sequence of all joint numbers.
    weights: what cutting each joint costs. Heavy joints are assembled first (ties in `order`), so
        the cut joints have the least total weight. With the number of equations each joint
        imposes (revolute 5, spherical 3, ...) this gives the fewest loop equations and, at the
        same time, the fewest joint coordinates in the tree.
    floating: give each island of bodies a free joint to the ground, at its smallest number. These
        joints are numbered after the given ones.
    n_bodies: number of bodies; by default the largest number used.
    """
    mistakes: list[str] = []
    pairs, count = read_joints(incidence, n_bodies, floating, mistakes)
    n_given = len(pairs)
    order_name, sequence = read_order(order, n_given, mistakes)
    weight_values = read_weights(weights, n_given, mistakes)
    raise_if_any(mistakes)
    if floating:
        pairs = _with_free_joints(pairs, count)
    if sequence is None:
        sequence = (
            breadth_first_sequence(pairs, count)
            if order_name == "shallow"
            else np.arange(len(pairs))
        )
    else:
        sequence = np.concatenate((sequence, np.arange(n_given, len(pairs))))
    if weight_values is not None:
        # free joints hold whole islands and can never close a loop; their place does not matter
        cost = np.concatenate((weight_values, np.zeros(len(pairs) - n_given)))
        sequence = sequence[np.argsort(-cost[sequence], kind="stable")]

    patterns, _ = assemble(pairs, sequence, count)
    in_tree = patterns != CUT
    body_labels, joint_labels, parents = regular_labels(pairs, in_tree, count)
    return Topology(
        ends=(tuple(pairs[:, 0].tolist()), tuple(pairs[:, 1].tolist())),
        cut_joints=tuple((np.flatnonzero(~in_tree) + 1).tolist()),
        body_labels=tuple(body_labels[1:].tolist()),
        joint_labels=tuple(joint_labels.tolist()),
        parents=tuple(parents[1:].tolist()),
        patterns=tuple(PATTERN_NAMES[patterns].tolist()),
        assembly_order=tuple((sequence + 1).tolist()),
        free_joints=tuple(range(n_given + 1, len(pairs) + 1)),
        order=order_name,
        weights=None if weight_values is None else tuple(weight_values.tolist()),
    )


def _with_free_joints(pairs: IntArray, n_bodies: int) -> IntArray:
    """The joints, and one (0, body) joint for each set of bodies not connected to the ground."""
    _, leader = assemble(pairs, np.arange(len(pairs)), n_bodies)
    _, first = np.unique(leader, return_index=True)  # the smallest body of each connected set
    roots = np.sort(first)[1:]  # the first is the ground's own set
    return np.concatenate((pairs, np.column_stack((np.zeros_like(roots), roots))))
