"""Everything wrong with an incidence list, found before anything is built on it."""

from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.multibody.topology.spanning_tree import assemble

LARGEST_NUMBER = 2**31 - 1
MAX_SHOWN = 50

IntArray = NDArray[np.int64]


def checked_pairs(
    incidence: Sequence[Sequence[int]] | NDArray[Any], n_bodies: int | None, floating: bool
) -> tuple[IntArray, int]:
    """Joints as an (n_joints, 2) array and the number of bodies, or one InputError with all."""
    mistakes: list[str] = []
    pairs, count = read_joints(incidence, n_bodies, floating, mistakes)
    raise_if_any(mistakes)
    return pairs, count


def read_joints(
    incidence: Any, n_bodies: int | None, floating: bool, mistakes: list[str]
) -> tuple[IntArray, int]:
    """Joints as an (n_joints, 2) array and the number of bodies; what is wrong joins `mistakes`.

    n_bodies None means that the largest number used is the last body and every body up to it
    must be held by a joint.
    """
    if n_bodies is not None and (_whole(n_bodies) is None or not 0 <= n_bodies <= LARGEST_NUMBER):
        mistakes.append(f"`n_bodies` must be a whole number >= 0, got {n_bodies!r}")
        n_bodies = None
    pairs, sound = _read_pairs(incidence, n_bodies, mistakes)
    used = _bodies_used(pairs)
    count = int(n_bodies) if n_bodies is not None else int(used[-1]) if used.size else 0
    if n_bodies is None and not count and not mistakes:
        mistakes.append(
            "`incidence` must hold at least one (body, body) pair with a body besides the "
            "ground 0, got none; pass `n_bodies` when bodies have no joints"
        )
    if count > used.size and not (floating and n_bodies is not None):
        mistakes.append(
            f"bodies must be numbered 1 to {count} without gaps and each be held by a joint, but "
            f"no joint holds {_bodies_missing(used, count)}; renumber the bodies or add joints"
        )
    if not floating:
        mistakes += _islands(pairs, sound, used)
    return pairs, count


def read_order(
    order: str | Sequence[int], n_joints: int, mistakes: list[str]
) -> tuple[str, IntArray | None]:
    """Name of the order and, for one given as joint numbers, the sequence counted from 0."""
    if isinstance(order, str):
        if order not in ("as_given", "shallow"):
            mistakes.append(
                f"`order` must be 'as_given', 'shallow' or all joint numbers once, got {order!r}"
            )
        return order, None
    sequence = np.asarray(order)
    if sequence.shape != (n_joints,) or not np.array_equal(
        np.sort(sequence), np.arange(1, n_joints + 1)
    ):
        mistakes.append(
            f"`order` must name each of the joints 1 to {n_joints} once, got {list(order)!r}"
        )
        return "given sequence", None
    return "given sequence", sequence.astype(np.int64) - 1


def read_weights(
    weights: Sequence[float] | NDArray[Any] | None, n_joints: int, mistakes: list[str]
) -> NDArray[np.float64] | None:
    """Weights as floats, one finite number per joint."""
    if weights is None:
        return None
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        mistakes.append(f"`weights` must be numbers, one per joint, got {weights!r}")
        return None
    if values.shape != (n_joints,):
        mistakes.append(
            f"`weights` must be one number for each of the {n_joints} joints, "
            f"got shape {values.shape}"
        )
        return None
    for i in np.flatnonzero(~np.isfinite(values)):
        mistakes.append(f"joint {i + 1} must have a finite weight, got {values[i]}")
    return values


def raise_if_any(mistakes: list[str]) -> None:
    """One InputError with all mistakes: those of joints by number, then the others."""
    if not mistakes:
        return

    def number(mistake: str) -> float:
        word, _, rest = mistake.partition(" ")
        return int(rest.split(" ", 1)[0]) if word == "joint" else float("inf")

    ordered = sorted(mistakes, key=number)
    if len(ordered) > MAX_SHOWN:
        ordered[MAX_SHOWN:] = [f"... and {len(ordered) - MAX_SHOWN} more mistakes"]
    raise InputError(ordered)


def _read_pairs(incidence: Any, n_bodies: int | None, mistakes: list[str]) -> tuple[IntArray, Any]:
    """Joints with a bad body number replaced by -1, and which joints are sound."""
    try:
        array = np.asarray(incidence)
    except (TypeError, ValueError):
        array = np.asarray(None)
    if array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[1] != 2:
        array = _read_rows(incidence, mistakes)
    largest = LARGEST_NUMBER if n_bodies is None else int(n_bodies)
    outside = (array < 0) | (array > largest)
    same = (array[:, 0] == array[:, 1]) & ~outside[:, 0]
    faulty = outside[:, 0] | outside[:, 1] | same
    for joint in np.flatnonzero(faulty):
        mistakes += [
            _outside_message(int(joint) + 1, int(body), n_bodies)
            for body in array[joint][outside[joint]]
            if body != _UNREAD
        ]
        if same[joint]:
            mistakes.append(
                f"joint {joint + 1} must join two different bodies, "
                f"got body {array[joint, 0]} with itself"
            )
    pairs = np.where(outside, -1, array) if faulty.any() else array
    return np.ascontiguousarray(pairs, dtype=np.int64), ~faulty


_UNREAD = np.iinfo(np.int64).min


def _outside_message(joint: int, body: int, n_bodies: int | None) -> str:
    if body < 0:
        return f"joint {joint} must name bodies >= 0 (0 is the ground), got {body}"
    if n_bodies is None:
        return f"joint {joint} must name bodies up to {LARGEST_NUMBER}, got {body}"
    return f"joint {joint} names the unknown body {body}; the bodies are 1 to {n_bodies}, ground 0"


def _read_rows(incidence: Any, mistakes: list[str]) -> IntArray:
    """Row by row, for input that is not already an integer array of pairs."""
    shape = "`incidence` must be a list of (body, body) pairs, one per joint"
    try:
        rows = list(incidence)
    except TypeError:
        mistakes.append(f"{shape}, got {incidence!r}")
        return np.empty((0, 2), dtype=np.int64)
    if len(rows) in (2, 3) and all(_length(row) not in (None, 2) for row in rows):
        mistakes.append(f"{shape}, got {len(rows)} rows that are not pairs; transpose it")
        return np.empty((0, 2), dtype=np.int64)
    pairs = np.full((len(rows), 2), _UNREAD, dtype=np.int64)
    for joint, row in enumerate(rows):
        if _length(row) != 2 or isinstance(row, str | bytes):
            mistakes.append(f"joint {joint + 1} must be a (body, body) pair, got {row!r}")
            continue
        for end, body in enumerate(row):
            number = _whole(body)
            if number is None:
                mistakes.append(
                    f"joint {joint + 1} must name bodies by whole numbers, got {body!r}"
                )
            elif abs(number) > LARGEST_NUMBER:
                mistakes.append(_outside_message(joint + 1, number, None))
            else:
                pairs[joint, end] = number
    return pairs


def _length(row: Any) -> int | None:
    try:
        return len(row)
    except TypeError:
        return None


def _whole(value: Any) -> int | None:
    """The value as an int when it is a whole number (3 and 3.0 are, True and 2.5 are not)."""
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, SupportsIndex):
        return int(value)
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(value)
    return None


def _islands(pairs: IntArray, sound: Any, used: IntArray) -> list[str]:
    """One sentence per set of the bodies in use that no joint connects to the ground.

    A set that a faulty joint touches is left out: the mend of that joint may connect it.
    """
    bodies = np.concatenate(([0], used))
    dense = bodies[-1] == used.size
    place = pairs if dense else np.where(pairs < 0, -1, np.searchsorted(bodies, pairs))
    good = np.ascontiguousarray(place[sound])
    _, leader = assemble(good, np.arange(len(good)), used.size)
    lost = np.flatnonzero(leader != leader[0])
    if not lost.size:
        return []
    half_read = place[(place < 0).any(axis=1)]
    excused = set(leader[half_read[half_read > 0]].tolist())
    sets: dict[int, list[int]] = {}
    for body in lost.tolist():
        sets.setdefault(int(leader[body]), []).append(int(bodies[body]))
    return [
        f"{_body_list(members)} must be connected to the ground (body 0) but no chain of joints "
        "leads there; add a joint, or pass floating=True to let the island float"
        for root, members in sets.items()
        if root not in excused
    ]


def _bodies_used(pairs: IntArray) -> IntArray:
    """Body numbers some joint names, ascending; counted when they cannot be sparse."""
    largest = int(pairs.max(initial=0))
    if largest > 2 * len(pairs):
        return np.unique(pairs[pairs > 0])
    seen = np.zeros(largest + 1, dtype=np.bool_)
    seen[pairs[pairs > 0]] = True
    return np.flatnonzero(seen)


def _bodies_missing(used: IntArray, n_bodies: int) -> str:
    """The numbers of 1..n_bodies not in use, as ranges, without building that range."""
    edges = np.concatenate(([0], used, [n_bodies + 1]))
    parts = []
    for k in np.flatnonzero(np.diff(edges) > 1):
        first, last = int(edges[k]) + 1, int(edges[k + 1]) - 1
        parts.append(str(first) if first == last else f"{first} to {last}")
    more = "" if len(parts) <= MAX_SHOWN else f" and {len(parts) - MAX_SHOWN} more ranges"
    return "body " + ", ".join(parts[:MAX_SHOWN]) + more


def _body_list(bodies: list[int]) -> str:
    shown = ", ".join(str(body) for body in bodies[:MAX_SHOWN])
    more = "" if len(bodies) <= MAX_SHOWN else f" and {len(bodies) - MAX_SHOWN} more"
    return f"{'body' if len(bodies) == 1 else 'bodies'} {shown}{more}"
