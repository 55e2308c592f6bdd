"""File sizes of exports and frame rates of the player: `python benchmarks/player.py`.

A wall of 575 boxes thrown apart, 2000 frames (the size of the wrecking ball of rigid-ipc), played
in headless Chromium with software rendering. `--bodies`, `--frames` and `--window` change that;
`--result FILE` plays a run of your own, `--scene FILE` the bodies of a scene without contact, so
that any number of frames is quickly there (drawing them costs the same). The processor's share is
printed as well: on a busy machine the wall clock alone says little. `--alone` puts the benchmark
before all other work of the machine, where the system allows it.
"""

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

import dovetail as dt

FLAGS = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-background-networking",
]  # fmt: skip
SECONDS = 5.0  # how long frames are counted


def wall(bodies: int, frames: int) -> dt.Result:
    """Boxes in a wall, each thrown in its own direction; no contact."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1), extent=40), motion="static")
    rng = np.random.default_rng(0)
    columns = int(np.ceil(np.sqrt(bodies)))
    for i in range(bodies - 1):
        x, z = i % columns, i // columns
        scene.add_body(
            f"box {i}", dt.Box((0.9, 0.4, 0.9)), density=1000, position=(x - columns / 2, 0, z + 1),
            velocity=rng.normal((0, 0, 10), 3), angular_velocity=rng.normal(0, 2, 3),
        )  # fmt: skip
    return dt.simulate(scene, duration=2.0, step=2.0 / (frames - 1))


def played(file: Path | None, scene: Path | None, bodies: int, frames: int) -> dt.Result:
    """The result requested."""
    if file:
        return dt.load(file)
    if scene:
        step = 2.0 / (frames - 1)
        return dt.simulate(dt.Scene.load(scene), duration=2.0, step=step, contact=None)
    return wall(bodies, frames)


def sizes(result: dt.Result, folder: Path) -> None:
    from dovetail.view.exporters import EXPORTERS
    from dovetail.view.html import write_html

    result.save(folder / "wall.h5")
    print(f"{'wall.h5':12s} {(folder / 'wall.h5').stat().st_size / 1e6:8.1f} MB")
    writers = {f".{name}": EXPORTERS.get(name) for name in ("glb", "usda", "vtkhdf", "csv")}
    for ending, write in {".html": write_html, **writers}.items():
        path, started = folder / f"wall{ending}", time.process_time()
        write(result, path, 1)
        seconds = time.process_time() - started
        size = path.stat().st_size / 1e6
        print(f"{path.name:12s} {size:8.1f} MB, written in {seconds:5.1f} s of processor time")


def processor_time() -> float:
    """[s] that all processes below this one have used (Linux)."""
    parent, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        number = int(stat.parent.name)
        parent[number] = int(fields[1])
        used[number] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_below(number: int) -> bool:
        while number in parent and number != os.getpid():
            number = parent[number]
        return number == os.getpid()

    return sum(used[number] for number in used if number != os.getpid() and is_below(number))


def frame_rate(address: str, what: str, window: tuple[int, int]) -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": window[0], "height": window[1]})
        page.set_default_timeout(300_000)
        started = time.monotonic()
        page.goto(address)
        while not page.evaluate("window.dovetail && dovetail.drawn > 0"):
            time.sleep(0.02)
        opened = time.monotonic() - started
        # the clock runs so fast that every picture is of another frame
        page.evaluate("dovetail.clock.speed = 1")
        before, begin, used = page.evaluate("dovetail.drawn"), time.monotonic(), processor_time()
        time.sleep(SECONDS)
        pictures = page.evaluate("dovetail.drawn") - before
        rate = pictures / (time.monotonic() - begin)
        cost = 1000 * (processor_time() - used) / max(pictures, 1)
        script = page.evaluate("""() => {
            const stage = dovetail.stages[0];
            const begin = performance.now();
            for (let i = 0; i < 200; i++) { stage.frame = i; stage.refresh(); }
            return (performance.now() - begin) / 200;
        }""")
        browser.close()
    load = os.getloadavg()[0]
    print(
        f"{what}: first picture after {opened:.1f} s, {rate:.1f} pictures/s at {window[0]}x"
        f"{window[1]}; a picture takes {cost:.0f} ms of processor time in all of the browser, "
        f"{script:.2f} ms of it to move the bodies; "
        f"load of the machine {load:.1f} on {os.cpu_count()} cores"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, default=575)
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--no-sizes", action="store_true", help="only the frame rates")
    parser.add_argument("--alone", action="store_true", help="before all other work")
    parser.add_argument("--result", type=Path, help="a result file instead of the boxes")
    parser.add_argument("--scene", type=Path, help="bodies of a scene file instead of the boxes")
    parser.add_argument("--window", type=int, nargs=2, default=(1000, 620))
    options = parser.parse_args()
    result = played(options.result, options.scene, options.bodies, options.frames)
    triangles = sum(len(result.scene.bodies[name].faces) for name in result.names)
    print(f"{len(result.names)} bodies of {triangles} triangles, {len(result.time)} frames")
    from dovetail.view.html import write_html
    from dovetail.view.viewer import serve

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not options.no_sizes:
            sizes(result, folder)
        write_html(result, folder / "wall.html")
        if options.alone:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))  # the browser inherits it
            print("before all other work of the machine")
        server = serve([result], port=0)
        frame_rate(server.address, "dovetail view", tuple(options.window))
        server.close()
        frame_rate((folder / "wall.html").as_uri(), "wall.html", tuple(options.window))


if __name__ == "__main__":
    main()
