"""What hangs together: the connected pieces of a graph."""

import numpy as np
from numpy.typing import NDArray


def component_labels(n: int, links: NDArray[np.integer]) -> NDArray[np.int64]:
    """Number 0.. of the connected piece each of n nodes is in; `links` (k, 2).

    Every piece takes its smallest node's number: neighbours pass it on, chains are shortened.
    """
    label = np.arange(n)
    a, b = links[:, 0], links[:, 1]
    while True:
        least = np.minimum(label[a], label[b])
        new = label.copy()
        np.minimum.at(new, label[a], least)
        np.minimum.at(new, label[b], least)
        while not np.array_equal(new, new[new]):
            new = new[new]
        if np.array_equal(new, label):
            return np.unique(label, return_inverse=True)[1].astype(np.int64)
        label = new


def links_within(points: NDArray[np.float64], distance: float) -> NDArray[np.int64]:
    """(k, 2) pairs of points whose chains connect all that are up to `distance` [m] apart.

    Two of them fall into one cell of at least one of eight grids, shifted by half a cell of 2
    `distance`; a cell may add pairs up to 3.5 `distance` apart.
    """
    cells = (points - points.min(axis=0)) / (2.0 * distance)
    links = []
    for shift in np.ndindex(2, 2, 2):
        keys = np.floor(cells + 0.5 * np.array(shift)).astype(np.int64)
        order = np.lexsort(keys.T)
        same = np.all(keys[order[1:]] == keys[order[:-1]], axis=1)
        links.append(np.column_stack([order[:-1][same], order[1:][same]]))
    return np.concatenate(links)
