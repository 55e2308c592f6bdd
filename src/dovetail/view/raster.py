"""Filling triangles and lines into an image with a depth buffer."""

import math

import numpy as np

from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm


@jit
def fill_triangles(corners, colours, depth, image):
    """Draw (n, 3, 3) screen triangles (x, y in pixels, z towards the viewer) in flat colours.

    Barycentric coordinates come from edge functions (Pineda 1988); nearest z wins.
    """
    height, width = depth.shape
    for i in range(corners.shape[0]):
        ax, ay, az = corners[i, 0, 0], corners[i, 0, 1], corners[i, 0, 2]
        bx, by, bz = corners[i, 1, 0], corners[i, 1, 1], corners[i, 1, 2]
        cx, cy, cz = corners[i, 2, 0], corners[i, 2, 1], corners[i, 2, 2]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0.0 or not math.isfinite(area):
            continue
        left = max(0, math.floor(min(ax, bx, cx)))
        right = min(width - 1, math.ceil(max(ax, bx, cx)))
        low = max(0, math.floor(min(ay, by, cy)))
        high = min(height - 1, math.ceil(max(ay, by, cy)))
        for y in range(low, high + 1):
            for x in range(left, right + 1):
                px, py = x + 0.5, y + 0.5
                u = ((bx - px) * (cy - py) - (by - py) * (cx - px)) / area
                v = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) / area
                w = 1.0 - u - v
                if u < 0.0 or v < 0.0 or w < 0.0:
                    continue
                z = u * az + v * bz + w * cz
                if z > depth[y, x]:
                    depth[y, x] = z
                    image[y, x, 0] = colours[i, 0]
                    image[y, x, 1] = colours[i, 1]
                    image[y, x, 2] = colours[i, 2]


@jit
def draw_lines(ends, colours, half_width, bias, depth, image):
    """Draw (n, 2, 3) screen segments as discs along them; `bias` lifts them off their faces."""
    height, width = depth.shape
    for i in range(ends.shape[0]):
        ax, ay, az = ends[i, 0, 0], ends[i, 0, 1], ends[i, 0, 2]
        bx, by, bz = ends[i, 1, 0], ends[i, 1, 1], ends[i, 1, 2]
        length = max(abs(bx - ax), abs(by - ay))
        if not math.isfinite(length):
            continue
        steps = min(int(length * 2.0) + 1, 8 * (height + width))
        for k in range(steps + 1):
            s = k / steps
            px, py = ax + s * (bx - ax), ay + s * (by - ay)
            pz = az + s * (bz - az) + bias
            for y in range(
                max(0, math.floor(py - half_width)),
                min(height - 1, math.floor(py + half_width)) + 1,
            ):
                for x in range(
                    max(0, math.floor(px - half_width)),
                    min(width - 1, math.floor(px + half_width)) + 1,
                ):
                    if (x + 0.5 - px) ** 2 + (y + 0.5 - py) ** 2 > half_width * half_width:
                        continue
                    if pz > depth[y, x]:
                        depth[y, x] = pz
                        image[y, x, 0] = colours[i, 0]
                        image[y, x, 1] = colours[i, 1]
                        image[y, x, 2] = colours[i, 2]


_colours, _depth, _image = np.zeros((0, 3)), np.zeros((0, 0)), np.zeros((0, 0, 3))
warm(fill_triangles, np.zeros((0, 3, 3)), _colours, _depth, _image)
warm(draw_lines, np.zeros((0, 2, 3)), _colours, 0.0, 0.0, _depth, _image)
