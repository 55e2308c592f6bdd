"""How far two simplices that meet reach into each other."""

import numpy as np

from dovetail.model.values import Array


def overlap_depths(a: Array, b: Array) -> Array:
    """(n,) [m] the shortest translation that takes triangle a off triangle b; (n, 3, 3) corners.

    By the separating axis theorem the shortest one is along a normal of either, across an edge in
    either's plane, or across one edge of each. Degenerate axes are skipped.
    """
    edges_a, edges_b = np.roll(a, -1, axis=1) - a, np.roll(b, -1, axis=1) - b
    normal_a = np.cross(edges_a[:, 0], edges_a[:, 1])[:, None]
    normal_b = np.cross(edges_b[:, 0], edges_b[:, 1])[:, None]
    mixed = np.cross(edges_a[:, :, None], edges_b[:, None, :]).reshape(len(a), 9, 3)
    axes = np.concatenate(
        [normal_a, normal_b, np.cross(edges_a, normal_a), np.cross(edges_b, normal_b), mixed],
        axis=1,
    )
    lengths = np.linalg.norm(axes, axis=2)
    sizes = np.linalg.norm(edges_a, axis=2).max(axis=1) + np.linalg.norm(edges_b, axis=2).max(
        axis=1
    )
    usable = lengths > 1e-12 * np.maximum(sizes, np.finfo(float).tiny)[:, None] ** 2
    usable[:, 2:8] &= lengths[:, 2:8] > 1e-12 * sizes[:, None] ** 3
    with np.errstate(invalid="ignore", divide="ignore"):
        axes = axes / lengths[:, :, None]
        along_a = np.einsum("nij,nkj->nki", a, axes)
        along_b = np.einsum("nij,nkj->nki", b, axes)
        overlap = np.minimum(
            along_a.max(axis=2) - along_b.min(axis=2), along_b.max(axis=2) - along_a.min(axis=2)
        )
    overlap = np.where(usable, overlap, np.inf).min(axis=1)
    return np.where(np.isfinite(overlap), np.maximum(overlap, 0.0), 0.0)
