"""The player in a real browser: it loads, plays, obeys the slider and listens on loopback only."""

import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from dovetail.view.viewer import Player

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
playwright = pytest.importorskip("playwright.sync_api")
FLAGS = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-quic",
]  # fmt: skip

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture
def player(flight: dt.Result) -> Iterator[Player]:
    one = Player(flight, port=0)
    yield one
    one.close()


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_result_plays_in_the_browser_and_obeys_the_slider(
    player: Player, flight: dt.Result, tmp_path: Path
) -> None:
    problems: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 800, "height": 500})
        page.set_default_timeout(120_000)  # software rendering on a busy machine is slow
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda line: problems.append(line.text) if line.type == "error" else None,
        )
        page.goto(player.address)
        page.wait_for_selector("canvas")
        page.get_by_text("energy").first.wait_for()

        started = time.monotonic()
        first = player.frame.value
        while player.frame.value == first and time.monotonic() - started < 120:
            time.sleep(0.1)
        assert player.frame.value != first, "the player does not advance"

        page.get_by_label("play").dispatch_event("click")
        _wait_until(lambda: not player.playing.value)
        pictures = []
        for frame in (0, len(flight.time) - 1):
            player.seek(frame)
            page.get_by_text(f"t = {flight.time[frame]:.4f} s").wait_for()
            time.sleep(2.0)  # software rendering draws a few frames a second
            path = tmp_path / f"{frame}.png"
            page.screenshot(path=path, clip={"x": 0, "y": 0, "width": 460, "height": 500})
            pictures.append(_pixels(path))
        browser.close()
    assert problems == []
    for picture in pictures:
        assert np.unique(picture.reshape(-1, picture.shape[-1]), axis=0).shape[0] > 20
    assert np.mean(np.any(pictures[0] != pictures[1], axis=2)) > 0.002, "nothing moved"


def test_the_player_moves_every_body_to_its_recorded_pose(
    player: Player, flight: dt.Result
) -> None:
    player.stage.show(30)
    for members, batch in player.stage._batches:
        for row, index in enumerate(members):
            name = player.stage.names[index]
            np.testing.assert_allclose(
                np.asarray(batch.batched_positions)[row], flight.position(name)[30], atol=1e-6
            )


def test_the_player_listens_on_loopback_only(player: Player) -> None:
    port = player.server.get_port()
    with socket.create_connection(("127.0.0.1", port), timeout=5):
        pass
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("this system does not list its sockets under /proc")
    rows = [line.split() for line in table.read_text().splitlines()[1:]]
    listening = {row[1].split(":")[0] for row in rows if row[3] == "0A" and _port(row) == port}
    assert listening == {"0100007F"}  # 127.0.0.1, and not 00000000 (every address)


def test_a_result_without_frames_is_refused(flight: dt.Result) -> None:
    class Empty:
        time = np.zeros(0)

    with pytest.raises(dt.InputError, match="no frame"):
        Player(Empty())  # type: ignore[arg-type]


def _wait_until(condition, seconds: float = 120.0) -> None:  # type: ignore[no-untyped-def]
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def _pixels(path: Path) -> np.ndarray:
    from matplotlib.image import imread

    return np.asarray(imread(path))


def _port(row: list[str]) -> int:
    return int(row[1].split(":")[1], 16)
