"""What a report says, section by section; how it looks is decided elsewhere."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dovetail.results import Result
from dovetail.verifier.certificate import Certificate, certify
from dovetail.view.report.derived import derived_values

MAX_ROWS = 40
VERDICTS = {
    "free": "no two bodies intersect, at any recorded time or on the path between",
    "touching": "BODIES TOUCH",
    "intersecting": "BODIES INTERSECT",
    "undecided": "no two bodies intersect at a recorded time; between them it is undecided",
}


@dataclass
class Section:
    """A heading, a table of texts with or without its own head, and kinds of plots."""

    title: str
    rows: list[list[str]] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    plots: list[str] = field(default_factory=list)
    note: str = ""


def sections_of(result: Result, with_certificate: bool = True) -> list[Section]:
    """All sections, in the order of reading."""
    certificate = certify(result) if with_certificate and len(result.time) else None
    return [
        _run(result),
        _scene(result),
        *([_joints(result)] if result.scene.joints else []),
        Section("Pictures at key times", plots=["motion"]),
        Section("Energy and momentum", _conservation(result), plots=["energy", "momentum"]),
        *_contacts(result),
        *([_constraints(result)] if result.scene.joints else []),
        _certificate(certificate),
        _derived(result),
        _timing(result),
    ]


def _run(result: Result) -> Section:
    settings = json.loads(result.stored.header.settings)
    rows = [
        ["status", result.status + (f": {result.reason}" if result.reason else "")],
        ["simulated", f"{_number(result.time[0])} s to {_number(result.time[-1])} s"],
        ["recorded", f"{len(result.time)} frames"],
        ["step", f"{settings['step']:g} s, recorded every {settings['every']}"],
        ["integrator", _method(settings["integrator"])],
        ["contact", _method(settings["contact"])],
        ["dovetail", result.stored.header.version],
    ]
    if settings.get("functions_not_kept"):
        rows.append(["Python functions not kept", ", ".join(settings["functions_not_kept"])])
    return Section("Run", rows)


def _method(entry: dict[str, Any] | None) -> str:
    if not entry:
        return "none"
    given = ", ".join(f"{k}={v}" for k, v in entry.items() if k != "type" and v is not None)
    return f"{entry['type']}({given})"


def _scene(result: Result) -> Section:
    gravity = ", ".join(f"{g:g}" for g in np.asarray(result.scene.gravity, dtype=float))
    rows = []
    for name in result.names[:MAX_ROWS]:
        body = result.scene.bodies[name]
        size = " x ".join(_number(s) for s in np.ptp(body.vertices, axis=0)) if len(
            body.vertices
        ) else "-"  # fmt: skip
        shape = type(body.shape).__name__ if body.shape is not None else "no shape"
        mass = _number(body.mass) if np.isfinite(body.mass) else "unbounded"
        rows.append([name, body.motion, shape, size, str(len(body.faces)), mass])
    count = len(result.names)
    note = f"gravity ({gravity}) m/s²; " + ("1 body" if count == 1 else f"{count} bodies")
    note += f", the first {MAX_ROWS} are listed" if count > MAX_ROWS else ""
    head = ["body", "motion", "shape", "size [m]", "triangles", "mass [kg]"]
    return Section("Scene", rows, head, note=note)


def _joints(result: Result) -> Section:
    rows = [
        [name, joint.kind, body_a, body_b]
        for name, (joint, body_a, body_b) in list(result.scene.joints.items())[:MAX_ROWS]
    ]
    count = len(result.scene.joints)
    note = f"{count} joints, the first {MAX_ROWS} are listed" if count > MAX_ROWS else ""
    return Section("Joints", rows, ["joint", "kind", "first body", "second body"], note=note)


def _conservation(result: Result) -> list[list[str]]:
    total = result.energy["total"]
    linear, angular = result.momentum["linear"], result.momentum["angular"]

    def change(values: Any) -> str:
        return _number(np.max(np.linalg.norm(values - values[0], axis=1)))

    return [
        ["largest change of total energy", f"{_number(np.max(np.abs(total - total[0])))} J"],
        ["total energy at the end", f"{_number(total[-1])} J, at the start {_number(total[0])} J"],
        ["largest change of linear momentum", f"{change(linear)} kg m/s"],
        ["largest change of angular momentum", f"{change(angular)} kg m²/s"],
    ]


def _contacts(result: Result) -> list[Section]:
    count = result.contacts.count
    rows = [["contacts", f"at most {count.max(initial=0)} at a time, {count.sum()} in all frames"]]
    plots = ["contacts"] if np.any(count) else []
    if np.isfinite(result.min_distance).any():
        least = float(np.min(result.min_distance))
        rows.append(["smallest distance", f"{_number(least)} m"])
        plots.append("distance")
    if not plots:
        return []
    return [Section("Contacts", rows, plots=plots)]


def _constraints(result: Result) -> Section:
    worst = {k: float(np.max(v)) for k, v in result.constraint_violation.items()}
    rows = [
        ["largest joint violation", f"{_number(worst['position'])} m or rad"],
        ["largest violation of its rate", f"{_number(worst['velocity'])} m/s or rad/s"],
    ]
    return Section("Joint residuals", rows, plots=["constraints"])


def _certificate(found: Certificate | None) -> Section:
    if found is None:
        return Section("Certificate", note="not requested (dovetail check RESULT makes it)")
    rows = [
        ["verdict", VERDICTS[found.verdict]],
        ["states tested exactly", str(found.states.frames)],
        ["tests on the path between them", str(found.tests)],
        ["rotations orthogonal to", f"{found.states.orthogonality:.1e}"],
    ]
    rows += [
        ["intersection", f"t = {c.time:g} s: '{c.body_a}' and '{c.body_b}'"]
        for c in found.states.crossings[:MAX_ROWS]
    ]
    rows += [
        [p.verdict, f"t = {p.begin:g} to {p.end:g} s: '{p.body_a}' and '{p.body_b}' {p.reason}"]
        for p in found.paths[:MAX_ROWS]
    ]
    rows += [["inside a solid", f"'{n.inner}' in '{n.outer}'"] for n in found.nested[:MAX_ROWS]]
    rows += [
        ["excused", f"'{e.body_a}' and '{e.body_b}' meet from t = {e.time:g} s on; {e.reason}"]
        for e in found.excused[:MAX_ROWS]
    ]
    rows += [
        ["verified as a polyhedron", f"'{name}', {error:.3g} m within its true surface"]
        for name, error in list(found.smooth.items())[:MAX_ROWS]
    ]
    rows += [
        [one.name, ("NOT KEPT: " if one.broken else "") + one.note] for one in found.invariants
    ]
    return Section("Certificate", rows)


def _derived(result: Result) -> Section:
    rows = [[line] for line in derived_values(result)]
    note = "" if rows else "nothing was derived: every value was given"
    left_out = len(rows) - MAX_ROWS
    note = f"and {left_out} more" if left_out > 0 else note
    return Section("Derived parameters", rows[:MAX_ROWS], note=note)


def _timing(result: Result) -> Section:
    stats = result.stats
    rows = [
        ["solver iterations", _spread(stats["iterations"][1:], lambda v: f"{v:.4g}")],
        ["steps tried again", str(int(np.sum(stats["rejected"])))],
    ]
    wall = stats.get("wall_time")
    if wall is not None and np.isfinite(wall).any():
        known = wall[np.isfinite(wall)]
        whole = f"{float(np.sum(known)):.3g} s, compiling kernels included where that was needed"
        rows.append(["wall time", whole])
        rows.append(["wall time a frame", _spread(known[1:], duration_text)])
    else:
        rows.append(["wall time", "not known (the side file .timing.npy is not there)"])
    return Section("Timing", rows)


def duration_text(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1.0 else f"{1000 * seconds:.3g} ms"


def _spread(values: Any, formatted: Callable[[float], str]) -> str:
    if not len(values):
        return "none"
    return f"median {formatted(float(np.median(values)))}, most {formatted(float(np.max(values)))}"


def _number(value: Any) -> str:
    return f"{float(value):.4g}"
