"""The player of a simulation that goes on: on this machine only, and what its buttons do."""

import http.client
import json
import struct
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from live_scenes import resting_box

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser import browser_page, needs_browser


@pytest.fixture
def served(tmp_path):
    sim = dt.Simulation(resting_box(), step=5e-3, contact="lcp", check=False)
    server = sim.view(record=tmp_path / "run.h5", open_browser=False, block=False)
    yield sim, server, tmp_path / "run.h5"
    server.close()


def ask(server, method, path, body=None, **headers):
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    line.request(method, path, body=body, headers=headers)
    return line.getresponse()


class Page:
    """What the player in a browser does: sends commands, takes frames and reports."""

    def __init__(self, server):
        self.server, self.report = server, {"next": 1, "number": 0}

    def do(self, kind, **more):
        """Send a command and wait for the report that follows it."""
        before = self.report["number"]
        command = json.dumps({"kind": kind, "recording": 0, **more})
        assert ask(self.server, "POST", "/command", command).status == 200
        until(lambda: self.report["number"] > before or self.news() is None)
        return self.report

    def news(self):
        """Wait for something new; the frames."""
        path = f"/frames/0/{self.report['next']}/{self.report['number']}"
        answer = ask(self.server, "GET", path)
        frames = answer.read()
        self.report = json.loads(answer.headers["X-Report"])
        return frames or None


def until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "never came true"
        time.sleep(0.01)


def test_only_this_machine_and_the_page_itself_are_obeyed(served):
    _, server, _ = served
    assert server.address.startswith("http://127.0.0.1:")
    assert b"dovetail" in ask(server, "GET", "/").read()
    assert ask(server, "GET", "/", Host="evil.example").status == 403
    elsewhere = {"Origin": "http://evil.example"}
    assert ask(server, "POST", "/command", '{"kind": "resume"}', **elsewhere).status == 403
    assert ask(server, "GET", "/../secret").status == 404


def test_buttons_step_play_pause_record_and_reset(served):
    sim, server, path = served
    page = Page(server)
    page.do("step", steps=1)
    until(lambda: sim.time == pytest.approx(0.005))
    assert page.do("record", on=True)["recording"]
    page.do("step", steps=3)
    assert "wrote" in page.do("record", on=False)["note"]
    assert len(dt.load(path).time) == 4
    assert page.do("resume")["playing"]
    until(lambda: sim.time >= 0.1)
    assert not page.do("pause")["playing"]
    page.do("reset")
    assert sim.time == 0.0


def test_frames_of_the_page_are_the_states_of_the_simulation(served):
    sim, server, _ = served
    page = Page(server)
    page.do("step", steps=40)
    frames = page.news() if page.report["next"] == 1 else ask(server, "GET", "/frames/0/1").read()
    (when,) = struct.unpack_from("<d", frames)
    n = sim.model.n_bodies
    assert when == pytest.approx(sim.time)
    positions = np.frombuffer(frames, "<f4", 3 * n, 8).reshape(n, 3)
    np.testing.assert_allclose(positions, sim.state.x, atol=1e-6)
    at = 8 + 4 * 7 * n
    (pairs,) = struct.unpack_from("<I", frames, at)
    assert pairs == 1
    force = np.frombuffer(frames, "<f4", 3, at + 4 + 8 + 12)
    weight = 9.81 * sim.model.mass[sim.model.names.index("box")]
    assert force[2] == pytest.approx(weight, rel=1e-3)  # upwards: on the box, not on the floor


def test_a_body_is_dragged_to_where_the_pointer_leads(served):
    sim, server, _ = served
    page = Page(server)
    box = sim.model.names.index("box")
    before = sim.body("box").position
    target = (before + np.array([0, 0, 0.3])).tolist()
    report = page.do("drag", body=box, point=[0, 0, 0], target=target)
    assert report["note"] == "holding box"
    page.do("step", steps=100)
    np.testing.assert_allclose(sim.body("box").position, target, atol=0.02)
    page.do("release", body=box)
    page.do("step", steps=100)
    assert sim.body("box").position[2] < before[2] + 0.05


@pytest.mark.parametrize(
    ("command", "note"),
    [
        ({"body": 99, "point": [0, 0, 0], "target": [0, 0, 0]}, "number of a body, got 99"),
        ({"body": 0, "point": [0, 0, 0], "target": [0, 0, 0]}, "is not dynamic"),
        ({"body": 1, "point": [0, 0], "target": [0, 0, 0]}, "`point` must be"),
        ({"body": 1, "point": [0, 0, 0], "target": "nonsense"}, "`target` must be"),
    ],
)
def test_a_drag_that_makes_no_sense_is_refused_with_a_sentence(served, command, note):
    _, server, _ = served
    assert note in Page(server).do("drag", **command)["note"]


def test_an_error_of_the_controller_pauses_the_run_and_is_shown():
    sim = dt.Simulation(resting_box(), step=5e-3, check=False)
    server = sim.view(controller=lambda sim: 1 / 0, open_browser=False, block=False)
    try:
        page = Page(server)
        page.do("resume")
        until(lambda: page.report["note"] or page.news() is None)
        assert "ZeroDivisionError" in page.report["note"] and not page.report["playing"]
        assert "a file to record to" in page.do("record", on=True)["note"]
    finally:
        server.close()


@needs_browser
@pytest.mark.slow
@pytest.mark.xdist_group("browser")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_player_steps_plays_drags_records_and_resets_a_simulation(served):
    sim, server, path = served
    box = sim.model.names.index("box")
    with browser_page() as watched:
        page = watched.page
        watched.open(server.address)
        page.click("#on")
        watched.until("Math.abs(dovetail.clock.time - 0.005) < 1e-9")  # the step is shown
        page.click("#keep")
        watched.until("dovetail.report.recording")
        page.click("#play")
        watched.until("dovetail.clock.time > 0.05")
        page.click("#play")
        watched.until("!dovetail.report.playing")
        page.click("#keep")
        watched.until("dovetail.report.note.startsWith('wrote')")
        watched.settle()
        assert "wrote" in page.inner_text("#live-report")
        place = page.query_selector("#picture > canvas").bounding_box()
        seen = page.evaluate(
            f"dovetail.stages[0].position({box}).project(dovetail.theatre.camera).toArray()"
        )
        x = place["x"] + (0.5 + 0.5 * seen[0]) * place["width"]
        y = place["y"] + (0.5 - 0.5 * seen[1]) * place["height"]
        page.keyboard.down("Control")
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y - 60, steps=4)
        watched.until("dovetail.report.note === 'holding box'")
        assert page.evaluate("dovetail.pull.body") == box  # drawn as a line
        height = sim.body("box").position[2]
        for _ in range(20):
            page.evaluate("dovetail.stages[0].motion.send('step', { steps: 5 })")
        until(lambda: sim.body("box").position[2] > height + 0.05)
        page.mouse.up()
        page.keyboard.up("Control")
        assert page.evaluate("dovetail.pull") is None
        page.click("#reset")
        watched.until("dovetail.clock.time === 0 && dovetail.stages[0].times.length === 1")
        assert watched.problems == []
    assert len(dt.load(path).time) > 3


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"port": -1}, "`port` must be a whole number from 0 to 65535, got -1"),
        ({"port": 65536}, "from 0 to 65535"),
        ({"port": "http"}, "from 0 to 65535, got 'http'"),
        ({"controller": 3}, "`controller` must be a function of the simulation, got 3"),
    ],
)
def test_what_cannot_be_served_is_refused_at_once(given, says):
    sim = dt.Simulation(resting_box(), step=5e-3, check=False)
    with pytest.raises(dt.InputError, match=says):
        sim.view(open_browser=False, block=False, **given)


def test_a_busy_port_is_named(served):
    sim, server, _ = served
    port = int(server.address.rstrip("/").rsplit(":", 1)[1])
    with pytest.raises(dt.InputError, match=f"port {port} must be free"):
        sim.view(port=port, open_browser=False, block=False)
