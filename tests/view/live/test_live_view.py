"""The live page: on this machine only, and what its buttons do."""

import json
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

import dovetail as dt
from live_scenes import resting_box


@pytest.fixture
def served(tmp_path):
    sim = dt.Simulation(resting_box(), step=5e-3, contact="lcp", check=False)
    server = sim.view(record=tmp_path / "run.h5", open_browser=False, block=False)
    yield sim, server, tmp_path / "run.h5"
    server.close()


def ask(server, what, request=None, token=True, host=None):
    headers = {"X-Token": server.token if token else "wrong"}
    if host:
        headers["Host"] = host
    body = None if request is None else json.dumps(request).encode()
    called = urllib.request.Request(server.address + what, body, headers)
    with urllib.request.urlopen(called, timeout=20) as answer:
        return answer.read()


def test_only_this_machine_and_the_page_itself_are_obeyed(served):
    _, server, _ = served
    assert server.address.startswith("http://127.0.0.1:")
    assert server.token.encode() in ask(server, "")
    with pytest.raises(urllib.error.HTTPError, match="403"):
        ask(server, "", host="evil.example")
    with pytest.raises(urllib.error.HTTPError, match="403"):
        ask(server, "play", {}, token=False)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        ask(server, "../secret")
    assert ask(server, "picture.png").startswith(b"\x89PNG")


def test_buttons_step_play_pause_record_and_reset(served):
    sim, server, path = served
    shown = json.loads(ask(server, "step", {}))
    assert shown["time"] == pytest.approx(0.005)
    ask(server, "record", {})
    for _ in range(3):
        ask(server, "step", {})
    assert "wrote" in json.loads(ask(server, "stop", {}))["message"]
    assert len(dt.load(path).time) == 4
    ask(server, "play", {})
    deadline = time.monotonic() + 120
    while sim.time < 0.1 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not json.loads(ask(server, "pause", {}))["playing"]
    assert sim.time >= 0.1
    assert json.loads(ask(server, "reset", {}))["time"] == 0.0


def test_a_body_is_dragged_to_where_the_mouse_leads(served):
    sim, server, _ = served
    pictures = server.session.pictures
    seen = pictures._screen(
        (sim.body("box").position - pictures._camera.centre) @ pictures._camera.axes.T
    )
    found = pictures.at_pixel(seen[0], seen[1])
    assert sim.model.names[found[0]] == "box"
    assert np.linalg.norm(found[1] - sim.body("box").position) < 0.2
    shown = json.loads(ask(server, "grab", {"x": seen[0], "y": seen[1]}))
    assert shown["message"] == "holding box"
    ask(server, "drag", {"x": seen[0], "y": seen[1] - 100})
    before = sim.body("box").position
    for _ in range(60):
        ask(server, "step", {})
    assert sim.body("box").position[2] > before[2] + 0.05
    ask(server, "release", {})
    ask(server, "drag", {"x": "nonsense"})


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
