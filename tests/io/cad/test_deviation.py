"""How far triangles are from CAD faces: bounds of formulas, measures of splines."""

from math import atan2
from pathlib import Path

import numpy as np
import pytest

from dovetail.collision.sdf.distance_mesh import nearest_distances
from dovetail.io.cad.deviation import bounded_deviation, faces_without_formula, kind_of
from dovetail.io.cad.gltf import Node
from dovetail.io.cad.step import read_step

STEP = Path(__file__).parent / "cone_and_wave.step"
Z = [0.0, 0.0, 1.0]
CYLINDER = {"type": "cylinder", "origin": [0, 0, 0], "axis": Z, "radius": 2.0}
CONE = {"type": "cone", "apex": [0, 0, 3], "axis": Z, "semi_angle": atan2(2.0, 3.0)}
SPHERE = {"type": "sphere", "center": [0, 0, 0], "radius": 2.0}
TORUS = {"type": "torus", "center": [0, 0, 0], "axis": Z, "major_radius": 3.0, "minor_radius": 1.0}


def cylinder(u, v):
    return np.array([2 * np.cos(u), 2 * np.sin(u), 9 * v])


def cone(u, v):
    return np.array([2 * (1 - v) * np.cos(u), 2 * (1 - v) * np.sin(u), 3 * v])


def sphere(u, v):
    return 2 * np.array([np.cos(u) * np.cos(v), np.sin(u) * np.cos(v), np.sin(v)])


def torus(u, v):
    r = 3 + np.cos(6.28 * v)
    return np.array([r * np.cos(u), r * np.sin(u), np.sin(6.28 * v)])


def off_surface(kind, x):
    r = np.hypot(x[:, 0], x[:, 1])
    return {
        "cylinder": lambda: r - 2,
        "cone": lambda: (3 * r + 2 * x[:, 2] - 6) / np.sqrt(13),
        "sphere": lambda: np.linalg.norm(x, axis=1) - 2,
        "torus": lambda: np.hypot(r - 3, x[:, 2]) - 1,
    }[kind]()


@pytest.mark.parametrize(
    ("face", "place"), [(CYLINDER, cylinder), (CONE, cone), (SPHERE, sphere), (TORUS, torus)],
    ids=["cylinder", "cone", "sphere", "torus"],
)  # fmt: skip
def test_a_bound_holds_for_all_points_of_triangles_and_is_not_wide(face, place):
    rng = np.random.default_rng(2)
    corners = np.array([
        [place(u + 0.15 * rng.uniform(), v + 0.02 * rng.uniform()) for _ in range(3)]
        for u, v in rng.uniform(0.05, 0.9, (40, 2))
    ])  # fmt: skip
    if face is CONE:
        corners[:10, 0] = (0, 0, 3)
    shares = rng.dirichlet((1, 1, 1), 4000)
    largest = (0.0, 0.0)
    for rows in (corners[k : k + 1] for k in range(len(corners))):
        node = Node(
            "part", np.eye(4), rows.reshape(-1, 3), np.array([[0, 1, 2]]), np.zeros(1), [face]
        )
        seen = np.abs(off_surface(face["type"], shares @ rows[0])).max()
        bound = bounded_deviation(node)
        assert seen <= bound + 1e-15
        largest = max(largest, (bound, seen))
    assert largest[0] <= 2.0 * largest[1]


def test_faces_that_the_kernel_does_not_name_have_no_formula():
    node = Node("part", np.eye(4), np.zeros((3, 3)), np.array([[0, 1, 2]]), np.zeros(1), [None])
    assert kind_of(None) is None and kind_of({"type": "cone", "axis": Z}) is None
    assert faces_without_formula(node) == 1 and bounded_deviation(node) == 0.0


@pytest.mark.parametrize("tolerance", [None, 4e-5])
def test_the_deviations_of_a_cone_and_a_spline_hold_on_finer_triangles(tolerance):
    """The tolerance of the kernel alone does not hold for the spline."""
    pytest.importorskip("cascadio")
    for name, part in {one.name: one for one in read_step(STEP, tolerance)}.items():
        fine = part.shape.refined(3).surface().vertices
        off = nearest_distances(part.shape.surface(), fine).max()
        assert 0.0 < off <= part.shape.deviation
        assert part.shape.deviation < 2e-4
        assert (part.shape.measured > 0) == (name == "wave")
