"""Boxes along the axes of two bodies are not called apart where they are near."""

import numpy as np

import dovetail as dt
from dovetail.collision.narrow_phase.model_surfaces import contact_surfaces
from dovetail.collision.narrow_phase.turned_boxes import boxes_apart
from dovetail.linalg.lie import so3

SIZES = np.array([[0.3, 0.2, 0.1], [0.5, 0.05, 0.2]])


def surfaces():
    scene = dt.Scene()
    for name, size in zip("ab", SIZES):
        scene.add_body(name, dt.Box(size), density=1.0)
    return contact_surfaces(scene.build())[0]


def nearest(x, R):
    """[m] a distance that the boxes have at most, by alternating projections onto them."""
    p = x[0].copy()
    for _ in range(40):
        for i in (1, 0):
            half = 0.5 * SIZES[i]
            q, p = p, x[i] + R[i] @ np.clip(R[i].T @ (p - x[i]), -half, half)
    return float(np.linalg.norm(p - q))


def test_boxes_that_are_near_are_not_apart():
    random, known, near, far = np.random.default_rng(3), surfaces(), 0, 0
    for _ in range(150):
        x = np.array([np.zeros(3), random.uniform(-0.4, 0.4, 3)])
        R = np.array([so3.exp(random.normal(size=3)) for _ in range(2)])
        gap = random.uniform(0.0, 0.05)
        apart, between = boxes_apart(known, x, R, 0, 1, gap), nearest(x, R)
        assert not (apart and between < gap)
        near += between < gap
        far += apart
    assert near > 30 and far > 30
