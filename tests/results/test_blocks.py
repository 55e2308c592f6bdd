"""Columns read in blocks are the columns."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.results import blocks, sealing
from dovetail.results.checkpoint import Checkpoint, read_checkpoint, write_checkpoint


@pytest.fixture(scope="module")
def result():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    for k in range(5):
        scene.add_body(f"{k}", dt.Sphere(0.1), mass=1, position=(k, 0, 0), velocity=(0, k, 0))
    return dt.simulate(scene, 0.1, 0.01, progress=False)


@pytest.mark.parametrize("every", [1, 2, 3, 7])
@pytest.mark.parametrize("size", [1, 300, 1 << 21])
def test_blocks_put_together_are_every_so_manieth_frame(result, every, size, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
    found = list(blocks.frame_blocks(result.stored, ["time", "position"], every))
    rows = [part.indices(99)[:2] for part, _ in found]
    assert rows[0][0] == 0 and [a for a, _ in rows[1:]] == [b for _, b in rows[:-1]]
    for name in ("time", "position"):
        joined = np.concatenate([columns[name] for _, columns in found])
        np.testing.assert_array_equal(joined, result.stored.column(name)[::every])


@pytest.mark.parametrize("every", [1, 4])
def test_poses_of_some_bodies_are_those_of_the_result(result, every):
    x, R = blocks.poses_of_bodies(result.stored, [3, 1], every)
    for k, name in enumerate(("3", "1")):
        np.testing.assert_array_equal(x[:, k], result.position(name)[::every])
        np.testing.assert_array_equal(R[:, k], result.rotation(name)[::every])


@pytest.mark.parametrize("size", [1, 96 * 11 * 2, 1 << 25])
def test_groups_have_every_body_once_and_few_at_a_time(result, size, monkeypatch):
    monkeypatch.setattr(blocks, "GROUP_BYTES", size)
    groups = [list(group) for group in blocks.body_groups(result.stored, [4, 2, 0, 1, 3])]
    assert [body for group in groups for body in group] == [4, 2, 0, 1, 3]
    assert max(map(len, groups)) == {1: 1, 96 * 11 * 2: 2, 1 << 25: 5}[size]


def test_a_file_that_ends_early_is_not_read_as_if_it_were_whole(tmp_path):
    (tmp_path / "short").write_bytes(b"12345")
    with (tmp_path / "short").open("rb") as file:
        assert sealing._read_all(file.fileno(), 4, 1) == b"2345"
        with pytest.raises(OSError, match="ends 2 bytes early"):
            sealing._read_all(file.fileno(), 6, 1)


def test_a_checkpoint_is_on_the_disk_before_it_takes_the_place_of_the_last(tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr("dovetail.results.checkpoint.os.fsync", lambda _: done.append("sync"))
    replace = type(tmp_path).replace
    monkeypatch.setattr(
        type(tmp_path), "replace", lambda a, b: (done.append("replace"), replace(a, b))[1]
    )
    path = tmp_path / "run.h5"
    write_checkpoint(path, Checkpoint("{}", {"frames": 3}, {"t": np.array(2.0)}, {}, {}))
    assert done == ["sync", "replace"]
    read = read_checkpoint(path)
    assert read is not None and read.loop["t"] == 2.0
