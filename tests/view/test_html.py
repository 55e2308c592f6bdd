"""The page that plays by itself: what is in it, and that a browser plays it without a network."""

from pathlib import Path

import numpy as np
import pytest
from browser import browser_page, needs_browser

import dovetail as dt
from dovetail.linalg.lie import so3
from dovetail.view.html import write_html
from dovetail.view.page.packing import pack, unpack
from dovetail.view.page.recording import QUATERNION_UNIT, Recording

FOLDER = Path(__file__).parents[2] / "src" / "dovetail" / "view" / "page"


def test_packed_arrays_come_back_bit_for_bit() -> None:
    arrays = {
        "a": np.array([1.5, np.nan, -0.0]),
        "b": np.arange(5, dtype="<i2"),
        "none": np.zeros(0, "<u4"),
    }
    for compress in (False, True):
        header, found = unpack(pack({"title": "ü"}, arrays, compress))
        assert header["title"] == "ü"
        assert list(found) == list(arrays)
        for name, array in arrays.items():
            assert found[name].tobytes() == array.tobytes()


def test_the_recording_holds_every_pose_of_every_moving_body(flight: dt.Result) -> None:
    header, arrays = unpack(Recording(flight).packed([]))
    moving = arrays["moving"]
    names = [header["bodies"][i]["name"] for i in moving]
    assert names == ["box", "left", "right", "wire"]  # the plate rests
    positions = arrays["position"].reshape(len(flight.time), len(moving), 3)
    xyzw = arrays["quaternion"].reshape(len(flight.time), len(moving), 4) / QUATERNION_UNIT
    np.testing.assert_allclose(positions[:, 0], flight.position("box"), rtol=1e-6, atol=1e-7)
    turned = so3.from_quaternion(
        xyzw[:, 0][:, [3, 0, 1, 2]] / np.linalg.norm(xyzw[:, 0], axis=1)[:, None]
    )
    assert np.abs(turned - flight.rotation("box")).max() < 4 / QUATERNION_UNIT


def test_equal_bodies_share_one_surface_and_wires_stay_wires(flight: dt.Result) -> None:
    header, _ = unpack(Recording(flight).packed([]))
    shape_of = {body["name"]: body["shape"] for body in header["bodies"]}
    assert shape_of["left"] == shape_of["right"] != shape_of["box"]
    assert header["shapes"][shape_of["wire"]] == {"faces": 0, "wires": 2, "points": 0}


def test_taking_every_fifth_frame_leaves_the_rest_out(flight: dt.Result) -> None:
    _, arrays = unpack(Recording(flight, every=5).packed([]))
    np.testing.assert_array_equal(arrays["time"], flight.time[::5])


def test_the_same_result_gives_the_same_page(flight: dt.Result, tmp_path: Path) -> None:
    pages = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write_html(flight, tmp_path / folder / "flight.html")
        pages.append((tmp_path / folder / "flight.html").read_bytes())
    assert pages[0] == pages[1]


def test_a_title_cannot_become_part_of_the_page(flight: dt.Result, tmp_path: Path) -> None:
    write_html(flight, tmp_path / "<script>alert(1)<.html")
    assert "<script>alert" not in (tmp_path / "<script>alert(1)<.html").read_text()


def test_the_player_carries_the_licence_of_what_is_bundled() -> None:
    assert "three.js" in (FOLDER / "player.min.js").read_text()[:100]
    licence = (FOLDER / "THREE-LICENSE.txt").read_text()
    assert "MIT" in licence and "three.js authors" in licence


@needs_browser
@pytest.mark.slow
@pytest.mark.xdist_group("browser")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_page_plays_from_disk_without_a_network(flight: dt.Result, tmp_path: Path) -> None:
    file = tmp_path / "flight.html"
    write_html(flight, file, details=True)
    with browser_page(network=False) as watched:
        page = watched.page
        watched.open(file.as_uri())
        first = page.evaluate("dovetail.stages[0].frame")
        watched.until(f"dovetail.stages[0].frame !== {first}")  # it plays
        page.click("#play")
        watched.until("!dovetail.clock.playing")
        page.fill("#frame", "30")  # the timeline
        watched.until("dovetail.stages[0].frame === 30")
        shown = f"t = {flight.time[30]:.4f} of {flight.time[-1]:.4f} s"
        assert page.inner_text("#clock").startswith(shown)
        shown = page.evaluate("Array.from(dovetail.stages[0].poses.x.subarray(3, 6))")
        np.testing.assert_allclose(shown, flight.position("box")[30], rtol=1e-6)
        for kind in ("collision", "obb", "octree", "sdf"):
            page.check(f"#overlay-{kind}")
        page.click("#tree .name >> text=box")
        watched.until("dovetail.stages[0].attached.has('sdf')")
        watched.until("dovetail.stages[0].attached.has('octree')")
        watched.settle()
        assert watched.problems == []
        assert page.is_hidden("#failure")
        own = ("file:", "data:", "blob:")
        assert [address for address in watched.requested if not address.startswith(own)] == []
