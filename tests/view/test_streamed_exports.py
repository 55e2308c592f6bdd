"""Exports of long results: memory does not grow with the file, and cells are no formulas."""

import csv
import subprocess
import sys

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3
from dovetail.results import blocks
from dovetail.results.csv_cells import plain_cell
from dovetail.studies.table import write_csv as write_study


def flying(names=("a", "b", "c"), frames=41, **given):
    scene, rng = dt.Scene(), np.random.default_rng(0)
    for name in names:
        x, v, spin = rng.normal(size=(3, 3))
        scene.add_body(name, dt.Box((0.1, 0.1, 0.1)), density=1e3, position=20 * x, velocity=v,
                       angular_velocity=spin)  # fmt: skip
    return dt.simulate(scene, (frames - 1) * 0.01, 0.01, progress=False, **given)


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("format", ["csv", "glb", "usda", "html"])
def test_blocks_of_any_size_give_the_same_bytes(tmp_path, monkeypatch, format, every):
    result = flying()
    result.export(tmp_path / f"a.{format}", every=every)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1)
    monkeypatch.setattr(blocks, "GROUP_BYTES", 1)
    (tmp_path / "b").mkdir()
    result.export(tmp_path / "b" / f"a.{format}", every=every)
    whole = (tmp_path / f"a.{format}").read_bytes()
    assert (tmp_path / "b" / f"a.{format}").read_bytes() == whole


def test_a_table_has_every_frame_and_body(tmp_path):
    result = flying()
    result.export(tmp_path / "a.csv", every=2)
    with (tmp_path / "a.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    table = np.array(rows, float)
    assert table.shape == (21, 5 + 3 * 13)
    at = header.index("b x [m]")
    np.testing.assert_array_equal(table[:, at : at + 3], result.position("b")[::2])
    np.testing.assert_array_equal(
        table[:, at + 3 : at + 7], so3.to_quaternion(result.rotation("b")[::2])
    )


@pytest.mark.parametrize("name", ["=1+1", "+A1", "-2", "@SUM(A1)", " =1"])
def test_no_cell_of_a_table_is_a_formula(tmp_path, name):
    flying((name,), 3).export(tmp_path / "a.csv")
    write_study({name: [1, -2.5], "text": [name, "plain"]}, tmp_path / "b.csv")
    for path in (tmp_path / "a.csv", tmp_path / "b.csv"):
        with path.open(newline="") as file:
            header, *rows = csv.reader(file)
        cells = [cell for cell in header + [row[-1] for row in rows] if not _is_number(cell)]
        assert cells and not any(cell.lstrip(" ")[0] in "=+-@" for cell in cells)
    assert rows[1][0] == "-2.5"  # numbers stay numbers
    assert plain_cell("b1 x [m]") == "b1 x [m]"


def _is_number(cell):
    try:
        return np.isfinite(float(cell))
    except ValueError:
        return False


MEASURE = """
import resource, sys
import dovetail as dt
result = dt.load(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
result.export(sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_an_export_needs_far_less_memory_than_the_result(tmp_path):
    """80 MB of poses and velocities; `benchmarks/export_memory.py` measures all formats."""
    flying([f"b{k}" for k in range(500)], 1101, out=tmp_path / "a.h5")
    command = [sys.executable, "-c", MEASURE, str(tmp_path / "a.h5"), str(tmp_path / "a.glb")]
    grown = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert (tmp_path / "a.h5").stat().st_size > 75e6
    assert grown < 75_000  # kB: poses of a group of bodies and a few blocks
