"""Rings of all sizes on boxes, plates, wedges, pegs and each other: a fifth generator.

They roll, slide and spin over sides and corners of faces, fall flat, hang on plates and around
pegs, are thrown in heaps. `ring_scene(seed)` gives the same one each time.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import dovetail as dt
from limit_cases import LimitCase

G = 9.81


def ring_scene(seed: int) -> LimitCase:
    """One of the kinds below, by turns."""
    kinds = sorted(RINGS)
    rng = np.random.default_rng([seed, 22])
    kind = kinds[seed % len(kinds)]
    scene, step, steps = RINGS[kind](rng)
    friction = float(rng.choice([0.0, 0.3, 1.0]))
    restitution = rng.choice([None, 0.0, 0.5])
    scheme = "BarrierVerlet" if rng.random() < 0.2 else "ImplicitEuler"
    return LimitCase(kind, scene, step, steps, friction, restitution, scheme)


def _ring(rng, outer):
    """A ring of this outer radius [m]."""
    part = rng.uniform(0.05, 0.45)
    segments = int(rng.choice([8, 12, 16, 32, 48, 64]))
    return dt.Torus((1 - part) * outer, part * outer, segments=segments)


def _size(rng):
    return float(10.0 ** rng.uniform(-2.5, 0.5))


def _on_edge(rng, heading):
    """The rotation of a ring that stands and rolls along `heading` [rad], leaning a little."""
    lean = rng.normal() * 0.15
    up = Rotation.from_euler("x", np.pi / 2 + lean) * Rotation.from_euler("z", rng.uniform(0, 6))
    return Rotation.from_euler("z", heading) * up, lean


def _standing(rng, scene, name, shape, x, y, top, speed, heading):
    """A ring that rolls over a level plane at `top` [m]."""
    outer = shape.major + shape.minor
    turn, lean = _on_edge(rng, heading)
    height = shape.major * np.cos(lean) + shape.minor
    along = np.array([np.cos(heading), np.sin(heading), 0.0])
    axis = turn.apply([0, 0, 1.0])
    rate = -speed / outer * np.sign(np.cross(axis, [0, 0, 1.0]) @ along)
    scene.add_body(name, shape, density=1000, rotation=turn.as_matrix(),
                   position=(x, y, top + height + outer * 10.0 ** rng.uniform(-6, -1.5)),
                   velocity=speed * along, angular_velocity=rate * axis)  # fmt: skip


def rolling_off(rng):
    """Over the sides and corners of a box, onto a floor below."""
    outer = _size(rng)
    scene = dt.Scene(gravity=(0, 0, -G))
    side = 3 * outer
    scene.add_body("floor", dt.Box((40 * outer, 40 * outer, outer)), motion="static",
                   position=(0, 0, -2.2 * outer))  # fmt: skip
    scene.add_body("box", dt.Box((side, side, outer)), density=2000,
                   motion=str(rng.choice(["static", "dynamic"])),
                   position=(0, 0, -1.2 * outer))  # fmt: skip
    heading = float(rng.choice([0.0, np.pi / 4, rng.uniform(0, 6.28)]))
    speed = rng.uniform(0.5, 4) * np.sqrt(G * outer)
    _standing(rng, scene, "ring", _ring(rng, outer), *rng.uniform(-outer, outer, 2),
              -0.7 * outer, speed, heading)  # fmt: skip
    return scene, float(np.sqrt(outer / G) * 10.0 ** rng.uniform(-2, -1)), 120


def spinning_flat(rng):
    """Lies on a box, sticks out over a side or a corner, slides and spins."""
    outer = _size(rng)
    scene = dt.Scene(gravity=(0, 0, -G))
    side = outer * rng.uniform(0.3, 4)
    scene.add_body("box", dt.Box((side, side, outer)), motion="static",
                   position=(0, 0, -0.5 * outer))  # fmt: skip
    shape = _ring(rng, outer)
    tilt = float(rng.choice([0.0, 1e-6, 1e-3, 0.05, 0.15])) * rng.normal()
    gap = outer * (10.0 ** rng.uniform(-6, -2) + 1.1 * abs(np.sin(tilt)))
    scene.add_body(
        "ring", shape, density=1000,
        position=(*rng.uniform(-0.5, 0.5, 2) * side, shape.minor + gap),
        rotation=Rotation.from_euler("xz", [tilt, rng.uniform(0, 6)]).as_matrix(),
        velocity=(*rng.normal(size=2) * np.sqrt(G * outer), 0),
        angular_velocity=(0, 0, 5 * rng.normal() * np.sqrt(G / outer)),
    )  # fmt: skip
    return scene, float(np.sqrt(outer / G) * 10.0 ** rng.uniform(-2, -1)), 120


def around_pegs(rng):
    """Falls over a peg, or hangs on a bar through it, and swings."""
    outer = _size(rng)
    scene, shape = dt.Scene(gravity=(0, 0, -G)), _ring(rng, outer)
    hole = shape.major - shape.minor
    thick = hole * rng.uniform(0.2, 1.2)
    if rng.random() < 0.5:
        scene.add_body("floor", dt.Box((8 * outer, 8 * outer, outer)), motion="static",
                       position=(0, 0, -0.5 * outer))  # fmt: skip
        scene.add_body("peg", dt.Box((thick, thick, outer)), motion="static",
                       position=(0, 0, 0.501 * outer))  # fmt: skip
        turn = Rotation.from_rotvec(0.3 * rng.normal(size=3))
        at = (*0.1 * thick * rng.normal(size=2), 2.5 * outer)
    else:
        scene.add_body("bar", dt.Box((8 * outer, thick, thick)), motion="static")
        turn = Rotation.from_euler("y", np.pi / 2)
        at = (rng.normal() * outer, 0, -(hole - 0.75 * thick) if thick < 0.6 * hole else 0.0)
        if np.hypot(thick, thick) / 2 + abs(at[2]) > 0.85 * hole:
            at = (rng.normal() * outer, 0, 2 * outer)
    scene.add_body("ring", shape, density=1000, position=at, rotation=turn.as_matrix(),
                   velocity=rng.normal(size=3) * np.sqrt(G * outer),
                   angular_velocity=rng.normal(size=3) * np.sqrt(G / outer))  # fmt: skip
    return scene, float(np.sqrt(outer / G) * 10.0 ** rng.uniform(-2, -1)), 120


def on_plates(rng):
    """Thrown at thin plates, shells among them, also with their edges first."""
    outer = _size(rng)
    scene = dt.Scene(gravity=(0, 0, -G))
    side = outer * rng.uniform(1, 5)
    tilted = Rotation.from_rotvec(0.3 * rng.normal(size=3)).as_matrix()
    if rng.random() < 0.5:
        corners = 0.5 * side * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
        plate = dt.Mesh(corners, faces=np.array([[0, 1, 2], [0, 2, 3]]), shell=True)
        scene.add_body("plate", plate, motion="static", rotation=tilted)
    else:
        thin = side * 10.0 ** rng.uniform(-4, -1)
        scene.add_body("plate", dt.Box((side, side, thin)), density=2000,
                       motion=str(rng.choice(["static", "dynamic"])), rotation=tilted)  # fmt: skip
    for k in range(int(rng.integers(1, 4))):
        turn = Rotation.random(random_state=int(rng.integers(1 << 31)))
        at = np.array([0, 0, 2.5 * outer * (k + 1)]) + 0.2 * outer * rng.normal(size=3)
        scene.add_body(f"ring {k}", _ring(rng, outer), density=1000, position=at,
                       rotation=turn.as_matrix(),
                       velocity=(0, 0, -rng.uniform(0, 20) * np.sqrt(G * outer)),
                       angular_velocity=10 * rng.normal(size=3) * np.sqrt(G / outer))  # fmt: skip
    return scene, float(np.sqrt(outer / G) * 10.0 ** rng.uniform(-2, -1)), 80


def down_wedges(rng):
    """Roll down a wedge, onto a floor, against a wall."""
    outer = _size(rng)
    scene = dt.Scene(gravity=(0, 0, -G))
    high, long = outer * rng.uniform(1, 4), outer * rng.uniform(4, 10)
    x, y, z = np.meshgrid([0, long], [-3 * outer, 3 * outer], [0, 0.0], indexing="ij")
    corners = np.column_stack([x.ravel(), y.ravel(), z.ravel()])[::2]
    ridge = corners[:2] + np.array([0, 0, high])
    points = np.concatenate([corners, ridge])  # 0 1 low at x = 0, 2 3 at the end, 4 5 high
    faces = [[0, 1, 2], [1, 3, 2], [0, 4, 1], [4, 5, 1], [4, 2, 3], [4, 3, 5], [0, 2, 4], [1, 5, 3]]
    scene.add_body("wedge", dt.Mesh(points, faces=np.array(faces)), motion="static")
    scene.add_body("floor", dt.Box((40 * outer, 8 * outer, outer)), motion="static",
                   position=(20 * outer, 0, -0.5 * outer - 1e-3 * outer))  # fmt: skip
    scene.add_body("wall", dt.Box((outer, 6 * outer, 2 * outer)), density=500,
                   position=(long + rng.uniform(2, 5) * outer, 0, 1.01 * outer))  # fmt: skip
    shape, slope = _ring(rng, outer), np.arctan2(high, long)
    stand, lean = _on_edge(rng, 0.0)
    turn = Rotation.from_euler("y", slope) * stand
    n = np.array([np.sin(slope), 0, np.cos(slope)])
    above = shape.major * np.cos(lean) + shape.minor + outer * 10.0 ** rng.uniform(-5, -1)
    at = np.array([0.2 * long, 0, high * 0.8]) + above * n
    scene.add_body("ring", shape, density=1000, position=at, rotation=turn.as_matrix(),
                   angular_velocity=rng.normal(size=3))  # fmt: skip
    return scene, float(np.sqrt(outer / G) * 10.0 ** rng.uniform(-2, -1)), 150


def heaps(rng):
    """Rings, boxes and balls of all sizes fall into a heap."""
    outer = _size(rng)
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.Box((30 * outer, 30 * outer, outer)), motion="static",
                   position=(0, 0, -0.5 * outer))  # fmt: skip
    z = 0.0
    for k in range(int(rng.integers(4, 9))):
        size = outer * 10.0 ** rng.uniform(-1, 0.3)
        z += 1.1 * size
        kind = rng.integers(0, 5)
        shape = _ring(rng, size) if kind < 3 else dt.Sphere(0.7 * size)
        if kind == 4:
            shape = dt.Box(size * rng.uniform(0.3, 1.1, 3))
        turn = Rotation.random(random_state=int(rng.integers(1 << 31)))
        scene.add_body(f"body {k}", shape, density=1000, rotation=turn.as_matrix(),
                       position=(*0.3 * size * rng.normal(size=2), z),
                       angular_velocity=rng.normal(size=3))  # fmt: skip
        z += 1.1 * size
    return scene, float(np.sqrt(outer / G) * 10.0 ** rng.uniform(-1.7, -0.8)), 80


RINGS = {f.__name__: f for f in (
    rolling_off, spinning_flat, around_pegs, on_plates, down_wedges, heaps,
)}  # fmt: skip
