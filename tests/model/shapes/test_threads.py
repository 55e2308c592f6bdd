"""Bolts and nuts: closed, of the volume of their form, and fitting each other."""

from math import pi

import numpy as np
import pytest

import dovetail as dt
from dovetail.collision.bvh.tree import build_bvh
from dovetail.collision.intersection.surfaces import (
    PlacedTree,
    intersecting_pairs,
    self_intersecting_pairs,
)
from dovetail.model.shapes.threads import Thread, bolt, nut

M20 = Thread(0.020, 0.0025)


def ridge_volume(thread: Thread, low: float, high: float, wider: float = 0.0) -> float:
    """[m^3] of a turn of a ridge of half width w(r) + `wider` between two radii."""
    r = np.linspace(low, high, 2001)
    width = np.array([2 * (thread.half_width(x) + wider) for x in r])
    return float(np.trapezoid(2 * pi * r * width, r))


def test_metric_threads_have_the_diameters_and_lead_of_the_standard():
    assert 2e3 * M20.pitch_radius == pytest.approx(18.376, abs=5e-4)
    assert 2e3 * M20.minor_radius == pytest.approx(17.294, abs=5e-4)
    assert M20.lead_tangent == pytest.approx(0.0433, abs=5e-5)
    assert M20.half_width(M20.major_radius) == pytest.approx(0.0025 / 16)
    square = Thread(0.020, 0.0025, 0.0)
    assert square.self_locking_friction == pytest.approx(0.0433, abs=5e-5)
    assert M20.self_locking_friction == pytest.approx(0.0433 * np.cos(pi / 6), rel=2e-3)


@pytest.mark.parametrize("turns", [1, 2.5, 4])
def test_a_bolt_has_the_volume_of_its_core_and_ridge(turns):
    thread, n = Thread(0.01, 0.0015), 96
    mesh = bolt(thread, turns, segments=n, rows=2, plain=0.001)
    z = mesh.surface().vertices[:, 2]
    assert mesh.diagnosis.closed and mesh.diagnosis.oriented and not mesh.diagnosis.turned_faces
    low, high = thread.minor_radius, thread.major_radius
    volume = pi * low**2 * np.ptp(z) + turns * ridge_volume(thread, low, high)
    chords = np.sin(2 * pi / n) / (2 * pi / n)  # areas of polygons over those of circles
    assert mesh.mass_properties().measure == pytest.approx(volume * chords, rel=2e-4)


def test_a_head_adds_a_hexagonal_prism():
    bare = bolt(M20, 2, segments=60).mass_properties().measure
    headed = bolt(M20, 2, segments=60, head=(0.030, 0.0125)).mass_properties().measure
    assert headed - bare == pytest.approx(np.sqrt(3) / 2 * 0.03**2 * 0.0125, rel=1e-12)


def test_a_nut_is_its_prism_less_the_bore_and_the_groove():
    mesh = nut(M20, 3, 0.030, clearance=1e-4, segments=96)
    assert mesh.diagnosis.closed and mesh.diagnosis.oriented and not mesh.diagnosis.flipped
    height = np.ptp(mesh.surface().vertices[:, 2])
    low, high = M20.minor_radius + 1e-4, M20.major_radius + 1e-4
    thread = 3 * (ridge_volume(M20, low, high, 1e-4 / np.cos(pi / 6)))
    own = 3 * M20.pitch * pi * (high**2 - low**2) - thread
    volume = np.sqrt(3) / 2 * 0.03**2 * height - pi * high**2 * height + own
    assert mesh.mass_properties().measure == pytest.approx(volume, rel=2e-3)


@pytest.mark.parametrize(("turn", "bolt_segments", "nut_segments"), [(0.0, 48, 50), (2.0, 24, 36)])
def test_a_nut_on_a_bolt_touches_nothing_wherever_it_is_screwed_to(
    turn, bolt_segments, nut_segments
):
    inner = bolt(M20, 6, segments=bolt_segments, rows=2).surface()
    outer = nut(M20, 2, 0.030, clearance=1.5e-4, segments=nut_segments).surface()
    assert len(self_intersecting_pairs(inner)) == len(self_intersecting_pairs(outer)) == 0
    height = M20.pitch * (1.5 + turn / (2 * pi))
    R, still = dt.lie.so3.exp([0, 0, turn]), (np.zeros(3), np.eye(3))
    fixed = PlacedTree(build_bvh(inner.vertices, inner.faces), *still)
    tree = build_bvh(outer.vertices, outer.faces)

    def meetings(z: float) -> int:
        screwed = PlacedTree(tree, np.array([0, 0, z]), R)
        return len(intersecting_pairs(fixed, screwed))

    assert meetings(height) == 0
    assert meetings(height + M20.pitch / 2) > 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Thread(0.02, 0.01), "`pitch` must be at most a quarter"),
        (lambda: Thread(0.02, 0.002, 1.0), "`flank_angle` must be"),
        (lambda: bolt(M20, 0.5), "`turns` must be 1 or more"),
        (lambda: bolt(M20, 2, segments=5), "`segments` must be 12 or more"),
        (lambda: bolt(M20, 2, head=(0.01, 0.01)), "width across flats of the head"),
        (lambda: nut(M20, 2, 0.03, clearance=1e-3), "leaves no thread"),
    ],
)
def test_impossible_threads_are_refused_with_what_would_be_right(make, said):
    with pytest.raises(dt.InputError, match=said):
        make()
