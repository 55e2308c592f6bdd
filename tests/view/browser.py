"""A headless Chromium for the tests, with everything it complains about."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-quic",
]  # fmt: skip
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


@dataclass
class Watched:
    """A page, the errors of its console, and every address it requested."""

    page: Any
    problems: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)

    def open(self, address: str, quality: str = "quick") -> None:
        """Go there and wait for the first picture; soft shadows take software seconds."""
        self.page.goto(f"{address}?quality={quality}")
        self.until("window.dovetail && window.dovetail.drawn > 0")

    def until(self, condition: str, seconds: float = 120.0) -> None:
        """Wait for a condition in the page, evaluated outside: its policy forbids eval inside."""
        end = time.monotonic() + seconds
        while not self.page.evaluate(condition):
            assert time.monotonic() < end, f"{condition} never came true"
            time.sleep(0.05)

    def settle(self) -> None:
        """Wait until what was changed is drawn."""
        self.page.evaluate("dovetail.touch()")
        self.until("dovetail.settled")


@contextmanager
def browser_page(width: int = 800, height: int = 500, network: bool = True) -> Iterator[Watched]:
    """A new page; closed at the end. Without network it is as if the cable were pulled."""
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": width, "height": height})
        context.set_offline(not network)
        page = context.new_page()
        page.set_default_timeout(120_000)  # software rendering on a busy machine is slow
        watched = Watched(page)
        page.on("pageerror", lambda error: watched.problems.append(str(error)))
        page.on(
            "console",
            lambda line: watched.problems.append(line.text) if line.type == "error" else None,
        )
        page.on("request", lambda request: watched.requested.append(request.url))
        yield watched
        browser.close()
