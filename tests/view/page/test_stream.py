"""A running simulation and the page that shows it: frames one way, commands the other."""

import http.client
import json
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from dovetail.view.page.recording import Recording
from dovetail.view.page.server import PageServer
from dovetail.view.page.stream import FrameStream

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser import browser_page, needs_browser


@pytest.fixture
def live() -> Iterator[tuple[PageServer, FrameStream]]:
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.1))
    scene.add_body("box", dt.Box((0.2, 0.2, 0.2)), position=(1, 0, 0))
    result = dt.simulate(scene, 0.01, 0.01, progress=False)
    stream = FrameStream(2)
    server = PageServer([Recording(result, "live", stream=stream)], port=0)
    yield server, stream
    stream.close()
    server.close()


def push(stream: FrameStream, t: float) -> None:
    positions = np.array([(0, 0, t), (1, 0, 0)])
    pairs = ([(1, 0)], [(0.5, 0, 0)], [(3.0, 0, 0)])
    stream.push(t, positions, np.broadcast_to(np.eye(3), (2, 3, 3)), pairs)


def ask(server: PageServer, method: str, path: str, **more) -> http.client.HTTPResponse:
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    line.request(method, path, **more)
    return line.getresponse()


def test_frames_arrive_as_they_are_made_and_end_with_the_run(live):
    server, stream = live
    later = threading.Timer(0.2, push, (stream, 0.5))
    later.start()
    found = ask(server, "GET", "/frames/0/1").read()  # waits for it
    assert struct.unpack_from("<d", found) == (0.5,)
    np.testing.assert_allclose(np.frombuffer(found, "<f4", 6, 8), (0, 0, 0.5, 1, 0, 0))
    (pairs,) = struct.unpack_from("<I", found, 8 + 4 * 14)
    assert pairs == 1 and len(found) == 8 + 4 * 14 + 4 + 32
    push(stream, 0.6)
    assert len(ask(server, "GET", "/frames/0/2").read()) == len(found)
    stream.close()
    assert ask(server, "GET", "/frames/0/3").status == 410
    assert ask(server, "GET", "/frames/1/0").status == 404


def test_commands_come_in_order_and_only_from_this_machine(live):
    server, stream = live
    own = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{server.port}"}
    for kind in ("pause", "step"):
        body = json.dumps({"kind": kind, "recording": 0, "steps": 3})
        assert ask(server, "POST", "/command", body=body, headers=own).status == 200
    assert [one["kind"] for one in stream.commands()] == ["pause", "step"]
    assert stream.commands() == []
    for body, headers, status in (
        ('{"kind": "pause"}', {"Origin": "http://elsewhere.example"}, 403),
        ('{"kind": "format"}', own, 400),
        ("[", own, 400),
        ('{"kind": "pause", "recording": 7}', own, 404),
    ):
        assert ask(server, "POST", "/command", body=body, headers=headers).status == status
    assert stream.commands() == []


@needs_browser
@pytest.mark.slow
@pytest.mark.xdist_group("browser")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_page_shows_the_newest_frame_and_sends_pause_step_and_drag(live):
    server, stream = live
    with browser_page() as watched:
        page = watched.page
        watched.open(server.address)
        page.evaluate("dovetail.clock.playing = true")
        for k in range(1, 6):
            push(stream, 0.1 * k)
        watched.until("dovetail.stages[0].times.length === 6")
        watched.until("Math.abs(dovetail.stages[0].position(0).z - 0.5) < 1e-6")
        page.check("#overlay-forces")
        watched.settle()
        assert page.evaluate("dovetail.stages[0].netForces.shown[0].force") == pytest.approx(3)
        page.keyboard.press("Escape")
        page.click("#play")
        page.click("#on")
        page.evaluate("dovetail.stages[0].motion.send('drag', { body: 1, target: [1, 2, 3] })")
        watched.until("true")
        kinds = []
        while len(kinds) < 3:
            stream.wait(5)
            kinds += [one["kind"] for one in stream.commands()]
        assert kinds == ["pause", "step", "drag"]
        assert watched.problems == []
