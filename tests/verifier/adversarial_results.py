"""Results made to mislead a verifier, each with its verdict from exact rational arithmetic.

Bodies are built to touch and then moved apart, or into each other, by 2^-k. What is decided is the
file: positions, corners and radii are taken as the doubles they are. Rotations are by an angle
whose half has a rational tangent; only their matrices are rounded.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import exact_verdicts as exact
import numpy as np
from scipy.optimize import linprog

import dovetail as dt
from dovetail.results.header import header_of
from dovetail.results.result import Result
from dovetail.results.rows import RowTables
from dovetail.results.status import FINISHED
from dovetail.results.stored import StoredInMemory
from dovetail.simulate.fingerprint import canonical

SETTINGS = canonical({"every": 2, "step_control": None, "contact": None, "step": 0.5})


@dataclass(eq=False)
class Case:
    """A result and whether bodies meet in it."""

    name: str
    result: Result
    meets: bool
    data: dict = field(default_factory=dict)


def made(shapes, x, R=None, motion=None, status=FINISHED, change=None):
    """A result of bodies with these shapes at centres x (frames, n, 3) [m]."""
    scene = dt.Scene()
    x = np.asarray(x, float)
    R = np.broadcast_to(np.eye(3), (*x.shape[:2], 3, 3)) if R is None else np.asarray(R, float)
    for k, shape in enumerate(shapes):
        how = motion[k] if motion else "dynamic"
        heavy = {"mass": 1.0, "inertia": (1, 1, 1), "center_of_mass": (0, 0, 0)}
        scene.add_body(f"b{k}", shape, motion=how, **(heavy if how == "dynamic" else {}))
    model = scene.build()
    header = header_of(model, (), SETTINGS, "0")
    tables = RowTables(header.tables, {"frames": len(x), "contacts": 1, "events": 1})
    for f in range(len(x)):
        row = {c.path: np.zeros(c.shape, c.dtype) for c in header.tables["frames"]}
        row |= {"time": float(f), "position": x[f], "rotation": R[f], "min_distance": np.inf,
                "contacts/start": 0, "contacts/count": 0}  # fmt: skip
        tables.buffers["frames"].append(row)
    if change is not None:
        change(tables.buffers["frames"].arrays)
    return Result(StoredInMemory(header, tables, status, ""), scene=scene)


def turn(t):
    """About z, by twice the angle of tangent t."""
    t = Fraction(t)
    c, s = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]], float)


def dyadic(a, bits=20):
    return np.round(np.asarray(a, float) * 2.0**bits) / 2.0**bits


TETRAHEDRON = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])


def oriented(points):
    """A tetrahedron with its faces outward."""
    volume = np.linalg.det(points[1:] - points[0])
    return dt.Mesh(points, TETRAHEDRON if volume > 0 else TETRAHEDRON[:, ::-1])


def hull(rng, kind, size=1.0):
    """Shape and corners of a convex body about its origin."""
    if kind == "box":
        shape = dt.Box(dyadic(size * rng.uniform(0.5, 2, 3)))
        return shape, shape.surface().vertices
    count = {"tetrahedron": 4, "triangle": 3, "wire": 2, "point": 1}[kind]
    points = dyadic(rng.normal(size=(count, 3))) * size
    points = points - (dyadic(points.mean(axis=0) / size, 10) * size)
    if kind == "tetrahedron":
        return oriented(points), points
    if kind == "triangle":
        return dt.Mesh(points, [(0, 1, 2)]), points
    return dt.Mesh(points, edges=[(0, 1)] if kind == "wire" else None), points


def farthest_meeting(A, B, v, d):
    """The largest tau with which the hull of A meets that of B + tau d + s v, s from 0 to 1."""
    apart = (A[:, None] - B[None]).reshape(-1, 3)
    points = np.concatenate([apart, apart - v])
    n = len(points)
    rows = np.block([[points.T, -np.asarray(d)[:, None]], [np.ones((1, n)), np.zeros((1, 1))]])
    found = linprog([*[0.0] * n, -1.0], A_eq=rows, b_eq=[0, 0, 0, 1],
                    bounds=[(0, None)] * n + [(None, None)])  # fmt: skip
    return float(found.x[-1]) if found.status == 0 else None


KINDS = ("tetrahedron", "box", "triangle", "wire", "point")


def translating(rng, number) -> Case | None:
    """Convex bodies, sheets and wires that pass each other without turning."""
    kinds = rng.choice(KINDS[:4]), rng.choice(KINDS)
    scale = 2.0 ** int(rng.choice([-20, -8, 0, 10]))
    (a, A), (b, B) = (hull(rng, kind, scale) for kind in kinds)
    v, d = dyadic(rng.normal(size=(2, 3)) * [[2], [1]]) * scale
    if number % 5 == 0:
        v = np.zeros(3)
    tau = farthest_meeting(A / scale, B / scale, v / scale, d / scale)
    if tau is None:
        return None
    shift = (1 if number % 2 else -1) * 2.0 ** -int(rng.integers(6, 44))
    start = (tau + shift) * d
    common = dyadic(rng.normal(size=3) * rng.choice([0, 1, 1000])) * scale
    ahead = dyadic(rng.normal(size=3)) * scale
    x = np.array([[common, common + start], [common + ahead, common + ahead + start + v]])
    frames = [x[0], x[1]]
    if number % 3 == 0:  # then together, and away from each other
        frames += [x[1], x[1] + ahead, x[1] + np.array([np.zeros(3), 64 * d])]
    frames = np.array(frames)
    meets = False
    for f in range(len(frames) - 1):
        (xa, xb), (ya, yb) = ([exact.vec(p) for p in frame] for frame in frames[f : f + 2])
        D = exact.sub(xb, xa)
        path = exact.sub(exact.sub(yb, ya), D)
        moved = [exact.add(exact.vec(p), D) for p in B.tolist()]
        meets = meets or exact.hulls_meet(A.tolist(), moved, path)
    name = f"{kinds[0]}-{kinds[1]} translating, {shift:+.1e} at scale {scale:g}"
    return Case(name, made([a, b], frames), meets)


def turning(rng, number) -> Case | None:
    """A tetrahedron that turns past the face of another, or ends in front of it."""
    A = dyadic(rng.normal(size=(4, 3)), 12)
    until = Fraction(int(rng.integers(8, 60)), 64)
    last = int(np.argmax(np.hypot(A[:, 0], A[:, 1])))
    at = until if number % 3 == 0 else until * Fraction(int(rng.integers(8, 56)), 64)
    place = turn(at) @ A[last]
    radial = np.array([place[0], place[1], 0.0]) / np.hypot(place[0], place[1])
    along = np.array([-radial[1], radial[0], 0.0])
    normal, across = (along, radial) if number % 3 == 0 else (radial, along)
    up = np.array([0.0, 0.0, 1.0])
    face = [
        3 * (np.cos(p) * across + np.sin(p) * up) for p in rng.uniform(0, 1) + np.arange(3) * 2.1
    ]
    tip = dyadic(rng.normal(size=3) * 0.2, 12)
    shift = (1 if number % 2 else -1) * 2.0 ** -int(rng.integers(6, 40))
    B = np.array([place + shift * normal + p for p in [*face, 2 * normal + tip]])
    meets = exact.turning_tetrahedra_meet(A.tolist(), B.tolist(), until)
    x = np.zeros((2, 2, 3))
    R = np.array([[np.eye(3), np.eye(3)], [turn(until), np.eye(3)]])
    name = f"tetrahedron turning by 2 atan {until}, {shift:+.1e}"
    return Case(name, made([oriented(A), oriented(B)], x, R, ["dynamic", "dynamic"]), meets)


def round_bodies(rng, number) -> Case | None:
    """Balls that pass a ball or a capsule, spinning."""
    scale = 2.0 ** int(rng.choice([-20, 0, 10]))
    r, q = (float(x) for x in dyadic(rng.uniform(0.2, 2, 2)) * scale)
    v = dyadic(rng.normal(size=3)) * scale
    across = np.cross(v, rng.normal(size=3))
    across /= np.linalg.norm(across)
    shift = (1 if number % 2 else -1) * 2.0 ** -int(rng.integers(6, 44)) * scale
    length = float(dyadic(rng.uniform(0.5, 2))) * scale
    capsule = number % 3 == 0
    if capsule:  # along z; the ball passes beside its middle
        across = np.array([v[1], -v[0], 0.0])
        across /= np.linalg.norm(across)
    start = (r + q + shift) * across - float(dyadic(rng.uniform(0.2, 0.8))) * v
    x = np.array([[np.zeros(3), start], [np.zeros(3), start + v]])
    spin = Rotations(rng)
    R = np.array([[np.eye(3), spin.one()], [np.eye(3), spin.one()]])
    path = exact.sub(exact.vec(x[1, 1]), exact.vec(x[0, 1]))
    if capsule:
        end = (0, 0, Fraction(length) / 2)
        D, axis = exact.add(exact.vec(start), end), (0, 0, Fraction(length))
        meets = exact.ball_meets_capsule(D, path, axis, Fraction(r) + Fraction(q))
        shapes = [dt.Capsule(r, length), dt.Sphere(q)]
    else:
        meets = exact.balls_meet(start, path, Fraction(r) + Fraction(q))
        shapes = [dt.Sphere(r), dt.Sphere(q)]
    kind = "capsule" if capsule else "ball"
    return Case(f"ball past {kind}, {shift:+.1e} at scale {scale:g}", made(shapes, x, R), meets)


class Rotations:
    """Any rotations."""

    def __init__(self, rng):
        self._rng = rng

    def one(self):
        Q, _ = np.linalg.qr(self._rng.normal(size=(3, 3)))
        return Q * np.sign(np.linalg.det(Q))


def over_plane(rng, number) -> Case | None:
    """A tetrahedron that turns over a half-space, or a ball that passes it."""
    until = Fraction(int(rng.integers(8, 60)), 64)
    shift = (1 if number % 2 else -1) * 2.0 ** -int(rng.integers(6, 40))
    A = dyadic(rng.normal(size=(4, 3)), 12)
    last = int(np.argmax(np.hypot(A[:, 0], A[:, 1])))
    place = turn(until * Fraction(int(rng.integers(8, 56)), 64)) @ A[last]
    # an exact normal: (2 m n, m^2 - n^2, 0) / (m^2 + n^2) is near any direction
    m, n = (int(k) for k in rng.integers(1, 40, 2))
    normal = np.array([2 * m * n, m * m - n * n, 0]) / (m * m + n * n)
    lowest = float(np.hypot(*A[last, :2])) if number % 3 else -float(normal @ place)
    level = -(lowest + shift)
    origin = np.array([level * normal, np.zeros(3)])
    # the plane is where the doubles put it: n.(p - origin)
    offset = exact.dot(exact.vec(normal), exact.vec(origin[0]))
    meets = exact.turning_points_reach_plane(A.tolist(), normal.tolist(), offset, until)
    R = np.array([[np.eye(3), np.eye(3)], [np.eye(3), turn(until)]])
    x = np.array([origin, origin])
    shapes = [dt.HalfSpace(tuple(normal)), oriented(A)]
    name = f"tetrahedron turning over a half-space, {shift:+.1e}"
    return Case(name, made(shapes, x, R, ["static", "dynamic"]), meets)


def nested(rng, number) -> Case | None:
    """Solids within solids, in cavities, and beside them."""
    outer = dt.Box((4, 4, 4))
    inner = [dt.Box((1, 1, 1)), dt.Sphere(0.5), dt.Capsule(0.3, 0.5), dt.Torus(0.6, 0.2)][
        number % 4
    ]
    shift = (1 if number % 2 else -1) * 2.0 ** -int(rng.integers(6, 40))
    half = [0.5, 0.5, 0.3, 0.8][number % 4]
    way = number // 4 % 3
    x = np.zeros((3, 2, 3))
    if way == 0:  # well inside
        x[:, 1] = dyadic(rng.uniform(-1, 1, 3))
        meets = True
    elif way == 1:  # in a cavity, or through its wall
        box, hole = outer.surface(), dt.Box((2, 2, 2)).surface()
        faces = np.concatenate([box.faces, hole.faces[:, ::-1] + len(box.vertices)])
        outer = dt.Mesh(np.concatenate([box.vertices, hole.vertices]), faces)
        x[:, 1, 0] = (1 - half) - shift
        meets = shift <= 0 or Fraction(x[0, 1, 0]) + Fraction(half) >= 1
    else:  # outside, beside a face
        x[:, 1, 0] = 2 + half + shift
        meets = Fraction(x[0, 1, 0]) - Fraction(half) <= 2
    x[1:, :, 1] += 0.5
    name = f"{type(inner).__name__} {('inside', 'in a cavity', 'beside')[way]}, {shift:+.1e}"
    shapes, order = [outer, inner], [0, 1] if number % 5 else [1, 0]
    return Case(name, made([shapes[k] for k in order], x[:, order]), meets)


def spoiled(rng, number) -> Case | None:
    """Bodies far apart in files that say what cannot be."""
    shapes, x = [dt.Box((1, 1, 1)), dt.Box((1, 1, 1))], np.zeros((4, 2, 3))
    x[:, 1, 0] = 10
    frame, body = int(rng.integers(4)), int(rng.integers(2))
    small = 2.0 ** -int(rng.integers(4, 28))
    through = 0.5 if body else 9.5 + small

    def spoil(path, value):
        def change(arrays):
            arrays[path][frame, body] = value(arrays[path][frame, body])

        return change

    ways = {
        "a reflection": spoil("rotation", lambda R: R * [1, 1, -1]),
        "no rotation": spoil("rotation", lambda R: 0 * R),
        "a small rotation matrix": spoil("rotation", lambda R: 0.1 * R),
        "a sheared rotation": spoil("rotation", lambda R: R + small * np.eye(3)[::-1]),
        "nan": spoil("position", lambda p: p * np.nan),
        "inf": spoil("position", lambda p: p + np.inf),
        "through the other and back": spoil("position", lambda p: np.array([through, 0, 0])),
    }  # fmt: skip
    names = list(ways)
    name = names[number % len(names)]
    return Case(f"{name} in frame {frame}", made(shapes, x, change=ways[name]), True)


FAMILIES = (
    (translating, 0.42), (turning, 0.18), (round_bodies, 0.16), (over_plane, 0.12), (nested, 0.07),
    (spoiled, 0.05),
)  # fmt: skip


def cases(count: int, seed: int = 0) -> Iterator[Case]:
    """About `count` cases of all families."""
    for index, (family, share) in enumerate(FAMILIES):
        rng = np.random.default_rng([seed, index])
        for number in range(round(share * count)):
            found = family(rng, number)
            if found is not None:
                yield found


def verdict_on(case: Case) -> str:
    """'free', 'touching', 'intersecting', 'undecided' or 'refused'."""
    from dovetail.verifier.certificate import certify

    try:
        return certify(case.result).verdict
    except dt.InputError:
        return "refused"
