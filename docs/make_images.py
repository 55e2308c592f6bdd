"""Make the pictures of the documentation from the package: `python docs/make_images.py [PART ...]`.

Writes docs/images/*.png; parts are those of PARTS, all by default. The viewer's pictures need
Chromium and are left as they are without one. The site's build calls this where the environment has
DOVETAIL_MAKE_IMAGES=1.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ["DOVETAIL_QUIET"] = "1"
IMAGES = Path(__file__).parent / "images"
ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "docs"))

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LARGEST = 150_000  # [bytes] of one picture
BROWSER = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip


def dovetail(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "dovetail", *arguments], check=True, cwd=Path.cwd())


def examples() -> None:
    """The pictures of built-in examples."""
    dovetail("run", "dzhanibekov", "--picture", "--quiet")
    keep("dzhanibekov.png")
    dovetail("plot", "dzhanibekov.h5", "energy")
    keep("dzhanibekov-energy.png")
    dovetail("run", "spring-pendulum", "--quiet")
    dovetail("plot", "spring-pendulum.h5", "position")
    keep("spring-pendulum-position.png")


def hero() -> None:
    """The picture of the README: a bolt in its nut, cut open, with the force between them."""
    dovetail("run", "bolt", "--quiet")
    more = ("--section", "y", "--forces", "--contacts", "--time", "0.1", "--size", "1200x860")
    dovetail("export", "bolt.h5", "bolt-section.png", *more)
    keep("bolt-section.png", colours=256)


GALLERY = (
    "four-bar", "stewart", "double-pendulum", "bolt", "chain", "gears", "arch", "card-house",
    "wrecking-ball", "turntable", "packing",
)  # fmt: skip
SEEN_FROM = {"packing": "top"}  # into the box; others from the corner


def gallery() -> None:
    """The film strips of the gallery."""
    for name in GALLERY:
        dovetail("run", name, "--quiet")
        dovetail("plot", f"{name}.h5", "motion", "--view", SEEN_FROM.get(name, "corner"))
        keep(f"{name}-motion.png", f"gallery-{name}.png", colours=128)


def tutorial() -> None:
    """The pictures of the tutorial, by doing what it says."""
    from page_run import PageRun

    PageRun(ROOT / "docs" / "tutorial" / "from-stl.md", Path.cwd()).run()
    keep("throw.png", "bracket-motion.png")
    keep("throw-energy.png", "bracket-energy.png")
    PageRun(ROOT / "docs" / "tutorial" / "mechanism.md", Path.cwd()).run()
    keep("press.png", "press-motion.png", colours=128)


def docking() -> None:
    """The docking tutorial: both rings before and after, and figs. 12-14 in a row."""
    import numpy as np
    from PIL import Image

    from dovetail.validation.reproduce import zhang2024
    from dovetail.validation.reproduce.zhang2024.docking_run import docking_run
    from dovetail.view.render import Camera, Painter, fitting_camera

    figures = ("fig12", "fig13", "fig14")
    zhang2024.reproduce(Path.cwd(), print, figures)
    panels = [Image.open(f"zhang2024_{name}.png").convert("RGB") for name in figures]
    beside(panels).resize((1500, 309)).save("docking-figures.png")
    keep("docking-figures.png")
    result = docking_run()
    painter, frames = Painter(result), (0, len(result.time) - 1)
    seen = fitting_camera(result, [0], 1.2)
    camera = Camera(seen.axes, np.array([-0.45, 0.0, 0.0]), 1.0)
    shots = [Image.fromarray(painter.picture(frame, camera, 540, 450)) for frame in frames]
    beside(shots).save("docking.png")
    keep("docking.png")


def beside(pictures: list[Any]) -> Any:
    """Pictures of one height, side by side."""
    from PIL import Image

    row = Image.new("RGB", (sum(p.width for p in pictures), pictures[0].height), "white")
    at = 0
    for picture in pictures:
        row.paste(picture, (at, 0))
        at += picture.width
    return row


@contextmanager
def played(results: list[Any], titles: list[str], size: tuple[int, int]) -> Iterator[Any]:
    """The page of the viewer in a browser, standing still."""
    from playwright.sync_api import sync_playwright

    from dovetail.view.viewer import serve

    server = serve(results, titles, port=0)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=BROWSER)
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.set_default_timeout(120_000)
        page.goto(server.address)
        page.wait_for_selector("#curves canvas")
        page.click("#play")
        yield page
        browser.close()
    server.close()


def settled(page: Any) -> None:
    """Wait until the fine picture is drawn; software takes seconds."""
    page.wait_for_timeout(300)
    while not page.evaluate("dovetail.settled"):
        page.wait_for_timeout(100)


def shoot(page: Any, name: str, frame: int) -> None:
    """Show a frame and keep its picture."""
    page.fill("#frame", str(frame))
    settled(page)
    page.screenshot(path=f"{name}.png")
    keep(f"{name}.png")


def viewer() -> None:
    """The player on the tutorial's throw, in the middle of the run."""
    import dovetail as dt

    if not Path("throw.h5").exists():
        tutorial()
    result = dt.load("throw.h5")
    with played([result], ["throw"], (1100, 640)) as page:
        shoot(page, "viewer", len(result.time) // 3)


def overlays() -> None:
    """What can be drawn over the bodies: one picture each."""
    import dovetail as dt

    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1), extent=2), motion="static")
    scene.add_body("ring", dt.Torus(0.3, 0.1), density=300, position=(0, 0, 0.101))
    scene.add_body("ball", dt.Sphere(0.25), density=300, position=(0, 0, 0.52))
    method = dt.contact.SDF(friction=0.3, restitution=0.2, stiffness=3e6)
    result = dt.simulate(scene, duration=0.3, step=2e-4, every=50, contact=method)
    with played([result], ["ring and ball"], (960, 560)) as page:
        page.click("#tree .name >> text=ring")
        for kind in ("contacts", "collision", "obb", "octree", "sdf"):
            page.check(f"#overlay-{kind}")
            if kind in ("obb", "octree", "sdf"):
                page.wait_for_timeout(8000)  # fields are made when they are asked for
            shoot(page, f"viewer-{kind}", len(result.time) - 1)
            page.uncheck(f"#overlay-{kind}")
    example = dt.examples.get("four-bar")
    result = dt.simulate(example.build(), duration=1.0, step=0.01)
    with played([result], ["four-bar"], (960, 560)) as page:
        page.check("#overlay-joints")
        shoot(page, "viewer-joints", 30)


def side_by_side() -> None:
    """One scene under three contact methods."""
    import dovetail as dt

    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1), extent=2), motion="static")
    for i in range(4):
        position = (0.06 * (-1) ** i, 0.03 * i, 0.22 + 0.44 * i)
        scene.add_body(f"ball {i}", dt.Sphere(0.2, segments=16), density=300, position=position)
    methods = {
        "IPC": (dt.contact.IPC(friction=0.3), 5e-3),
        "SDF": (dt.contact.SDF(friction=0.3, restitution=0.1), 2e-4),
        "LCP": (dt.contact.LCP(friction=0.3), 2e-3),
    }
    results = [
        dt.simulate(scene, duration=0.8, step=step, every=round(0.02 / step), contact=method)
        for method, step in methods.values()
    ]
    with played(results, list(methods), (1100, 460)) as page:
        shoot(page, "viewer-side-by-side", len(results[0].time) - 1)


def orders() -> None:
    """Errors of intersection-free contact against the step."""
    script = str(ROOT / "benchmarks" / "ipc_orders.py")
    subprocess.run([sys.executable, script, "--picture", "ipc-orders.png"], check=True)
    keep("ipc-orders.png")


def frames() -> None:
    """Frames and signs of bodies, joints and contacts, for the conventions."""
    from frames_figure import draw

    draw(Path("frames.png"))
    keep("frames.png")


def keep(name: str, kept_as: str | None = None, colours: int = 128) -> None:
    """Move a picture to docs/images, with as few of `colours` as make it small enough."""
    from PIL import Image

    target = IMAGES / (kept_as or name)
    picture = Image.open(name).convert("RGB")
    while True:
        # median cut alone gives a thin line of its own colour the colour of something larger
        picture.quantize(colours, kmeans=2).save(target, optimize=True)
        size = target.stat().st_size
        if size <= LARGEST:
            break
        colours = colours * 7 // 8
        assert colours >= 32, f"{target.name} has {size} bytes, more than {LARGEST}"
    print(f"docs/images/{target.name}: {size / 1000:.0f} kB")


PARTS = {
    "hero": hero,
    "examples": examples,
    "gallery": gallery,
    "tutorial": tutorial,
    "docking": docking,
    "viewer": viewer,
    "overlays": overlays,
    "side-by-side": side_by_side,
    "orders": orders,
    "frames": frames,
}
IN_BROWSER = ("hero", "viewer", "overlays", "side-by-side")


def main(asked: list[str]) -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in asked or PARTS:
            if name in IN_BROWSER and CHROMIUM is None:
                print(f"no Chromium here: pictures of {name!r} are left as they are")
            else:
                PARTS[name]()
        os.chdir(ROOT)


if __name__ == "__main__":
    main(sys.argv[1:])
