"""Zhang, You and Liu 2024: what the figures show, at sizes a test can afford."""

import pytest

import dovetail as dt
from dovetail.validation.reproduce import zhang2024
from dovetail.validation.reproduce.zhang2024 import figure_8, figure_10, horse
from dovetail.validation.reproduce.zhang2024.detection_methods import SdfByMethod


def test_the_error_of_the_sliders_falls_with_the_step_and_momentum_stays_at_round_off():
    rows = [figure_8.measured(step) for step in (1e-3, 1e-4)]
    assert figure_8.orders(rows)[0] > 1.5
    assert rows[-1].speeds[0] < 1e-3 and rows[-1].speeds[1] < 1e-3
    assert max(row.momentum for row in rows) < 1e-13


def test_an_unknown_figure_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(Exception, match=r"no 'fig99' in zhang2024 \(there are: .*fig8"):
        zhang2024.reproduce(tmp_path, print, ["fig99"])


def test_the_refined_horse_has_the_papers_size_and_the_same_shape():
    coarse = horse.displaced_sphere(3000)
    fine = horse.refined(coarse, 7163)
    assert len(fine.faces) in (7163, 7164)  # each cut of an edge adds two
    before, after = (dt.Mesh(s.vertices, s.faces) for s in (coarse, fine))
    assert after.diagnosis.closed and after.diagnosis.oriented
    assert after.mass_properties().measure == pytest.approx(before.mass_properties().measure)
    assert abs(len(horse.displaced_sphere(96_966).faces) / 96_966 - 1) < 0.01


def test_all_four_methods_are_measured_in_the_same_collision():
    body = horse.displaced_sphere(400)
    case = figure_10.Case("balls", (body, body), 1.0, 1e-4, 1e7)
    seconds = figure_10.measured(case, steps=3)
    assert set(seconds) == set(dt.sdf.METHODS)
    assert min(seconds.values()) > 0
    cube = figure_10.box_surface(1.0, 3)
    assert dt.Mesh(cube.vertices, cube.faces).mass_properties().measure == pytest.approx(1.0)
    assert len(cube.vertices) == 56
    lines = figure_10.table("horse-box", {"brute": 1.0, "sdf": 0.039, "sdf_octree": 0.02})
    assert lines[2] == "| horse-box | sdf | 39 | 3.9 % | 3.9 % |"


def _as_mesh(shape: dt.Box) -> dt.Mesh:
    surface = shape.surface()
    return dt.Mesh(surface.vertices, surface.faces)


def test_the_four_methods_of_detection_give_the_same_bounce():
    block, slab = (_as_mesh(dt.Box(size)) for size in ((0.2, 0.2, 0.2), (0.6, 0.6, 0.2)))
    speeds = {}
    for detection in dt.sdf.METHODS:
        scene = dt.Scene(gravity=(0, 0, 0))
        scene.add_body("floor", slab, motion="static", position=(0, 0, -0.1))
        scene.add_body("block", block, density=1000, position=(0, 0, 0.1005), velocity=(0, 0, -1))
        law = SdfByMethod(detection, restitution=0.5, stiffness=2e7, resolution=32)
        scheme = dt.integrators.LieVerlet()
        result = dt.simulate(scene, 0.004, 1e-4, contact=law, every=40, integrator=scheme)
        speeds[detection] = result.velocity("block")[-1, 2]
    assert all(speed == pytest.approx(0.5, rel=0.02) for speed in speeds.values()), speeds
