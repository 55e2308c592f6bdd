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
