"""Shapes take anything and say in sentences what is wrong with it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.model import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    HalfSpace,
    Mesh,
    Placed,
    Sphere,
    Torus,
)
from garbage import garbage
from rounding import rounding

SQUARE = [[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("shape", "sentences"),
    [
        (Box((1, 2, 3)), []),
        (Box((1, -2, 0)), ["`size` along y of Box must be > 0 m", "`size` along z of Box must"]),
        (Box(1), ["`size` of Box must be 3 finite numbers in m, got 1"]),
        (Box(None), ["`size` of Box must be 3 finite numbers"]),
        (Box((1, 2, 1e200)), ["`size` along z of Box must be between 1e-30 and 1e+30 m"]),
        (Sphere(-1.0), ["`radius` of Sphere must be > 0 m, got -1.0"]),
        (Sphere(float("nan")), ["`radius` of Sphere must be a finite number in m, got nan"]),
        (Sphere("1"), ["`radius` of Sphere must be a finite number in m, got '1'"]),
        (Sphere(True), ["`radius` of Sphere must be a finite number in m, got True"]),
        (Sphere(1, segments=30), ["`segments` of Sphere must be a multiple of 4"]),
        (Sphere(0, segments=1.5), ["`radius` of Sphere must", "`segments` of Sphere must"]),
        (Cylinder(1, None), ["`height` of Cylinder must be a finite number in m, got None"]),
        (Cylinder(1, 1, segments=2), ["`segments` of Cylinder must be an integer between 3"]),
        (Capsule([], {}), ["`radius` of Capsule", "`height` of Capsule"]),
        (Cone(1, np.inf), ["`height` of Cone must be a finite number in m, got inf"]),
        (Torus(1, 2), ["`minor` of Torus must be smaller than `major`"]),
        (HalfSpace((0, 0, 0)), ["`normal` of HalfSpace must have a direction"]),
        (HalfSpace(extent=-1), ["`extent` of HalfSpace must be > 0 m, got -1"]),
        (Compound([]), ["`parts` of Compound must be a list of dt.Placed"]),
        (Compound([Box(0), 3]), ["part 1 of Compound: `size` of Box", "`shape` of part 2 of Comp"]),
        (
            Compound([Placed(Sphere(1), rotation=np.ones((3, 3)), weight=-1)]),
            ["`rotation` of part 1 of Compound must be orthogonal", "`weight` of part 1"],
        ),
        (
            Compound([Sphere(1), Mesh([[0.0, 0, 0]])]),
            ["must have one dimension, got solid and point cloud; set `weight` to 0"],
        ),
        (Mesh([]), ["`vertices` of Mesh must be rows of 3 numbers"]),
        (Mesh([[1, 2], [3]]), ["`vertices` of Mesh must be rows of 3 numbers"]),
        (Mesh([[1, 2, np.nan]]), ["`vertices` of Mesh must be 1x3 finite numbers"]),
        (Mesh(SQUARE, [[0, 1, 4]]), ["must name vertices 0 to 3, row 0 has [0, 1, 4]"]),
        (Mesh(SQUARE, [[0, 1, -1]]), ["row 0 has [0, 1, -1]"]),
        (Mesh(SQUARE, [[0, 1, 2, 3]]), ["`faces` of Mesh must be triangles, rows of 3"]),
        (Mesh(SQUARE, [[0.0, 1, 2]]), ["`faces` of Mesh must be triangles, rows of 3"]),
        (Mesh(SQUARE, "abc", [[0]]), ["`faces` of Mesh must be", "`edges` of Mesh must be edges"]),
        (Mesh(SQUARE, scale=0), ["`scale` of Mesh must not be 0"]),
        (Mesh(SQUARE, scale=(1, 2)), ["`scale` of Mesh must be 3 finite numbers"]),
        (Mesh(SQUARE, scale=1e300), ["must be finite and within 1e+30 m"]),
        (Mesh("a.stl", [[0, 1, 2]]), ["`faces` of a Mesh from a file must be left", "existing"]),
    ],
)  # fmt: skip
def test_each_mistake_has_its_sentence(shape, sentences):
    found = shape.mistakes()
    assert len(found) == len(sentences), found
    for sentence, part in zip(found, sentences):
        assert part in sentence


@given(st.data())
def test_garbage_never_raises(data):
    kind = data.draw(
        st.sampled_from([Box, Sphere, Cylinder, Capsule, Cone, Torus, HalfSpace, Mesh, Compound])
    )
    n = {Box: 1, Compound: 1, Mesh: 4, Sphere: 2, HalfSpace: 2}.get(kind, 3)
    shape = kind(*[data.draw(garbage) for _ in range(n)])
    found = shape.mistakes()
    assert all(isinstance(sentence, str) and sentence for sentence in found)
    if not found:
        assert np.all(np.isfinite(shape.surface().vertices))
        assert shape.mass_properties().measure >= 0


@given(garbage, garbage, garbage, garbage)
def test_garbage_in_a_placed_part_never_raises(shape, position, rotation, weight):
    assert all(
        isinstance(s, str) for s in Compound([Placed(shape, position, rotation, weight)]).mistakes()
    )


def test_half_space_is_a_square_patch_facing_its_normal():
    for normal in ([0, 0, 1], [0, -3, 0], [1e-200, 1e-200, 0], [1, 2, 3]):
        shape = HalfSpace(normal, extent=4.0)
        assert shape.mistakes() == []
        surface = shape.surface()
        a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
        areas = np.cross(b - a, c - a) / 2
        assert np.allclose(areas, 8.0 * shape.unit_normal, rtol=0, atol=1e-13)
        assert np.allclose(surface.vertices @ shape.unit_normal, 0, rtol=0, atol=rounding(12, 4.0))
        assert np.allclose(surface.vertices.mean(axis=0), 0, rtol=0, atol=rounding(12, 4.0))
        assert shape.mass_properties().measure == np.inf


def test_compound_with_a_half_space_is_unbounded():
    found = Compound([Sphere(1), Placed(HalfSpace(), (0, 0, -1))]).mass_properties()
    assert found.measure == np.inf
    assert np.all(np.diag(found.inertia) == np.inf)
    assert not np.any(np.isnan(found.inertia))
