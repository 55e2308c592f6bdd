"""`dovetail bench`: every figure is measured and the table says against what."""

from collections.abc import Callable

import numpy as np
import pytest

from dovetail.collision.sdf import exact_distance
from dovetail.model.shapes import Torus
from dovetail.validation import bench
from dovetail.validation.bench.peers import coal_distances, libigl_distances
from dovetail.validation.bench.timing import best_time


def test_the_table_has_every_row_of_a_figure_with_its_ratio(dovetail: Callable) -> None:
    said = dovetail("bench", "field_queries")
    assert said.code == 0
    lines = [line for line in said.out.splitlines() if "value and gradient" in line]
    assert len(lines) == 2
    for line in lines:
        _, _, ours, peer, theirs, ratio, _ = (cell.strip() for cell in line.split("|"))
        assert float(ours.removesuffix(" ns")) > 0
        if peer:
            expected = float(theirs.removesuffix(" ns")) / float(ours.removesuffix(" ns"))
            assert float(ratio) == pytest.approx(expected, rel=0.02)


def test_an_unknown_figure_is_refused_with_the_known_ones(dovetail: Callable) -> None:
    said = dovetail("bench", "warp-drive")
    assert said.code == 2
    assert all(name in said.err for name in bench.NAMES)


def test_peers_measure_the_distances_that_we_measure() -> None:
    surface = Torus(0.5, 0.2).surface()
    points = np.random.default_rng(1).normal(size=(50, 3))
    ours = np.abs(exact_distance(surface).value(points))
    igl = libigl_distances(surface, points)
    if igl is None:
        pytest.skip("libigl is not installed")
    squared = igl()[0]  # type: ignore[index]
    np.testing.assert_allclose(np.sqrt(squared), ours, atol=1e-12)
    coal = coal_distances(surface, points)
    if coal is not None:
        coal()


def test_a_time_is_that_of_one_call() -> None:
    small, large = np.ones(10_000), np.ones(1_000_000)
    assert best_time(large.sum) > 10 * best_time(small.sum) > 0
