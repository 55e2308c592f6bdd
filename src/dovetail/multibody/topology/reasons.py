"""Why a joint was cut, said to the user in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dovetail.multibody.topology.structure import Topology

SHOWN = 8
"""Longest walk written out in full."""


def body_number(body: int) -> str:
    return f"body {body}" if body else "ground"


def joint_number(joint: int) -> str:
    return f"joint {joint}"


def reason_for_cut(
    topology: Topology,
    joint: int,
    body_name: Callable[[int], str] = body_number,
    joint_name: Callable[[int], str] = joint_number,
) -> str:
    """One sentence: which loop the joint closes and why this joint of the loop was the one cut."""
    loop = topology.loop(joint)
    walk = _joined(" - ", [*loop.bodies, loop.bodies[0]], body_name)
    others = loop.joints[:-1]
    if topology.weights is not None:
        why = _lightest(topology.weights, joint, others, joint_name)
    elif topology.order == "shallow":
        first, last = topology.bodies_of(joint)
        why = (
            f"{body_name(first)} and {body_name(last)} are already as near the ground as they can "
            f"be ({topology.depth_of(first)} and {topology.depth_of(last)} joints), and it would "
            "bring neither nearer"
        )
    else:
        why = _joined(", ", list(others), joint_name) + ", assembled before it, "
        why += f"already connect{'s' if len(others) == 1 else ''} its two bodies"
    return f"{joint_name(joint)} is cut: it closes the loop {walk}; {why}"


def _lightest(
    weights: tuple[float, ...],
    joint: int,
    others: tuple[int, ...],
    joint_name: Callable[[int], str],
) -> str:
    own = weights[joint - 1]
    # a free joint of a floating island has no weight and lies on no loop
    rival = min(others, key=lambda other: weights[other - 1])
    least = weights[rival - 1]
    if own < least:
        return f"its weight {own:g} is the least of the loop ({joint_name(rival)} has {least:g})"
    return f"no joint of the loop weighs less than its {own:g}, and it is the last of the lightest"


def _joined(separator: str, numbers: list[int], name: Callable[[int], str]) -> str:
    if len(numbers) <= SHOWN:
        return separator.join(name(number) for number in numbers)
    half = SHOWN // 2
    middle = f"({len(numbers) - 2 * half} more)"
    head, tail = map(name, numbers[:half]), map(name, numbers[-half:])
    return separator.join([*head, middle, *tail])
