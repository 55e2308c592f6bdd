"""Time to cut and label a system of a million joints: python benchmarks/topology_labels.py [n]."""

import sys
import time

import numpy as np

from dovetail.multibody.topology import analyse


def random_system(n_joints: int, seed: int = 0) -> np.ndarray:
    """A connected graph with four fifths of its joints in the tree, numbers and order shuffled."""
    rng = np.random.default_rng(seed)
    n_bodies = n_joints * 4 // 5
    child = np.arange(1, n_bodies + 1)
    parent = child - 1 - rng.integers(0, np.minimum(child, 1000))
    first = rng.integers(0, n_bodies + 1, n_joints - n_bodies)
    second = (first + rng.integers(1, n_bodies, first.size)) % (n_bodies + 1)
    number = np.concatenate(([0], rng.permutation(n_bodies) + 1))
    pairs = number[
        np.concatenate((np.column_stack((parent, child)), np.column_stack((first, second))))
    ]
    return rng.permuted(rng.permutation(pairs), axis=1)


def main() -> None:
    n_joints = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    pairs = random_system(n_joints)
    listed = [tuple(pair) for pair in pairs.tolist()]
    started = time.perf_counter()
    analyse([(0, 1), (1, 2), (2, 0)], "shallow")
    print(f"compile or load from cache   {time.perf_counter() - started:7.2f} s")
    weights = np.random.default_rng(1).integers(1, 7, n_joints)
    for what, options in (
        ("as given", {}),
        ("shallow", {"order": "shallow"}),
        ("weights", {"weights": weights}),
    ):
        for form, data in (("array", pairs), ("list", listed)):
            wall, cpu = time.perf_counter(), time.process_time()
            found = analyse(data, **options)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            cut = f"{len(found.cut_joints)} cut"
            print(f"{n_joints} joints, {what:8} {form:5} {wall:7.2f} s ({cpu:.2f} s of CPU), {cut}")
    started = time.perf_counter()
    _ = found.incidence
    print(f"relabelled pairs as tuples, on request {time.perf_counter() - started:7.2f} s")


if __name__ == "__main__":
    main()
