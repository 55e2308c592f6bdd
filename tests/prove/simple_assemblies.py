"""Assemblies with one moving part about or along one axis: hinges, latches, slides."""

from math import cos, pi

import numpy as np
from assembly_shapes import (
    MM,
    TIP,
    Assembly,
    add,
    between_samples,
    circle,
    inward_post,
    outward_tip,
    prism,
    spun,
    together,
    tube,
)

import dovetail as dt


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
