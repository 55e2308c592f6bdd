"""Verdicts on sweeps in exact rational arithmetic, with no code of the package.

Surfaces that are apart at the start meet only where a vertex goes through a face or an edge through
an edge. For a rotation about z these are polynomials in the tangent of half the angle; their roots
are isolated by Sturm sequences and signs there are decided exactly. Straight motions of convex
pieces are a linear program over fractions. The path of a bayonet has one leg of each kind.

Where the motion is none of these, a clash is shown at one position (`exact_poses.py`), and freedom
is not decided: a screw and a cam's law go with the angle itself, which is no algebraic function of
its tangent; gears and four-bars have polynomials of a degree that takes too long.
"""

import sys
from fractions import Fraction
from math import tan
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "verifier"))

from exact_poses import clash_is_shown
from exact_verdicts import _through_edge, _through_face, hulls_meet

EDGES = ((0, 1), (1, 2), (2, 0))
WIDER = 1e-9  # [m] by which ranges are widened before pairs are left out


def turning_surfaces_meet(still, moving, angle, drop=Fraction(0)):
    """Whether triangles `moving` meet triangles `still` while they turn about z by 0 to `angle`.

    The two are apart at the start; 0 < angle < pi. `moving` is `drop` [m] below where it is given.
    """
    until = Fraction(tan(angle / 2) if angle < 3.1 else 1e9)
    ranges_s = _ranges(still)
    ranges_m = _ranges(moving - np.array([0.0, 0.0, float(drop)]))
    for i, a in enumerate(moving):
        low, high = ranges_m[i]
        near = np.all((ranges_s[:, 0] <= high) & (ranges_s[:, 1] >= low), axis=1)
        lowered = [(x, y, Fraction(z) - drop) for x, y, z in a.tolist()]
        for b in still[near]:
            if _triangles_meet(lowered, b.tolist(), until):
                return True
    return False


def _triangles_meet(a, b, until):
    for v in range(3):
        if _face(a[v], b, until, 1) or _face(b[v], a, until, -1):
            return True
    return any(
        _through_edge([a[i] for i in e], [b[i] for i in f], until) for e in EDGES for f in EDGES
    )


def _face(vertex, face, until, sense):
    try:
        return _through_face(vertex, face, until, sense)
    except AssertionError:  # it stays in the plane of the face
        return False


def _ranges(triangles):
    """(n, 2, 2) of radius and height, outwards."""
    radii = np.linalg.norm(triangles[..., :2], axis=2)
    low = np.full(len(triangles), np.inf)
    for i, j in EDGES:
        p, q = triangles[:, i, :2], triangles[:, j, :2]
        along = q - p
        size = np.maximum((along**2).sum(axis=1), 1e-300)
        s = np.clip(-(p * along).sum(axis=1) / size, 0.0, 1.0)
        low = np.minimum(low, np.linalg.norm(p + s[:, None] * along, axis=1))
    x, y = triangles[..., 0], triangles[..., 1]
    turns = [x[:, i] * y[:, j] - x[:, j] * y[:, i] for i, j in EDGES]
    around = (np.min(turns, axis=0) >= 0) | (np.max(turns, axis=0) <= 0)
    low = np.where(around, 0.0, low)  # the axis goes through it
    z = triangles[..., 2]
    lows = np.column_stack([low, z.min(axis=1)]) - WIDER
    highs = np.column_stack([radii.max(axis=1), z.max(axis=1)]) + WIDER
    return np.stack([lows, highs], axis=1)


def sliding_hulls_meet(still, moving, along):
    """Whether convex pieces meet while those of `moving` go straight by `along`."""
    return any(hulls_meet(a, b, along) for a in still for b in moving)


def exact_verdict(assembly):
    """Whether the parts of an assembly meet; None where this oracle cannot tell."""
    if assembly.name not in _KNOWN or _KNOWN[assembly.name][0] is not assembly:
        _KNOWN[assembly.name] = assembly, _verdict(assembly)
    return _KNOWN[assembly.name][1]


_KNOWN = {}


def _verdict(assembly):
    if assembly.turning:
        still, moving = assembly.turning.values()
        return turning_surfaces_meet(still, moving, assembly.span[1])
    if assembly.sliding:
        (moving,) = [hulls for name, hulls in assembly.sliding.items() if name == "carriage"]
        (still,) = [hulls for name, hulls in assembly.sliding.items() if name != "carriage"]
        return sliding_hulls_meet(still, moving, assembly.along)
    if "hulls" in assembly.exact:
        return _pushed_and_turned(assembly)
    return True if clash_is_shown(assembly) else None


def _pushed_and_turned(assembly):
    """Straight down, then a rotation there."""
    down, turn, hulls = (assembly.exact[name] for name in ("down", "turn", "hulls"))
    if sliding_hulls_meet(hulls["socket"], hulls["lug"], (0.0, 0.0, -down)):
        return True
    still, moving = assembly.parts["socket"], assembly.parts["lug"]
    return turning_surfaces_meet(still, moving, turn, Fraction(down))


def contradictions(assembly, proof):
    """What is wrong with a proof, by exact arithmetic; empty where nothing is, or is known."""
    meets = exact_verdict(assembly)
    if meets is None or proof.verdict == ("meets" if meets else "proven"):
        return []
    return [f"{assembly.name}: said {proof.verdict}, the parts {'meet' if meets else 'stay apart'}"]
