"""Directions that stop short of impacts: many impacts in one step cost few iterations."""

import numpy as np
import pytest
from ipc_runs import run

import dovetail as dt

H, SPEED = 0.01, 5.0


def row_of_cubes(gaps):
    """Cubes that fall on one plate, all within a step, at different times."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    plate = dt.Box((1.5 * len(gaps) + 2, 4, 1))
    scene.add_body("plate", plate, motion="static", position=(0, 0, -0.5))
    for k, gap in enumerate(gaps):
        place = (1.5 * (k - 0.5 * len(gaps)), 0, 0.5 + gap)
        scene.add_body(
            f"cube {k}", dt.Box((1, 1, 1)), density=1000, position=place, velocity=(0, 0, -SPEED)
        )
    return scene


def test_impacts_in_one_step_do_not_cost_an_iteration_each():
    gaps = np.linspace(0.003, 0.045, 24)
    ran = run(row_of_cubes(gaps), 2, H)
    assert ran.reports[0].iterations <= 12  # 31 where the first impact ends each search step
    assert not ran.intersections()


def test_bodies_end_where_they_would_alone():
    gaps = [0.005, 0.02, 0.04]
    together = run(row_of_cubes(gaps), 1, H, velocity_tolerance=1e-9).states[-1].x[1:, 2]
    alone = [
        run(row_of_cubes([gap]), 1, H, velocity_tolerance=1e-9).states[-1].x[1, 2] for gap in gaps
    ]
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-9 * H)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_same_iterations_in_other_units(scale):
    """Lengths times `scale` with gravity and speeds likewise: the same motion."""
    counts = []
    for unit in (1.0, scale):
        scene = dt.Scene(gravity=(0, 0, -9.81 * unit))
        plate = dt.Box((10 * unit, 4 * unit, unit))
        scene.add_body("plate", plate, motion="static", position=(0, 0, -0.5 * unit))
        for k in range(4):
            scene.add_body(
                f"cube {k}", dt.Box((unit, unit, unit)), mass=1.0,
                position=(1.5 * (k - 2) * unit, 0, (0.505 + 0.01 * k) * unit),
                velocity=(0, 0, -SPEED * unit),
            )  # fmt: skip
        counts.append([report.iterations for report in run(scene, 3, H).reports])
    assert counts[0] == counts[1]
