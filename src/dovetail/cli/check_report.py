"""What `dovetail check` prints about a result, and its exit code."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dovetail.results.seal import Seal
    from dovetail.verifier.certificate import Certificate
    from dovetail.verifier.overlaps import Overlap
    from dovetail.verifier.path_search import PathFinding

MAX_REPORTED = 10
KEEPS_APART = {
    "lcp": "keeps bodies apart to its tolerance",
    "sdf": "lets bodies overlap a little",
}
MEET, UNDECIDED, NOT_TRUSTED = 1, 3, 4  # exit codes


def exit_code(found: "Certificate", sealed: bool = True) -> int:
    """0 only for a result that can be trusted."""
    if found.verdict in ("intersecting", "touching"):
        return MEET
    if found.verdict == "undecided":
        return UNDECIDED
    return 0 if found.trusted and sealed else NOT_TRUSTED


def seal_lines(seal: "Seal | None", signed_by: str | None) -> tuple[list[str], bool]:
    """What is said about the seal and the signature of a file, and whether they are as required."""
    if seal is None:
        return ["not trusted: the file has no seal, so it may have been changed"], False
    lines = [f"  sealed: sha256-merkle {seal.root}"]
    if seal.signature or signed_by:
        from dovetail.results.signing import public_key, signature_is_valid

        if seal.signature and not signature_is_valid(seal):
            return [*lines, "not trusted: its signature is not valid"], False
        if signed_by is not None and seal.key != public_key(signed_by):
            whose = f"it was signed by {seal.key}" if seal.key else "it is not signed"
            return [*lines, f"not trusted: {whose}, not by {signed_by}"], False
        lines.append(f"  signed by the key {seal.key}")
    return lines, True


def report_lines(
    path: str, end: float, found: "Certificate", seal: Sequence[str] = (), contact: str = ""
) -> Iterator[str]:
    """All that is said about a result by the method `contact` with its last frame at `end` [s]."""
    states = found.states
    waypoints = f" and {states.waypoints} waypoints" if states.waypoints else ""
    yield f"{path}: {states.frames} frames{waypoints} to t = {end:g} s, {found.status}"
    yield from seal
    yield f"  rotations orthogonal to {states.orthogonality:.1e}"
    yield (
        f"  total energy within {states.energy_change:.3g} J of its start "
        f"(energies up to {states.energy_scale:.3g} J)"
    )
    yield from _shortened([_overlap_line(one, found.clearance) for one in found.overlaps])
    for nested in found.nested:
        yield f"error: '{nested.inner}' is inside the solid of '{nested.outer}' at the start"
    yield from _shortened([_undecided_line(p) for p in found.paths if p.verdict == "undecided"])
    yield from _shortened([_allowed_line(one, found.tolerance) for one in found.allowed])
    for pair in found.excused:
        how = {"undecided": "may meet", "touching": "touch"}.get(pair.verdict, "meet")
        yield (
            f"  excused: '{pair.body_a}' and '{pair.body_b}' {how} from t = {pair.time:g} s on; "
            f"{pair.reason}"
        )
    for name, error in found.smooth.items():
        yield (
            f"  '{name}' is verified as the polyhedron it was simulated as; its true surface lies "
            f"up to {error:.3g} m outside of that"
        )
    yield from _invariant_lines(found)
    yield from _verdict_lines(found)
    depth = max((one.depth for one in found.overlaps), default=math.nan)
    if 0 < depth <= found.tolerance:
        yield (
            f"  no instant that was measured is deeper than {depth:.3g} m, but the direct path "
            "between frames is not shown to stay within the tolerance; more frames may show it"
        )
    elif found.verdict == "intersecting" and contact in KEEPS_APART and depth > 0:
        yield (
            f"  {contact} {KEEPS_APART[contact]}: `--tolerance {_rounded_up(depth):g}` allows "
            "these overlaps, and contact by ipc has none"
        )


def _rounded_up(depth: float) -> float:
    """[m] the next power of ten."""
    return float(10.0 ** math.ceil(math.log10(depth)))


def _verdict_lines(found: "Certificate") -> Iterator[str]:
    if found.verdict == "intersecting":
        yield "not free: bodies intersect"
        return
    if found.verdict == "touching":
        yield "not free: bodies touch, no gap that rounding can resolve is between them"
        return
    if not found.states.crossings:
        deeper = f" deeper than {found.tolerance:g} m" if found.tolerance > 0 else ""
        yield f"  no two bodies intersect{deeper} at any recorded time (exact test)"
    if found.verdict == "undecided":
        yield "undecided: whether they do so between recorded times"
        return
    yield (
        "  nor on the path from any recorded time to the next, at constant velocity and spin "
        f"({found.tests} tests)"
    )
    if found.clearance > 0:
        yield f"  all bodies keep {found.clearance:g} m from each other at all of these times"
    if found.trusted:
        excused = f" but the {len(found.excused)} excused" if found.excused else ""
        apart = "is apart"
        if found.tolerance > 0:
            apart = f"overlaps by {found.tolerance:g} m at most"
        yield f"trusted: every pair of bodies{excused} {apart}, no invariant is broken"
        return
    reasons = []
    if found.status != "finished":
        reasons.append(
            f"the run is {found.status}" + (f" ({found.reason})" if found.reason else "")
        )
    reasons += [f"{one.name}: {one.note}" for one in found.broken]
    yield f"not trusted: {'; '.join(reasons)}"


def _invariant_lines(found: "Certificate") -> Iterator[str]:
    for one in found.invariants:
        where = f" at t = {one.time:g} s" if one.broken and one.time == one.time else ""
        who = f" ({', '.join(one.bodies)})" if one.broken and one.bodies else ""
        yield f"{'error:' if one.broken else ' '} {one.name}: {one.note}{where}{who}"


def _shortened(lines: list[str]) -> Iterator[str]:
    yield from lines[:MAX_REPORTED]
    if len(lines) > MAX_REPORTED:
        yield f"  ... and {len(lines) - MAX_REPORTED} more"


def _overlap_line(one: "Overlap", clearance: float) -> str:
    names = f"'{one.body_a}' and '{one.body_b}'"
    what = f"come closer than {clearance:g} m" if clearance > 0 else "intersect"
    what = "touch" if one.touching else what
    counts = [f"at {one.stops} recorded time(s)"] if one.stops else []
    counts += [f"on {one.paths} path(s) between"] if one.paths else []
    place = ", ".join(f"{x:.4g}" for x in one.place)
    depth = f"{one.depth:.3g} m" if one.depth < float("inf") else "of more than any translation"
    measured = clearance == 0 and one.depth == one.depth
    how_deep = f"; depth {depth} at t = {one.time:.9g} s near ({place})" if measured else ""
    return f"error: {names} {what} {' and '.join(counts)}, first at t = {one.first:.9g} s{how_deep}"


def _allowed_line(one: "Overlap", tolerance: float) -> str:
    return (
        f"  '{one.body_a}' and '{one.body_b}' overlap by no more than {tolerance:g} m, first at "
        f"t = {one.first:.9g} s, {one.depth:.3g} m at t = {one.time:.9g} s"
    )


def _undecided_line(path: "PathFinding") -> str:
    between = f"between t = {path.begin:g} s and {path.end:g} s"
    return f"undecided: '{path.body_a}' and '{path.body_b}' {between}: {path.reason}"
