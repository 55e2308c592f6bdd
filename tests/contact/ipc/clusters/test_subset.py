"""The arrays of some bodies are those of a model that has only these."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.ipc.clusters.subset import subset
from dovetail.contact.ipc.model_bodies import ipc_bodies
from dovetail.linalg.exact.convex_hull import convex_hull

POINTS = np.random.default_rng(0).normal(size=(300, 3))
POINTS /= np.linalg.norm(POINTS, axis=1)[:, None]
SHAPES = [
    dt.Box((1, 2, 3)),
    dt.HalfSpace((0, 0, 1)),
    dt.Sphere(0.5),
    dt.Capsule(0.2, 1.0),
    dt.Cylinder(0.3, 1.0),
    dt.Torus(0.5, 0.1),
    dt.Box((0.1, 0.2, 0.3)),
    dt.Mesh(POINTS, convex_hull(POINTS)),  # of many faces
]


def model(numbers):
    scene = dt.Scene()
    for k in numbers:
        motion = "static" if isinstance(SHAPES[k], dt.HalfSpace) else "dynamic"
        scene.add_body(
            f"body {k}", SHAPES[k], density=1000 + k, motion=motion, position=(5 * k, 0, 0)
        )
    return scene.build()


def leaves(record):
    """(name, array) of all fields, but those of shared trees."""
    for name, value in record._asdict().items():
        if hasattr(value, "_asdict"):
            yield from ((f"{name}.{below}", rows) for below, rows in leaves(value))
        elif name not in ("root", "boxes", "right", "slabs"):
            yield name, value


@pytest.mark.parametrize("numbers", [[0, 6], [1, 2, 6], [3, 4, 5], [3, 6, 7], list(range(8))])
def test_a_subset_has_the_arrays_of_a_model_of_these_bodies_only(numbers):
    whole, alone = ipc_bodies(model(range(len(SHAPES)))), ipc_bodies(model(numbers))
    part = subset(whole, np.array(numbers))
    for (name, ours), (_, theirs) in zip(leaves(part), leaves(alone)):
        assert ours.dtype == theirs.dtype and ours.flags.c_contiguous, name
        if ours.shape != theirs.shape:  # rows that only some body of the whole needs
            assert not len(theirs) and not np.any(ours), name
            continue
        np.testing.assert_array_equal(ours, theirs, err_msg=name)


def test_the_trees_of_a_subset_lead_to_the_same_boxes():
    numbers = [0, 3, 7]
    whole, alone = ipc_bodies(model(range(len(SHAPES)))), ipc_bodies(model(numbers))
    ours, theirs = subset(whole, np.array(numbers)).geometry.trees, alone.geometry.trees
    assert ours.boxes is whole.geometry.trees.boxes
    for mine, his in zip(ours.root.ravel(), theirs.root.ravel()):
        assert (mine < 0) == (his < 0)
        if mine >= 0:
            np.testing.assert_array_equal(ours.boxes[mine], theirs.boxes[his])


def test_joints_among_the_bodies_of_a_subset_keep_their_pairs():
    scene = dt.Scene()
    for k in range(5):
        scene.add_body(f"body {k}", dt.Box((1, 1, 1)), density=1.0, position=(3 * k, 0, 0))
    for a, b in ((0, 2), (2, 4), (1, 3)):
        scene.add_joint(f"joint {a}", dt.Spherical((1.5 * (a + b), 0, 0)), f"body {a}", f"body {b}")
    part = subset(ipc_bodies(scene.build()), np.array([0, 2, 3, 4]))
    assert part.connected.tolist() == [0 * 4 + 1, 1 * 4 + 3]
