"""Assemblies with a known verdict: eight families, half of them with a clash between samples.

Every assembly has a place where a small rib of one part passes a small post of another at a signed
gap that is known exactly, by construction: along the axis of a rotation, across a translation, or
on the radius of a rotation from a vertex to a face. gap > 0: free, its least clearance is at most
the gap. gap < 0: the two cross by that much, within a motion so short that SAMPLES evenly spaced
positions of the driven joint miss it.
"""

from dataclasses import dataclass, field
from math import atan2, cos, pi, sin, sqrt

import numpy as np

import dovetail as dt

SAMPLES = 37  # a position every 10 degrees of a turn
MM = 1e-3
TIP = 0.2 * MM  # width of ribs and posts


@dataclass
class Assembly:
    """A scene, a question and its answer."""

    name: str
    gap: float  # [m] < 0: a clash of that depth
    scene: dt.Scene
    question: dict
    at: float  # [parameter] where the rib passes the post
    span: tuple  # (from, to) of the parameter
    turning: dict = field(default_factory=dict)  # body -> triangles, where all turn about z
    sliding: dict = field(default_factory=dict)  # body -> corners of hulls, where all move straight
    along: tuple = ()  # direction of that motion

    @property
    def meets(self):
        return self.gap < 0.0


def prism(points, low, high):
    """A closed mesh over a polygon that is star-shaped about its mean, counterclockwise."""
    points = np.asarray(points, float)
    n, c = len(points), np.asarray(points, float).mean(axis=0)
    rows = [[*p, z] for z in (low, high) for p in points] + [[*c, low], [*c, high]]
    faces = []
    for i in range(n):
        j = (i + 1) % n
        faces += [(j, i, 2 * n), (n + i, n + j, 2 * n + 1), (i, j, n + j), (i, n + j, n + i)]
    return np.array(rows), np.array(faces)


def tube(inner, outer, n, low, high, phase=0.0):
    """A ring with polygons of n sides inside and outside."""
    angles = phase + 2 * pi * np.arange(n) / n
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    rows = [[*(r * p), z] for r in (inner, outer) for z in (low, high) for p in circle]
    faces = []
    for i in range(n):
        j = (i + 1) % n
        quads = (
            (j, i, n + i, n + j),
            (2 * n + i, 2 * n + j, 3 * n + j, 3 * n + i),
            (n + i, 3 * n + i, 3 * n + j, n + j),
            (j, 2 * n + j, 2 * n + i, i),
        )
        for a, b, c, d in quads:
            faces += [(a, b, c), (a, c, d)]
    return np.array(rows), np.array(faces)


def together(*meshes):
    vertices, faces, before = [], [], 0
    for v, f in meshes:
        vertices.append(v)
        faces.append(f + before)
        before += len(v)
    return np.concatenate(vertices), np.concatenate(faces)


def circle(radius, n, phase=0.0):
    angles = phase + 2 * pi * np.arange(n) / n
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def spun(points, angle):
    c, s = cos(angle), sin(angle)
    return np.asarray(points) @ np.array([[c, s], [-s, c]])


def add(scene, name, mesh, motion="dynamic"):
    scene.add_body(name, dt.Mesh(*mesh), density=1000, motion=motion)
    vertices, faces = mesh
    return vertices[faces]


def between_samples(rng, low, high):
    """The middle between two samples of a range, not one of the outermost."""
    k = int(rng.integers(3, SAMPLES - 5))
    return low + (k + 0.5) * (high - low) / (SAMPLES - 1)


def signed_gap(rng, meets):
    """[m] 10 um to 1 mm, spread evenly by logarithm."""
    size = 10.0 ** rng.uniform(-5, -3)
    return -size if meets else size


def outward_tip(radius, foot):
    """A triangle with one vertex exactly at (radius, 0), its foot at `foot` [m]."""
    return [(radius, 0.0), (foot, TIP / 2), (foot, -TIP / 2)]


def inward_post(radius, reach=2 * MM):
    """A block whose inner face is at x = radius."""
    return [
        (radius, -TIP / 2),
        (radius + reach, -TIP / 2),
        (radius + reach, TIP / 2),
        (radius, TIP / 2),
    ]


def hinge(rng, gap):
    """A knuckle turns on a pin; a rib of the knuckle passes a post of the frame."""
    scene = dt.Scene()
    r, play = rng.uniform(2, 6) * MM, rng.uniform(0.15, 0.4) * MM
    n, h = 24, rng.uniform(4, 12) * MM
    outer = r / cos(pi / n) + play + 2 * MM
    at = between_samples(rng, 0.0, pi)
    tip = outer + 3 * MM
    pin = prism(circle(r, n), -h - 1.3 * MM, h + 1.3 * MM)
    post = spun(inward_post(tip + gap), at)
    frame = together(pin, prism(post, -0.4 * h, 0.4 * h))
    knuckle = together(
        tube((r + play) / cos(pi / n), outer, n, -h, h),
        prism(outward_tip(tip, outer - 0.5 * MM), -0.7 * h, 0.7 * h),
    )
    parts = {
        "frame": add(scene, "frame", frame, "static"),
        "knuckle": add(scene, "knuckle", knuckle),
    }
    scene.add_joint("hinge", dt.Revolute(axis=(0, 0, 1)), "ground", "knuckle")
    return Assembly("hinge", gap, scene, {"sweep": {"hinge": (0.0, pi)}}, at, (0.0, pi), parts)


def latch(rng, gap):
    """A hook swings over a striker; its nose clears the striker along the axis, or does not."""
    scene = dt.Scene()
    reach, thick = rng.uniform(20, 40) * MM, rng.uniform(2, 4) * MM
    span = rng.uniform(1.2, 2.4)
    at = between_samples(rng, 0.0, span)
    nose = [(reach - 1 * MM, -TIP / 2), (reach, -TIP / 2), (reach, TIP / 2), (reach - MM, TIP / 2)]
    hook = together(
        prism(
            [(-3 * MM, -2 * MM), (reach - MM, -2 * MM), (reach - MM, 2 * MM), (-3 * MM, 2 * MM)],
            0.0,
            thick,
        ),
        prism(nose, -thick, 0.8 * thick),
    )
    striker = prism(spun(nose, at), -3 * thick, -thick - gap)
    plate = prism(circle(reach + 5 * MM, 16), -4 * thick, -3.2 * thick)
    parts = {
        "striker": add(scene, "striker", together(striker, plate), "static"),
        "hook": add(scene, "hook", hook),
    }
    scene.add_joint("latch", dt.Revolute(axis=(0, 0, 1)), "ground", "hook")
    return Assembly("latch", gap, scene, {"sweep": {"latch": (0.0, span)}}, at, (0.0, span), parts)


def slide(rng, gap):
    """A carriage between two rails; a nub of it passes a nub of a rail."""
    scene = dt.Scene()
    wide, play = rng.uniform(8, 20) * MM, rng.uniform(0.1, 0.4) * MM
    travel = rng.uniform(40, 120) * MM
    at = between_samples(rng, 0.0, travel)
    nub = 3 * MM
    rail = 6 * MM
    boxes = {
        "carriage": [
            ((0, 0, 0), (10 * MM, wide, 5 * MM)),
            ((0, wide / 2 + nub / 2 - MM, 6 * MM), (TIP, nub, 7.6 * MM)),
        ],
        "rails": [
            (
                (travel / 2, side * (wide / 2 + play + rail / 2), -MM),
                (travel + 30 * MM, rail, 4 * MM),
            )
            for side in (1, -1)
        ]
        + [((at, wide / 2 + nub - MM + gap + nub / 2, 8 * MM), (TIP, nub, 2 * MM))],
    }
    hulls = {}
    for name, entries in boxes.items():
        meshes, hulls[name] = [], []
        for centre, sides in entries:
            x, y, z = np.array(sides) / 2
            base = np.array([(-x, -y), (x, -y), (x, y), (-x, y)]) + np.array(centre[:2])
            meshes.append(prism(base, centre[2] - z, centre[2] + z))
            hulls[name].append(meshes[-1][0][:8])
        add(scene, name, together(*meshes), "static" if name == "rails" else "dynamic")
    scene.add_joint("slide", dt.Prismatic(axis=(1, 0, 0)), "ground", "carriage")
    return Assembly(
        "slide",
        gap,
        scene,
        {"sweep": {"slide": (0.0, travel)}},
        at,
        (0.0, travel),
        sliding=hulls,
        along=(travel, 0.0, 0.0),
    )


def wheel(n, root, tip, thick):
    """A gear with pointed teeth."""
    points = []
    for k in range(n):
        a, w = 2 * pi * k / n, pi / n
        points += [
            spun([(tip, 0.0)], a)[0],
            spun([(root / cos(0.62 * w), 0.0)], a + 0.38 * w)[0],
            spun([(root / cos(0.62 * w), 0.0)], a + 1.62 * w)[0],
        ]
    return prism(points, 0.0, thick)


def gears(rng, gap):
    """Two wheels in mesh; a peg under the rim of one passes over a post on the web of the other.

    They turn at the same rate; on the line of centres the peg is faster than the post by half of
    the distance of the centres times the rate.
    """
    scene = dt.Scene()
    n, root = int(rng.integers(9, 15)), rng.uniform(10, 20) * MM
    tooth, thick = 0.12 * root, 4 * MM
    centre = 2 * root + 1.35 * tooth
    at = between_samples(rng, 0.0, 2 * pi)
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * TIP / 2
    top = thick + 3 * MM
    left = together(
        wheel(n, root, root + 0.55 * tooth, thick),
        prism(circle(0.3 * root, 12), thick - MM, top + 4 * MM),
        prism(circle(0.8 * centre, 48), top + 3 * MM, top + 5 * MM),
        prism(spun(square + np.array([0.75 * centre, 0.0]), -at), top + gap, top + 4 * MM),
    )
    add(scene, "left", left)
    right = wheel(n, root, root + 0.55 * tooth, thick)
    moved = together(
        (np.column_stack([spun(right[0][:, :2], pi + pi / n), right[0][:, 2]]), right[1]),
        prism(spun(square - np.array([0.25 * centre, 0.0]), at), thick - MM, top),
    )
    moved[0][:, 0] += centre
    add(scene, "right", moved)
    scene.add_joint("drive", dt.Revolute(axis=(0, 0, 1)), "ground", "left")
    scene.add_joint("driven", dt.Revolute(point=(centre, 0, 0), axis=(0, 0, 1)), "ground", "right")
    scene.add_coupling("mesh", dt.Coupling({"drive": 1, "driven": 1}))
    return Assembly("gears", gap, scene, {"sweep": {"drive": (0.0, 2 * pi)}}, at, (0.0, 2 * pi))


def ridge(inner, outer, pitch, thick, first, last, steps):
    """A helical ridge of rectangular section from angle `first` to `last`."""
    rows, faces = [], []
    for a in np.linspace(first, last, steps + 1):
        z = pitch * a / (2 * pi)
        for r, dz in ((inner, 0.0), (outer, 0.0), (outer, thick), (inner, thick)):
            rows.append((r * cos(a), r * sin(a), z + dz))
    for k in range(steps):
        for i in range(4):
            a, b = 4 * k + i, 4 * k + (i + 1) % 4
            faces += [(a, b + 4, b), (a, a + 4, b + 4)]
    end = 4 * steps
    faces += [(0, 1, 2), (0, 2, 3), (end, end + 2, end + 1), (end, end + 3, end + 2)]
    return np.array(rows), np.array(faces)


def thread(rng, gap):
    """Part of a nut turns along the groove of a bolt; a burr in the groove reaches for it."""
    scene = dt.Scene()
    r, pitch = rng.uniform(4, 8) * MM, rng.uniform(1.6, 2.4) * MM
    depth, thick = 2.2 * MM, 0.35 * pitch
    turns = 3
    outer = r + depth
    bolt_ridge = ridge(
        r - 0.3 * MM, outer, pitch, thick, -pi, (2 * turns + 2) * pi, 24 * (turns + 2)
    )
    core = prism(circle(r - 0.05 * MM, 24), -2 * pitch, (turns + 3) * pitch)
    span = (2 * turns - 1) * pi
    at = between_samples(rng, 0.0, span)
    inner = r + 1.6 * MM
    # the nut's ridge lies in the groove, half a pitch above the bolt's
    nut = ridge(inner, outer + 1 * MM, pitch, 0.3 * pitch, 0.0, pi, 16)
    middle = 0.5 * pitch + 0.5 * thick
    nut[0][:, 2] += middle - 0.15 * pitch
    angle = 0.9
    zn = middle + pitch * angle / (2 * pi)
    nub = prism(
        spun(
            [(inner - 1.15 * MM, 0.0), (inner + 0.3 * MM, -TIP / 2), (inner + 0.3 * MM, TIP / 2)],
            angle,
        ),
        zn - 0.05 * pitch,
        zn + 0.05 * pitch,
    )
    place, z = angle + at, zn + pitch * at / (2 * pi)
    top = inner - 1.15 * MM - gap  # of the burr: a flat face, met by the vertex of the nub
    foot = r - 1.5 * MM
    burr = prism(
        spun([(foot, -TIP / 2), (top, -TIP / 2), (top, TIP / 2), (foot, TIP / 2)], place),
        z - 0.04 * pitch,
        z + 0.04 * pitch,
    )
    add(scene, "bolt", together(core, bolt_ridge, burr), "static")
    add(scene, "nut", together(nut, nub))
    scene.add_joint("thread", dt.Screw(axis=(0, 0, 1), pitch=pitch), "ground", "nut")
    return Assembly("thread", gap, scene, {"sweep": {"thread": (0.0, span)}}, at, (0.0, span))


def bayonet(rng, gap):
    """A lug goes down a slot, then turns behind a lip; a burr of the slot is passed on the way."""
    scene = dt.Scene()
    down, turn = rng.uniform(10, 20) * MM, rng.uniform(0.8, 1.4)
    half, play = rng.uniform(2, 3) * MM, rng.uniform(0.15, 0.3) * MM
    inner, outer = 8 * MM, 11 * MM
    down_all = down + 3.5 * MM
    at = (int(rng.integers(3, 13)) + 0.5) * 2.0 / (SAMPLES - 1)  # on the first of two legs
    lug = prism([(inner, -half), (outer, -half), (outer, half), (inner, half)], 0.0, 3 * MM)
    nub_z = 1.5 * MM
    out = 1.2 * MM
    nub = prism(
        [
            (inner + MM, half - out),
            (inner + 2 * MM, half - out),
            (inner + 2 * MM, half + out),
            (inner + MM, half + out),
        ],
        nub_z - TIP / 2,
        nub_z + TIP / 2,
    )
    z = nub_z - at * down_all
    face = half + out + play
    side = [
        prism(
            [
                (inner - MM, s * (face + 2 * MM) - 2 * MM),
                (outer + MM, s * (face + 2 * MM) - 2 * MM),
                (outer + MM, s * (face + 2 * MM) + 2 * MM),
                (inner - MM, s * (face + 2 * MM) + 2 * MM),
            ],
            -0.9 * down,
            -1.0 * MM,
        )
        for s in (1, -1)
    ]
    burr_face = half + out + gap
    burr = prism(
        [
            (inner + 1.2 * MM, burr_face),
            (inner + 1.8 * MM, burr_face),
            (inner + 1.8 * MM, burr_face + 2 * MM),
            (inner + 1.2 * MM, burr_face + 2 * MM),
        ],
        z - TIP / 2,
        z + TIP / 2,
    )
    add(scene, "socket", together(*side, burr), "static")
    add(scene, "lug", together(lug, nub))
    scene.add_joint_chain(
        {"push": dt.Prismatic(axis=(0, 0, -1)), "twist": dt.Revolute(axis=(0, 0, 1))},
        "ground",
        "lug",
    )
    return Assembly(
        "bayonet",
        gap,
        scene,
        {"path": {"push": (0.0, down_all, down_all), "twist": (0.0, 0.0, turn)}},
        at,
        (0.0, 2.0),
    )


def cam(rng, gap):
    """A narrow follower rides on an eccentric disk by its law; a rib of the disk reaches for it."""
    scene = dt.Scene()
    radius, off, play = rng.uniform(12, 20) * MM, rng.uniform(2, 4) * MM, rng.uniform(1.1, 1.5) * MM
    angles = np.linspace(0.0, 2 * pi, 361)
    rise = off * np.cos(angles) + np.sqrt(radius**2 - (off * np.sin(angles)) ** 2)  # of the foot
    at = between_samples(rng, 0.0, 360.0)
    here = np.radians(at)
    near = here + np.linspace(-1, 1, 2001) * TIP / 2 / (radius - off)
    law = np.interp(near % (2 * pi), angles, rise)
    tip = float(((law + play) / np.cos(near - here)).min()) - gap
    disk = circle(radius, 120) + np.array([off, 0.0])
    turn = pi / 2 - here  # the rib points up at parameter `at`
    rib = spun(outward_tip(tip, float(law.min()) - MM), turn)
    disk = spun(disk, pi / 2)
    add(scene, "cam", together(prism(disk, 0.0, 5 * MM), prism(rib, 1 * MM, 4 * MM)))
    face = rise[0] + play
    add(
        scene,
        "follower",
        prism(
            [
                (-TIP / 2, face),
                (TIP / 2, face),
                (TIP / 2, face + 9 * MM),
                (-TIP / 2, face + 9 * MM),
            ],
            -MM,
            6 * MM,
        ),
    )
    scene.add_joint("cam", dt.Revolute(axis=(0, 0, 1)), "ground", "cam")
    scene.add_joint("lift", dt.Prismatic(axis=(0, 1, 0)), "ground", "follower")
    path = {"cam": angles.tolist(), "lift": (rise - rise[0]).tolist()}
    return Assembly("cam", gap, scene, {"path": path}, at, (0.0, 360.0))


def four_bar(rng, gap):
    """A crank turns a coupler and a rocker; a peg of the coupler passes over a post."""
    ground, crank = rng.uniform(80, 110) * MM, rng.uniform(18, 25) * MM
    coupler, rocker = ground * rng.uniform(0.9, 1.0), ground * rng.uniform(0.6, 0.75)
    thick, layer, start = 4 * MM, 6 * MM, 0.3

    def pins(angle):
        b = crank * np.array([cos(angle), sin(angle)])
        d = np.array([ground, 0.0]) - b
        far = float(np.linalg.norm(d))
        along = (coupler**2 - rocker**2 + far**2) / (2 * far)
        return b, b + (along * d + sqrt(coupler**2 - along**2) * np.array([-d[1], d[0]])) / far

    scene = dt.Scene()
    at = between_samples(rng, 0.0, 2 * pi)
    b, c = pins(start)
    a, d = np.zeros(2), np.array([ground, 0.0])

    def bar(p, q, z):
        turn = atan2(*(q - p)[::-1])
        long = float(np.linalg.norm(q - p))
        base = np.array(
            [
                (-thick / 2, -thick / 2),
                (long + thick / 2, -thick / 2),
                (long + thick / 2, thick / 2),
                (-thick / 2, thick / 2),
            ]
        )
        return prism(spun(base, turn) + p, z - thick / 2, z + thick / 2)

    share = rng.uniform(0.4, 0.6)
    peg = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * TIP / 2
    top = layer + thick / 2 + 6 * MM
    add(scene, "crank", bar(a, b, 0.0))
    add(
        scene,
        "coupler",
        together(bar(b, c, layer), prism(peg + b + share * (c - b), layer + 0.4 * thick, top)),
    )
    add(scene, "rocker", bar(c, d, 0.0))
    b_at, c_at = pins(start + at)
    place = b_at + share * (c_at - b_at)
    add(scene, "post", prism(peg + place, top + gap, top + 8 * MM), "static")
    for name, point, first, second in (
        ("a", a, "ground", "crank"),
        ("b", b, "crank", "coupler"),
        ("c", c, "coupler", "rocker"),
        ("d", d, "ground", "rocker"),
    ):
        scene.add_joint(name, dt.Revolute(point=(*point, 0), axis=(0, 0, 1)), first, second)
    return Assembly("four-bar", gap, scene, {"sweep": {"a": (0.0, 2 * pi)}}, at, (0.0, 2 * pi))


FAMILIES = (hinge, latch, gears, thread, slide, bayonet, cam, four_bar)


def assemblies(count, seed=0):
    """`count` of them, the families in turn; every second one has a clash."""
    for k in range(count):
        rng = np.random.default_rng((seed, k))
        family = FAMILIES[k % len(FAMILIES)]
        gap = signed_gap(rng, (k + k // len(FAMILIES)) % 2 == 1)
        made = family(rng, gap)
        made.name = f"{made.name} {k}"
        yield made
