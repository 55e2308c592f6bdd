"""A proof as one HTML page: verdict, picture at the worst spot, clearance as a plot and as colours,
and a player of the motion. It needs no network.
"""

import json
import re
from html import escape
from importlib.resources import files
from math import isfinite
from typing import Any

import numpy as np

from dovetail.model.scene import Scene
from dovetail.model.values import Array
from dovetail.prove.output.coloured_motion import ColouredMotion, coloured_motion
from dovetail.prove.verdict import Proof, Units

WORDS = {
    "proven": "Proven: the parts keep apart over the whole motion.",
    "meets": "Parts meet.",
    "jams": "The motion jams.",
    "undecided": "Undecided.",
}
PLOT = (640, 180)  # [px]
CLOSE_UP = 0.12  # of the size: half the height of the picture at the worst spot


def proof_page(
    proof: Proof, scene: Scene, question: dict[str, Any], units: Units, title: str
) -> str:
    """The text of the page."""
    seen = coloured_motion(proof, scene, question)
    label, values = _axis(seen, scene, units)
    data = {
        "bodies": [_body(seen, k) for k in range(seen.model.n_bodies)],
        "frames": _poses(seen),
        "worst": seen.worst,
        "values": [round(float(value), 6) for value in values],
        "label": label,
        "point": None if proof.point is None else [float(x) for x in proof.point],
        "closeup": CLOSE_UP,
    }
    parts = {
        "TITLE": escape(title),
        "VERDICT": proof.verdict,
        "SENTENCE": escape(WORDS[proof.verdict]),
        "TABLE": _table(proof, units),
        "PLOT": _plot(seen, proof, values, label),
        "FINDINGS": _findings(proof, units),
        "NEAR": f"{1e3 * seen.near:.3g}",
        "DATA": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    }
    folder = files("dovetail.view") / "proof"
    page = (folder / "proof.html").read_text(encoding="utf-8")
    parts["SCRIPT"] = (folder / "proof.js").read_text(encoding="utf-8")
    return re.sub(r"\{\{([A-Z]+)\}\}", lambda match: parts[match[1]], page)


def _axis(seen: ColouredMotion, scene: Scene, units: Units) -> tuple[str, Array]:
    """What the motion is plotted over, in the unit of the question."""
    name = seen.motion.label
    if name in units:
        unit, size = units[name]
        return f"{name} [{unit}]", seen.motion.values / size
    if name in scene.joints and scene.joints[name][0].coordinates[0].quantity == "angle":
        return f"{name} [deg]", np.degrees(seen.motion.values)
    if name in scene.joints or name in scene.bodies:
        return f"{name} [mm]", 1e3 * seen.motion.values
    return name, seen.motion.values


def _body(seen: ColouredMotion, k: int) -> dict[str, Any]:
    triangles = seen.triangles[k]
    clearance = np.clip(seen.clearance[k] / seen.near, 0.0, 1.0)
    return {
        "name": seen.model.names[k],
        "corners": [float(f"{x:.6g}") for x in triangles.reshape(-1)],
        "clearance": [round(float(c), 3) for c in clearance],
        "moves": seen.model.bodies[k].motion == "dynamic",
    }


def _poses(seen: ColouredMotion) -> list[list[list[float]]]:
    """Of each frame and body: rotation by rows, position."""
    motion = seen.motion
    return [
        [
            [float(f"{x:.7g}") for x in (*R.reshape(-1), *x)]
            for R, x in zip(motion.rotation[f], motion.position[f], strict=True)
        ]
        for f in range(len(motion.values))
    ]


def _table(proof: Proof, units: Units) -> str:
    data = proof.as_data(units)
    rows = [("required clearance", f"{1e3 * proof.clearance:g} mm")]
    if np.isfinite(proof.least_clearance):
        rows.append(("least clearance", f"{1e3 * proof.least_clearance:.6g} mm"))
    if proof.verdict == "proven" and proof.proven_clearance:
        rows.append(("proven clearance", f"{1e3 * proof.proven_clearance:.6g} mm"))
    if proof.between is not None:
        rows.append(("between", " and ".join(proof.between)))
    at = ", ".join(
        f"{name} = {value:.6g} {'' if data['units'][name] == 'SI' else data['units'][name]}"
        for name, value in data["at"].items()
    )
    rows.append(("at", at))
    if proof.tessellation:
        rows.append(("tessellation, taken off", f"{1e3 * proof.tessellation:.3g} mm"))
    rows += [
        (f"effort of {name}", f"up to {effort:.4g} N or N m")
        for name, effort in proof.needed.items()
    ]
    rows.append(("cost", f"{proof.pairs} pairs, {proof.tests} tests, {proof.seconds:.2f} s"))
    return "".join(f"<tr><th>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in rows)


def _findings(proof: Proof, units: Units) -> str:
    data = proof.as_data(units)
    lines = []
    for meeting, one in zip(proof.meets, data["meets"], strict=True):
        unit, size = units.get(one["joint"], ("", 1.0))
        known = ""
        if isfinite(meeting.bracket):
            known = f"; its ends are known to {meeting.bracket / size:.2g} {unit}".rstrip()
        lines.append(
            f"{' and '.join(one['between'])} meet for {one['joint']} from {one['from']:.6g} "
            f"to {one['to']:.6g} {unit}".rstrip()
            + f"{known}"
        )
    lines += [
        f"{' and '.join(one['between'])} press on each other with {one['force']:.4g} N"
        for one in data["holds"]
    ]
    lines += [f"{' and '.join(one['between'])}: {one['reason']}" for one in data["undecided"]]
    lines += [
        f"{' and '.join(one['between'])} were not examined: {one['reason']}"
        for one in data["excused"]
    ]
    lines += [
        f"{one.part} has curved faces without a formula (splines, lofts, ...): that its triangles "
        f"are within {1e3 * one.deviation:.3g} mm of them is measured, not proven"
        for one in proof.measured
    ]
    return "".join(f"<li>{escape(line)}</li>" for line in [*lines, *proof.notes])


def _plot(seen: ColouredMotion, proof: Proof, values: Array, label: str) -> str:
    """Clearance [mm] over the motion, as SVG."""
    width, height = PLOT
    left, low, top = 64.0, 34.0, 12.0
    y = 1e3 * np.where(np.isfinite(seen.motion.clearance), seen.motion.clearance, np.nan)
    if not np.isfinite(y).any():
        return "<p>No part comes near another.</p>"
    most = float(np.nanmax(y)) or 1.0
    first, last = float(values[0]), float(values[-1])
    span = (last - first) or 1.0

    def place(v: float, c: float) -> tuple[float, float]:
        across = left + (width - left - 10) * (v - first) / span
        return across, height - low - (height - low - top) * c / most

    legs, leg = [], []
    for v, c in zip(values, y, strict=True):
        if np.isfinite(c):
            leg.append("{:.1f},{:.1f}".format(*place(float(v), float(c))))
        elif leg:
            legs.append(leg)
            leg = []
    legs.append(leg)
    lines = "".join(f'<polyline points="{" ".join(leg)}"/>' for leg in legs if len(leg) > 1)
    size = span / (seen.motion.values[-1] - seen.motion.values[0] or 1.0)
    bands = ""
    for one in proof.meets:
        if one.joint == seen.motion.label:
            a, _ = place(one.low * size, 0.0)
            b, _ = place(one.high * size, 0.0)
            wide, high = max(b - a, 1.5), height - low - top
            bands += f'<rect x="{a:.1f}" y="{top}" width="{wide:.1f}" height="{high}"/>'
    x, _ = place(float(values[seen.worst]), 0.0)
    base = height - low
    return (
        f'<svg id="plot" viewBox="0 0 {width} {height}" data-left="{left}" '
        f'data-right="{width - 10}">'
        f'<g class="bands">{bands}</g><g class="axes"><path d="M{left} {top}V{base}H{width - 10}"/>'
        f'<text x="{left - 6}" y="{top + 8}" text-anchor="end">{most:.3g}</text>'
        f'<text x="{left - 6}" y="{base}" text-anchor="end">0</text>'
        f'<text x="{left}" y="{height - 16}">{first:.4g}</text>'
        f'<text x="{width - 10}" y="{height - 16}" text-anchor="end">{last:.4g}</text>'
        f'<text x="{width / 2}" y="{height - 4}" text-anchor="middle">{escape(label)}</text>'
        f'<text x="12" y="{height / 2}" transform="rotate(-90 12 {height / 2})" '
        f'text-anchor="middle">clearance [mm]</text></g><g class="curve">{lines}</g>'
        f'<line id="now" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{base}"/></svg>'
    )
