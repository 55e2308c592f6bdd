"""Patches of true surfaces: halves lie on the surface, bounds hold, sides follow the edges."""

from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from dovetail.io.cad.step import read_step
from dovetail.prove.surfaces.behind import Behind
from dovetail.prove.surfaces.examined import examined
from dovetail.prove.surfaces.patches import UNEVEN
from dovetail.prove.surfaces.sides import NOT_KNOWN

CAD = Path(__file__).parents[2] / "io" / "cad"
SHAPES = {
    "cylinder": dt.Cylinder(0.006, 0.2),
    "cone": dt.Cone(0.01, 0.02),
    "torus": dt.Torus(0.02, 0.003),
    "ball, ring and bar": dt.Compound(
        [dt.Sphere(0.01), dt.Placed(dt.Torus(0.02, 0.004), (0, 0, 0.05)), dt.Cylinder(0.002, 0.03)]
    ),
}


def behind_of(shape):
    scene = dt.Scene()
    scene.add_body("a", shape, density=1000)
    body = scene.build().bodies[0]
    return Behind(body, examined(body))


def step_part(file, name):
    pytest.importorskip("cascadio")
    return next(part.shape for part in read_step(CAD / file) if part.name == name)


def off_their_faces(behind, patches):
    """[m] of the corners, and of random points of the triangles, from the true faces."""
    rng = np.random.default_rng(5)
    corners, inner = 0.0, 0.0
    for k, face in enumerate(behind._known.faces):
        rows = patches.corners[patches.face == k]
        if not len(rows):
            continue
        corners = max(corners, np.abs(face.distance(rows.reshape(-1, 3))[0]).max())
        points = np.einsum("mk,mkx->mx", rng.dirichlet(np.ones(3), len(rows)), rows)
        inner = max(inner, np.abs(face.distance(points)[0]).max())
    return corners, inner


@pytest.mark.parametrize("name", SHAPES)
def test_halves_lie_on_the_true_surface_within_their_bound(name):
    behind = behind_of(SHAPES[name])
    patches = behind.patches
    assert patches.are_known
    everything = np.ones(len(patches.corners), bool)
    patches = behind.put_on_faces(everything)
    share = UNEVEN
    for _ in range(6):
        corners, inner = off_their_faces(behind, patches)
        assert corners < 1e-15 and inner <= patches.deviation() + 1e-16
        coarse = patches.deviation()
        patches = patches.halved(patches.deviations() > 0.5 * coarse, share)
        share = 0.5
    assert patches.deviation() < 0.4 * behind.patches.deviation()
    assert inner > 0.1 * patches.deviation()  # the bound is no more than it must be


def test_triangles_of_a_flat_mesh_stand_for_themselves():
    patches = behind_of(dt.Box((0.1, 0.2, 0.3))).patches
    assert patches.exact.all() and patches.deviation() == 0.0


def test_rims_of_holes_are_circles_and_corners_are_put_on_all_their_faces():
    behind = behind_of(step_part("pin_in_block.step", "block"))
    patches = behind.patches
    assert patches.are_known
    put = behind.put_on_faces(np.ones(len(patches.corners), bool))
    moved = np.linalg.norm(put.corners - patches.corners, axis=-1).max()
    assert 0.0 < moved < 2e-9  # single floats
    rims = put.halved(put.deviations() > 0.0)
    corners, _ = off_their_faces(behind, rims)
    assert corners < 1e-14


def test_triangles_beside_splines_are_not_refined():
    behind = behind_of(step_part("cone_and_wave.step", "wave"))
    patches = behind.patches
    assert not patches.are_known and np.any(patches.rule == NOT_KNOWN)
    cone = behind_of(step_part("cone_and_wave.step", "cone")).patches
    assert cone.are_known
