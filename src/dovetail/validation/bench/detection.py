"""Points of one body inside another: the four methods, and closest points by other packages.

Both bodies are the same surface, at two distances.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from dovetail.collision.sdf import Octree, OctreeField, build, exact_distance
from dovetail.collision.sdf.detection import FoundBuffer, pose_rows, run_detection
from dovetail.linalg.lie import so3
from dovetail.model.surface import Surface
from dovetail.validation.bench import Row
from dovetail.validation.bench.peers import coal_distances, libigl_distances
from dovetail.validation.bench.timing import best_time

TITLE = "one detection with field and octree (sdf_octree), against others"
FEW = 100  # points that brute force is measured with; its time grows with their number


def measure(surface: Surface, quick: bool) -> Iterator[Row]:
    """All methods at a deep and a shallow overlap."""
    field, points = build(surface, 64 if quick else 128), surface.vertices
    octree, exact, cells = Octree(points), exact_distance(surface), OctreeField(field)
    few = Octree(points[:: max(1, len(points) // FEW)])
    size = float(np.max(np.ptp(points, axis=0)))
    buffer = FoundBuffer()
    for share in (0.1,) if quick else (0.1, 0.3):
        R, x = so3.exp([0.3, 0.2, 0.5]), np.array([share * size, 0.0, 0.1 * size])
        pose, what = pose_rows((R, x)), f"{len(points)} points, shifted by {share:g}"
        placed = np.ascontiguousarray(points @ R.T + x)
        ours = 1e3 * best_time(partial(run_detection, field, octree, pose, buffer, "sdf_octree"))
        others = (
            ("sdf", partial(run_detection, field, octree, pose, buffer, "sdf"), 1.0),
            ("sdf_octree_grid", partial(run_detection, cells, octree, pose, buffer, ""), 1.0),
            ("closest points, our tree", partial(run_detection, exact, octree, pose, buffer, "bvh"),
             1.0),
            ("closest points, libigl", libigl_distances(surface, placed), 1.0),
            ("closest points, coal", coal_distances(surface, placed[::20]),
             len(points) / len(placed[::20])),
            (f"brute force, from {len(few)} points",
             partial(run_detection, exact, few, pose, buffer, "brute"), len(points) / len(few)),
        )  # fmt: skip
        for peer, work, factor in others:
            if work is not None:
                theirs = 1e3 * factor * best_time(work, 1 if quick else 2)
                yield Row(what, ours, peer, theirs, "ms")
