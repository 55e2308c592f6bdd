"""Assemblies whose parts move together: gears, threads, bayonets, cams, four-bars."""

from math import atan2, cos, pi, sin, sqrt

import numpy as np
from assembly_shapes import (
    MM,
    SAMPLES,
    TIP,
    Assembly,
    add,
    between_samples,
    circle,
    outward_tip,
    prism,
    spun,
    together,
)

import dovetail as dt


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
    parts = {"left": add(scene, "left", left)}
    right = wheel(n, root, root + 0.55 * tooth, thick)
    moved = together(
        (np.column_stack([spun(right[0][:, :2], pi + pi / n), right[0][:, 2]]), right[1]),
        prism(spun(square - np.array([0.25 * centre, 0.0]), at), thick - MM, top),
    )
    moved[0][:, 0] += centre
    parts["right"] = add(scene, "right", moved)
    scene.add_joint("drive", dt.Revolute(axis=(0, 0, 1)), "ground", "left")
    scene.add_joint("driven", dt.Revolute(point=(centre, 0, 0), axis=(0, 0, 1)), "ground", "right")
    scene.add_coupling("mesh", dt.Coupling({"drive": 1, "driven": 1}))
    question = {"sweep": {"drive": (0.0, 2 * pi)}}
    exact = {"centre": centre}
    return Assembly("gears", gap, scene, question, at, (0.0, 2 * pi), parts=parts, exact=exact)


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
    parts = {
        "bolt": add(scene, "bolt", together(core, bolt_ridge, burr), "static"),
        "nut": add(scene, "nut", together(nut, nub)),
    }
    scene.add_joint("thread", dt.Screw(axis=(0, 0, 1), pitch=pitch), "ground", "nut")
    question = {"sweep": {"thread": (0.0, span)}}
    exact = {"pitch": pitch}
    return Assembly("thread", gap, scene, question, at, (0.0, span), parts=parts, exact=exact)


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
    parts = {
        "socket": add(scene, "socket", together(*side, burr), "static"),
        "lug": add(scene, "lug", together(lug, nub)),
    }
    hulls = {"socket": [m[0][:8] for m in (*side, burr)], "lug": [m[0][:8] for m in (lug, nub)]}
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
        parts=parts,
        exact={"down": down_all, "turn": turn, "hulls": hulls},
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
    disk_and_rib = together(prism(disk, 0.0, 5 * MM), prism(rib, 1 * MM, 4 * MM))
    parts = {"cam": add(scene, "cam", disk_and_rib)}
    face = rise[0] + play
    parts["follower"] = add(
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
    exact = {"angles": path["cam"], "lifts": path["lift"]}
    return Assembly("cam", gap, scene, {"path": path}, at, (0.0, 360.0), parts=parts, exact=exact)


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
    coupler_mesh = add(
        scene,
        "coupler",
        together(bar(b, c, layer), prism(peg + b + share * (c - b), layer + 0.4 * thick, top)),
    )
    add(scene, "rocker", bar(c, d, 0.0))
    b_at, c_at = pins(start + at)
    place = b_at + share * (c_at - b_at)
    post = add(scene, "post", prism(peg + place, top + gap, top + 8 * MM), "static")
    for name, point, first, second in (
        ("a", a, "ground", "crank"),
        ("b", b, "crank", "coupler"),
        ("c", c, "coupler", "rocker"),
        ("d", d, "ground", "rocker"),
    ):
        scene.add_joint(name, dt.Revolute(point=(*point, 0), axis=(0, 0, 1)), first, second)
    question = {"sweep": {"a": (0.0, 2 * pi)}}
    parts, exact = {"coupler": coupler_mesh, "post": post}, {"pins": (a, b, c, d)}
    return Assembly("four-bar", gap, scene, question, at, (0.0, 2 * pi), parts=parts, exact=exact)
