"""Curves and tables say what the result says."""

import csv
from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from dovetail.view.plots import KINDS, plot
from dovetail.view.table import write_csv


@pytest.mark.parametrize("what", sorted(KINDS))
def test_every_kind_draws_a_picture_that_is_not_blank(
    what: str, flight: dt.Result, tmp_path: Path
) -> None:
    path = tmp_path / "picture.png"
    figure = plot(flight, what, path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert all(axes.lines or axes.images or axes.texts for axes in figure.axes)


def test_the_energy_curve_is_the_energy_of_the_result(flight: dt.Result) -> None:
    upper = plot(flight, "energy").axes[0]
    curves = {line.get_label(): line.get_ydata() for line in upper.lines}
    np.testing.assert_array_equal(curves["total"], flight.energy["total"])


def test_energies_are_drawn_from_zero_and_their_change_close_up() -> None:
    scene = dt.Scene()
    scene.add_body("crate", dt.Box((1, 2, 3)), mass=1, velocity=(10, 0, 0),
                   angular_velocity=(0.1, 1, 0.1))  # fmt: skip
    result = dt.simulate(scene, duration=1.0, step=0.01)
    upper, lower = plot(result, "energy").axes
    total = result.energy["total"]
    low, high = upper.get_ylim()
    assert low <= 0.0 and high >= total.max()  # [J]
    low, high = lower.get_ylim()
    assert high - low < 1e-3 * total.max()


def test_the_same_result_gives_the_same_svg(flight: dt.Result, tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        plot(flight, "energy", tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_an_unknown_curve_or_ending_is_refused_with_what_is_known(flight: dt.Result) -> None:
    with pytest.raises(dt.InputError, match="energy, momentum"):
        plot(flight, "temperature")
    with pytest.raises(dt.InputError, match=r"\.png, \.svg, \.pdf"):
        plot(flight, "energy", "energy.bmp")
    with pytest.raises(dt.InputError, match="'bolt'"):
        plot(flight, "energy", bodies=["bolt"])


def test_the_table_holds_every_number_to_the_last_bit(flight: dt.Result, tmp_path: Path) -> None:
    write_csv(flight, tmp_path / "flight.csv")
    with (tmp_path / "flight.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(flight.time)
    heights = np.array([float(row["box z [m]"]) for row in rows])
    np.testing.assert_array_equal(heights, flight.position("box")[:, 2])


def test_all_joints_of_an_arm_are_drawn() -> None:
    scene = dt.Scene()
    for k in range(10):
        scene.add_body(f"link{k}", dt.Box((0.1, 0.1, 0.1)), mass=1, position=(k, 0, 0))
        joint = dt.Revolute((k, 0, 0), (0, 0, 1))
        scene.add_joint(f"j{k}", joint, "ground" if k == 0 else f"link{k - 1}", f"link{k}")
    figure = plot(dt.simulate(scene, duration=0.02, step=0.01), "joints")
    assert [line.get_label() for line in figure.axes[0].lines] == [f"j{k}" for k in range(10)]


def test_the_forces_of_one_body_are_those_of_its_pairs() -> None:
    """Those on a body were left out unless the other body was named too: a curve of zeros."""
    scene = dt.Scene(gravity=(0, 0, -10))
    scene.add_body("floor", dt.Box((4, 4, 1)), motion="static", position=(0, 0, -0.5))
    for k, name in enumerate(("left", "right")):
        scene.add_body(name, dt.Box((0.2, 0.2, 0.2)), mass=2 + k, position=(k, 0, 0.1))
    result = dt.simulate(scene, 0.2, 5e-3, contact="lcp", progress=False, check=False)
    for named, pairs in (("left", {"left - floor"}), ("floor", {"left - floor", "right - floor"})):
        (axes,) = plot(result, "forces", bodies=[named]).axes
        found = {line.get_label(): line.get_ydata()[-1] for line in axes.get_lines()}
        assert found == {pair: pytest.approx(20 if "left" in pair else 30) for pair in pairs}
