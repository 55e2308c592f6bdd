"""Make the pictures of the documentation from the package: `python docs/make_images.py`.

Writes docs/images/*.png. The viewer's picture needs Chromium and is left as it is without one.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

IMAGES = Path(__file__).parent / "images"
ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "docs"))

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


GALLERY = ("four-bar", "stewart")


def gallery() -> None:
    """The film strips of the gallery."""
    for name in GALLERY:
        dovetail("run", name, "--picture", "--quiet")
        keep(f"{name}.png", f"gallery-{name}.png")


def tutorial() -> None:
    """The pictures of the tutorial, by doing what it says."""
    from page_run import PageRun

    PageRun(ROOT / "docs" / "tutorial" / "from-stl.md", Path.cwd()).run()
    keep("throw.png", "bracket-motion.png")
    keep("throw-energy.png", "bracket-energy.png")


def docking() -> None:
    """The docking tutorial: both rings before and after, and figs. 12-14 in a row."""
    import numpy as np
    from PIL import Image

    from dovetail.reproduce import zhang2024
    from dovetail.reproduce.zhang2024.docking_run import docking_run
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


def viewer(result_file: str, chromium: str) -> None:
    """The player in a browser, in the middle of the run."""
    from playwright.sync_api import sync_playwright

    import dovetail as dt
    from dovetail.view.viewer import serve

    result = dt.load(result_file)
    server = serve([result], port=0)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=BROWSER)
        page = browser.new_page(viewport={"width": 900, "height": 520})
        page.set_default_timeout(120_000)
        page.goto(server.address)
        page.wait_for_selector("#curves canvas")
        page.click("#play")
        page.fill("#frame", str(len(result.time) // 3))
        page.wait_for_timeout(1500)
        page.screenshot(path="viewer.png")
        browser.close()
    server.close()
    keep("viewer.png")


def keep(name: str, kept_as: str | None = None) -> None:
    """Move a picture to docs/images, with at most 64 colours to keep it small."""
    from PIL import Image

    target = IMAGES / (kept_as or name)
    Image.open(name).convert("RGB").quantize(64).save(target, optimize=True)
    size = target.stat().st_size
    assert size <= LARGEST, f"{target.name} has {size} bytes, more than {LARGEST}"
    print(f"docs/images/{target.name}: {size / 1000:.0f} kB")


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        examples()
        gallery()
        tutorial()
        docking()
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        if chromium:
            viewer("throw.h5", chromium)
        else:
            print("no Chromium here: viewer.png is left as it is")
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
