"""The parts of a snapshot: each part's arrays carry its name before their own.

A stepper's snapshot is one flat dictionary, as results keep it. The arrays that a part of the
stepper adds (the law, the joints, friction, ...) are named "<prefix> <name>".
"""

from collections.abc import Mapping

from dovetail.integrators.interface import Snapshot
from dovetail.model.values import Array


def prefixed(prefix: str, part: Mapping[str, Array]) -> Snapshot:
    """The arrays of `part` under the names they have in the whole snapshot."""
    return {f"{prefix} {name}": array for name, array in part.items()}


def part_of(snapshot: Snapshot, prefix: str) -> Snapshot:
    """The reverse of `prefixed`: the arrays of one part under their own names."""
    start = f"{prefix} "
    return {
        name.removeprefix(start): array
        for name, array in snapshot.items()
        if name.startswith(start)
    }
