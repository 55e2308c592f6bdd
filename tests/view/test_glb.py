"""The exported animation, read back from its bytes."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import dovetail as dt
from dovetail.linalg.lie import so3
from dovetail.view.glb import write_glb
from known_runs import Winding, two_bodies
from rounding import rounding


class Glb:
    """A reader of its own, straight from the glTF 2.0 specification."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes()
        magic, version, length = struct.unpack_from("<4sII", raw)
        assert (magic, version, length) == (b"glTF", 2, len(raw))
        size, kind = struct.unpack_from("<I4s", raw, 12)
        assert kind == b"JSON"
        self.document = json.loads(raw[20 : 20 + size])
        size_of_data, kind = struct.unpack_from("<I4s", raw, 20 + size)
        assert kind == b"BIN\0"
        self.data = raw[28 + size : 28 + size + size_of_data]

    def array(self, number: int) -> np.ndarray:
        accessor = self.document["accessors"][number]
        view = self.document["bufferViews"][accessor["bufferView"]]
        kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        raw = self.data[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
        return np.frombuffer(raw, kind).reshape(accessor["count"], width)

    def track(self, node: str, path: str) -> tuple[np.ndarray, np.ndarray]:
        animation: dict[str, Any] = self.document["animations"][0]
        names = [n["name"] for n in self.document["nodes"]]
        for channel in animation["channels"]:
            target = channel["target"]
            if names[target["node"]] == node and target["path"] == path:
                sampler = animation["samplers"][channel["sampler"]]
                return self.array(sampler["input"])[:, 0], self.array(sampler["output"])
        raise KeyError((node, path))


@pytest.fixture(scope="module")
def glb(flight: dt.Result, tmp_path_factory: pytest.TempPathFactory) -> Glb:
    path = tmp_path_factory.mktemp("glb") / "flight.glb"
    write_glb(flight, path)
    return Glb(path)


def test_tracks_carry_the_positions_and_rotations_of_the_result(
    glb: Glb, flight: dt.Result
) -> None:
    times, positions = glb.track("box", "translation")
    _, xyzw = glb.track("box", "rotation")
    single = 1e-6  # float32 keeps seven digits
    np.testing.assert_allclose(times, flight.time, atol=single)
    np.testing.assert_allclose(positions, flight.position("box"), atol=single)
    turned = so3.from_quaternion(xyzw[:, [3, 0, 1, 2]].astype(float))
    np.testing.assert_allclose(turned, flight.rotation("box"), atol=4 * single)


def test_quaternions_never_jump_in_sign(glb: Glb) -> None:
    _, xyzw = glb.track("box", "rotation")
    assert np.all(np.sum(xyzw[1:] * xyzw[:-1], axis=1) > 0)


def test_equal_bodies_share_their_vertices(glb: Glb) -> None:
    by_name = {mesh["name"]: mesh["primitives"][0] for mesh in glb.document["meshes"]}
    assert by_name["left"]["attributes"] == by_name["right"]["attributes"]
    assert by_name["left"]["attributes"] != by_name["box"]["attributes"]


def test_a_wire_is_drawn_as_lines_and_a_fixed_body_has_no_track(glb: Glb) -> None:
    by_name = {mesh["name"]: mesh["primitives"][0] for mesh in glb.document["meshes"]}
    assert by_name["wire"]["mode"] == 1
    with pytest.raises(KeyError):
        glb.track("plate", "translation")


def test_the_world_is_turned_so_that_up_is_y(glb: Glb) -> None:
    x, y, z, w = glb.document["nodes"][0]["rotation"]
    up = so3.from_quaternion(np.array([w, x, y, z])) @ np.array([0, 0, 1.0])
    np.testing.assert_allclose(up, [0, 1, 0], atol=rounding(8))


def test_another_reader_finds_the_bodies_where_they_start(
    flight: dt.Result, tmp_path: Path
) -> None:
    write_glb(flight, tmp_path / "flight.glb")
    read = trimesh.load(tmp_path / "flight.glb")
    matrix, _ = read.graph["box"]
    centre = np.linalg.inv(read.graph["world"][0]) @ matrix @ np.array([0, 0, 0, 1.0])
    np.testing.assert_allclose(centre[:3], flight.position("box")[0], atol=1e-6)


def test_a_track_passes_the_waypoints_of_the_run(tmp_path: Path) -> None:
    result = dt.simulate(two_bodies(), 0.3, 0.01, None, Winding(), every=3)
    assert len(result.motion_path.time) > len(result.time)
    write_glb(result, tmp_path / "winding.glb")
    times, positions = Glb(tmp_path / "winding.glb").track("hammer", "translation")
    np.testing.assert_allclose(times, result.motion_path.time, rtol=1e-6)
    np.testing.assert_allclose(positions, result.motion_path.poses(1)[0], rtol=1e-6)
