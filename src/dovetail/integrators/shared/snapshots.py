"""The parts of a snapshot: each part's arrays carry its name before their own.

A stepper's snapshot is one flat dictionary, as results keep it. The arrays that a part of the
stepper adds (the law, the joints, friction, ...) are named "<prefix> <name>".
"""

from collections.abc import Mapping

import numpy as np

from dovetail.integrators.interface import Snapshot
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState


def of_bodies(state: BodyState) -> Snapshot:
    """Time, poses and velocities of bodies, under names without a prefix."""
    kept = state.copy()
    return {"t": np.array(kept.t), "x": kept.x, "R": kept.R, "v": kept.v, "omega": kept.omega}


def restore_bodies(state: BodyState, snapshot: Snapshot) -> None:
    """The reverse of `of_bodies`, into the arrays of `state`."""
    state.t = float(snapshot["t"])
    BodyState(state.t, *(snapshot[name] for name in ("x", "R", "v", "omega"))).copy_to(state)


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
