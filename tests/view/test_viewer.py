"""The viewer in a real browser: it plays, obeys, compares, and listens on loopback only."""

import http.client
import socket
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import browser_page, needs_browser

import dovetail as dt
from dovetail.view.page.packing import unpack
from dovetail.view.page.server import PageServer
from dovetail.view.viewer import serve

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture
def server(flight: dt.Result) -> Iterator[PageServer]:
    one = serve([flight], port=0)
    yield one
    one.close()


@pytest.fixture(scope="session")
def landing() -> dt.Result:
    """A ball that comes to rest on the ground."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1), extent=3), motion="static")
    scene.add_body("ball", dt.Sphere(0.3), density=500, position=(0, 0, 0.32))
    method = dt.contact.SDF(friction=0.3, restitution=0.2, stiffness=3e6)
    return dt.simulate(scene, duration=0.4, step=1e-3, every=10, contact=method)


@needs_browser
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_result_plays_obeys_the_slider_and_names_the_body_that_was_clicked(
    server: PageServer, flight: dt.Result, tmp_path: Path
) -> None:
    with browser_page() as watched:
        page = watched.page
        watched.open(server.address)
        first = page.evaluate("dovetail.stages[0].frame")
        watched.until(f"dovetail.stages[0].frame !== {first}")  # it plays
        page.click("#play")
        pictures = []
        for frame in (0, len(flight.time) - 1):
            page.fill("#frame", str(frame))
            watched.until(f"dovetail.stages[0].frame === {frame}")
            assert page.inner_text("#clock").startswith(f"t = {flight.time[frame]:.4f} of ")
            watched.settle()
            pictures.append(_picture(page, tmp_path / f"{frame}.png"))
        for name in ("left", "box"):
            page.mouse.click(*_place(page, list(flight.names).index(name)))
            watched.settle()
            assert page.inner_text("#body-facts").startswith(f"{name}: dynamic")
        page.mouse.click(5, 200)  # where the picture is empty
        assert page.evaluate("dovetail.chosen") == -1
        assert watched.problems == []
        hosts = {url.split("/")[2] for url in watched.requested if "data:" not in url}
        assert hosts == {f"127.0.0.1:{server.port}"}
    for picture in pictures:
        assert np.unique(picture.reshape(-1, picture.shape[-1]), axis=0).shape[0] > 20
    assert np.mean(np.any(pictures[0] != pictures[1], axis=2)) > 0.002, "nothing moved"


@needs_browser
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_followed_body_stays_where_it_is_in_the_picture(server: PageServer) -> None:
    with browser_page() as watched:
        page = watched.page
        watched.open(server.address)
        page.click("#play")
        page.fill("#frame", "0")
        page.click("#tree .name >> text=box")
        page.check("#follow")
        watched.settle()
        before, free = _place(page, 1), _place(page, 2)
        page.fill("#frame", "40")
        watched.until("dovetail.stages[0].frame === 40")
        watched.settle()
        np.testing.assert_allclose(_place(page, 1), before, atol=1.0)  # [pixels]
        assert np.linalg.norm(np.subtract(_place(page, 2), free)) > 5
        assert watched.problems == []


@needs_browser
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_everything_contact_sees_can_be_drawn_over_the_bodies(
    landing: dt.Result, tmp_path: Path
) -> None:
    server = serve([landing], ["landing"], port=0)
    with browser_page() as watched:
        page = watched.page
        watched.open(server.address)
        page.click("#play")
        page.fill("#frame", "40")
        watched.until("dovetail.stages[0].frame === 40")
        watched.settle()
        plain = _picture(page, tmp_path / "plain.png")
        for kind in ("contacts", "collision", "obb", "octree", "sdf"):
            page.check(f"#overlay-{kind}")
            if kind in ("obb", "octree", "sdf"):
                watched.until(f"dovetail.stages[0].attached.has('{kind}')")
            watched.settle()
            drawn = _picture(page, tmp_path / f"{kind}.png")
            assert np.mean(np.any(drawn != plain, axis=2)) > 2e-4, f"{kind} draws nothing"
            page.uncheck(f"#overlay-{kind}")
            watched.settle()
            np.testing.assert_array_equal(_picture(page, tmp_path / "plain.png"), plain)
        arrow = page.evaluate("""() => {
            dovetail.stages[0].arrows.object.visible = true;
            dovetail.stages[0].arrows.show(40);
            return Array.from(dovetail.stages[0].arrows.object.instanceMatrix.array.slice(8, 15));
        }""")
        assert watched.problems == []
    server.close()
    contact = landing.contacts.at(40)
    along = np.array(arrow[:3]) / np.linalg.norm(arrow[:3])
    np.testing.assert_allclose(
        along, contact.forces[0] / np.linalg.norm(contact.forces[0]), atol=1e-5
    )
    np.testing.assert_allclose(arrow[4:7], contact.points[0], atol=1e-6)


@needs_browser
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_two_results_play_side_by_side_on_one_clock(flight: dt.Result, landing: dt.Result) -> None:
    server = serve([flight, landing], ["free", "with contact"], port=0)
    with browser_page() as watched:
        page = watched.page
        watched.open(server.address)
        page.click("#play")
        assert [one.inner_text() for one in page.query_selector_all(".title")] == [
            "free",
            "with contact",
        ]
        page.evaluate("dovetail.clock.seek(0.2)")
        watched.until("dovetail.stages[0].frame === 20")  # frames of 10 ms
        assert page.evaluate("dovetail.stages[1].frame") == 20
        page.evaluate("dovetail.clock.seek(9)")  # beyond both: each shows its last frame
        watched.until("dovetail.stages[0].frame === 50")
        assert page.evaluate("dovetail.stages[1].frame") == 40
        watched.settle()
        assert watched.problems == []
    server.close()


@needs_browser
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_joints_are_drawn_and_a_click_on_a_curve_goes_to_its_time(tmp_path: Path) -> None:
    four_bar = dt.examples.get("four-bar")
    result = dt.simulate(four_bar.build(), duration=1.0, step=0.01)
    server = serve([result], ["four-bar"], port=0)
    with browser_page() as watched:
        page = watched.page
        watched.open(server.address)
        page.click("#play")
        page.fill("#frame", "10")
        watched.until("dovetail.stages[0].frame === 10")
        watched.settle()
        plain = _picture(page, tmp_path / "plain.png")
        page.check("#overlay-joints")
        watched.until("dovetail.stages[0].attached.has('joints')")
        watched.settle()
        drawn = _picture(page, tmp_path / "joints.png")
        marks = np.all(np.abs(drawn[..., :3] - np.array([0x0B, 0x7A, 0x3B]) / 255) < 0.02, axis=2)
        assert marks.sum() >= 4 * 40  # four points of 8 x 8 pixels, and their axes
        assert not np.any(np.all(plain == drawn, axis=2) & marks)
        page.uncheck("#overlay-joints")
        page.locator("#curves canvas").first.scroll_into_view_if_needed()
        plot = page.query_selector("#curves canvas").bounding_box()
        left, right = plot["x"] + 52, plot["x"] + plot["width"] - 8  # the margins of a curve
        page.mouse.click(left + 0.75 * (right - left), plot["y"] + plot["height"] / 2)
        watched.until("Math.abs(dovetail.stages[0].frame - 75) <= 1")
        watched.settle()
        assert page.inner_text("#clock").startswith("t = 0.7")
        assert watched.problems == []
    server.close()


@needs_browser
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_six_hundred_bodies_are_drawn_at_once_and_sharp_at_rest() -> None:
    scene = dt.Scene(gravity=(0, 0, -9.81))
    for i in range(600):
        position = (i % 25, 0, i // 25)
        scene.add_body(f"box {i}", dt.Box((0.8, 0.4, 0.8)), density=1000, position=position)
    server = serve([dt.simulate(scene, duration=0.5, step=0.01)], port=0)
    with browser_page() as watched:
        page = watched.page
        watched.open(server.address)
        drawn = page.evaluate("dovetail.theatre.renderer.info.render")
        # one call for all bodies, one for the grid; no edges while it plays
        assert (drawn["calls"], drawn["triangles"]) == (2, 600 * 12)
        watched.until("dovetail.drawn > 10")
        page.click("#play")
        watched.settle()
        sizes = "(([c]) => [c.width, c.clientWidth])([dovetail.theatre.renderer.domElement])"
        drawn, shown = page.evaluate(sizes)
        assert drawn == shown
        page.mouse.click(*_place(page, 317))
        watched.settle()
        assert page.inner_text("#body-facts").startswith("box 317: dynamic")
        assert watched.problems == []
    server.close()


@needs_browser
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_one_scene_under_three_contact_methods_is_compared_side_by_side() -> None:
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1), extent=3), motion="static")
    scene.add_body("ball", dt.Sphere(0.3, segments=12), density=500, position=(0, 0, 0.32))
    methods = {
        "IPC": (dt.contact.IPC(), 10),
        "SDF": (dt.contact.SDF(restitution=0.2, stiffness=3e6), 1),
        "LCP": (dt.contact.LCP(), 10),
    }
    results = [
        dt.simulate(scene, duration=0.3, step=1e-3 * n, every=10 // n, contact=method)
        for method, n in methods.values()
    ]
    server = serve(results, list(methods), port=0)
    with browser_page(1200, 500) as watched:
        page = watched.page
        watched.open(server.address)
        page.click("#play")
        assert [one.inner_text() for one in page.query_selector_all(".title")] == list(methods)
        page.evaluate("dovetail.clock.seek(0.3)")
        watched.until("dovetail.stages.every((stage) => stage.frame === 30)")
        shown = page.evaluate("dovetail.stages.map((stage) => stage.position(1).z)")
        ends = [result.position("ball")[-1, 2] for result in results]
        np.testing.assert_allclose(shown, ends, atol=1e-6)
        assert watched.problems == []
    server.close()


def test_the_server_gives_the_page_the_recording_and_nothing_else(
    server: PageServer, flight: dt.Result
) -> None:
    page = _get(server, "/")
    assert page.status == 200 and b"<!doctype html>" in page.read()[:20]
    header, arrays = unpack(_get(server, "/recording/0").read())
    assert [body["name"] for body in header["bodies"]] == list(flight.names)
    np.testing.assert_array_equal(arrays["time"], flight.time)
    wrong = ("/recording/1", "/recording/-1", "/overlay/0/obb/99", "/overlay/0/x/0", "/../a", "/a")
    for path in wrong:
        assert _get(server, path).status == 404


def test_a_page_elsewhere_cannot_read_a_result_under_its_own_name(server: PageServer) -> None:
    assert _get(server, "/recording/0", host="evil.example").status == 403


def test_the_viewer_listens_on_loopback_only(server: PageServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5):
        pass
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("this system does not list its sockets under /proc")
    rows = [line.split() for line in table.read_text().splitlines()[1:]]
    port = f"{server.port:04X}"
    listening = {row[1].split(":")[0] for row in rows if row[3] == "0A" and row[1].endswith(port)}
    assert listening == {"0100007F"}  # 127.0.0.1, and not 00000000 (every address)


def test_a_port_in_use_is_reported_with_what_to_do(server: PageServer, flight: dt.Result) -> None:
    with pytest.raises(dt.InputError, match="another port"):
        serve([flight], port=server.port)


def test_a_result_without_frames_is_refused() -> None:
    class Empty:
        time = np.zeros(0)

        class stored:  # noqa: N801
            name = "empty"

    with pytest.raises(dt.InputError, match="no frame"):
        serve([Empty()], port=0)  # type: ignore[list-item]


def _get(server: PageServer, path: str, host: str | None = None) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", path, headers={"Host": host} if host else {})
    return connection.getresponse()


def _place(page, body: int) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    """Where the centre of a body is on the screen [pixels]."""
    x, y = page.evaluate(
        """(body) => {
            const at = dovetail.stages[0].position(body).project(dovetail.theatre.camera);
            const box = dovetail.theatre.renderer.domElement.getBoundingClientRect();
            return [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height];
        }""",
        body,
    )
    return float(x), float(y)


def _picture(page, path: Path) -> np.ndarray:  # type: ignore[no-untyped-def]
    from matplotlib.image import imread

    page.screenshot(path=path, clip={"x": 0, "y": 50, "width": 490, "height": 350})
    return np.asarray(imread(path))
