"""What stands for a body: true bodies lie about it within the margins."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.prove.surfaces.examined import examined


def body_of(shape):
    scene = dt.Scene()
    scene.add_body("a", shape, density=1000)
    return scene.build().bodies[0]


@pytest.mark.parametrize("shape", [dt.Sphere(0.02), dt.Capsule(0.01, 0.03), dt.Torus(0.02, 0.004)])
def test_the_surface_is_at_the_radius_of_the_core(shape):
    body = body_of(shape)
    seen = examined(body)
    wires = seen.surface.vertices[seen.surface.edges]
    if not len(wires):
        wires = np.repeat(seen.surface.vertices[:, None], 2, axis=1)
    p, d = wires[:, 0], wires[:, 1] - wires[:, 0]
    size = np.maximum(np.einsum("ij,ij->i", d, d), 1e-30)
    for x in body.surface.vertices[:: max(1, len(body.surface.vertices) // 200)]:
        share = np.clip(np.einsum("ij,ij->i", x - p, d) / size, 0.0, 1.0)
        least = np.linalg.norm(p + share[:, None] * d - x, axis=1).min()
        radius, outside, inside = seen.margin
        assert radius - inside - 1e-12 <= least <= radius + outside + 1e-12
    assert seen.margin.outside < 1e-8


@pytest.mark.parametrize("shape", [dt.Cylinder(0.02, 0.03), dt.Cone(0.02, 0.03)])
def test_triangles_of_convex_shapes_do_not_reach_beyond_them_and_can_be_refined(shape):
    coarse, fine = examined(body_of(shape)), examined(body_of(shape), 16)
    assert coarse.margin.inside == fine.margin.inside == 0.0
    assert fine.margin.outside == pytest.approx(coarse.margin.outside / 256, rel=0.02)
    assert len(fine.surface.faces) == 16 * len(coarse.surface.faces)


def test_a_mesh_is_examined_as_it_is():
    seen = examined(body_of(dt.Box((0.1, 0.1, 0.1))))
    assert tuple(seen.margin) == (0.0, 0.0, 0.0) and len(seen.surface.faces) == 12
