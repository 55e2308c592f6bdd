"""Pictures drawn by the player itself, in a Chromium without a window.

Chromium is driven through a pipe in its own protocol (--remote-debugging-pipe: JSON messages that
end with a zero byte), so that nothing has to be installed besides the browser.
"""

import base64
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import RunError
from dovetail.results import Result
from dovetail.runtime.extras import require
from dovetail.view.framing import farthest, seen_corners
from dovetail.view.html import write_html

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--remote-debugging-pipe", "--use-gl=angle",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run", "--mute-audio",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--hide-scrollbars",
)  # fmt: skip
# Chromium reads from file 3 and writes to file 4
LAUNCH = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); "
    "os.execv(sys.argv[3], sys.argv[3:])"
)
PATIENCE = 600.0  # [s] for one answer: software on a busy machine


def find_chromium() -> str | None:
    """The browser that pictures are drawn with, or None.

    The variable DOVETAIL_CHROMIUM names one; DOVETAIL_RENDERER=own asks for the package's own
    renderer.
    """
    if os.environ.get("DOVETAIL_RENDERER") == "own" or os.name != "posix":
        return None
    named = os.environ.get("DOVETAIL_CHROMIUM")
    if named:
        return shutil.which(named)
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """A running Chromium with one page."""

    def __init__(self, program: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="dovetail-", ignore_cleanup_errors=True)
        ours, theirs = _pipes()
        launch = [sys.executable, "-S", "-c", LAUNCH, *map(str, theirs)]
        profile = f"--user-data-dir={self._folder.name}/profile"
        self._process = subprocess.Popen(
            [*launch, program, *FLAGS, profile],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=theirs,
        )
        for end in theirs:
            os.close(end)
        self._read, self._write = ours
        os.set_blocking(self._read, False)
        self._rest, self._number, self._session = b"", 0, ""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        found = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]

    def open(self, address: str, ready: str) -> None:
        """Go there, and wait until the expression `ready` is true."""
        self._ask("Page.navigate", url=address)
        end = time.monotonic() + PATIENCE
        while not self.evaluate(ready):
            if time.monotonic() > end:
                raise RunError("Chromium does not draw the page; set DOVETAIL_RENDERER=own")
            time.sleep(0.05)

    def evaluate(self, expression: str) -> Any:
        """What an expression gives in the page."""
        found = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in found:
            said = found["exceptionDetails"].get("exception", {}).get("description", "")
            raise RunError(f"Chromium could not draw the page: {said}")
        return found["result"].get("value")

    def close(self) -> None:
        with contextlib.suppress(RunError, OSError):
            self._session = ""
            self._ask("Browser.close")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        for end in (self._read, self._write):
            os.close(end)
        self._folder.cleanup()

    def _ask(self, method: str, **values: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": values}
        if self._session:
            message["sessionId"] = self._session
        try:
            os.write(self._write, json.dumps(message).encode() + b"\0")
        except OSError as error:
            raise RunError(f"Chromium ended unexpectedly ({error.strerror})") from error
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self._next()
            if answer is None:
                time.sleep(0.005)
            elif answer.get("id") == self._number:
                if "error" in answer:
                    raise RunError(f"Chromium refuses {method}: {answer['error'].get('message')}")
                return dict(answer.get("result", {}))
        raise RunError(f"Chromium does not answer to {method}; set DOVETAIL_RENDERER=own")

    def _next(self) -> dict[str, Any] | None:
        """A message, or None where none has come."""
        while b"\0" not in self._rest:
            try:
                some = os.read(self._read, 1 << 20)
            except BlockingIOError:
                return None
            if not some:
                raise RunError("Chromium ended unexpectedly")
            self._rest += some
        one, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(one))


def _pipes() -> tuple[tuple[int, int], tuple[int, int]]:
    """(read, write) for us and for Chromium; numbers above 10, so that 3 and 4 are free."""
    import fcntl  # not everywhere; `find_chromium` asks first

    their_read, our_write = os.pipe()
    our_read, their_write = os.pipe()
    ends = []
    for low in (their_read, their_write):
        ends.append(fcntl.fcntl(low, fcntl.F_DUPFD, 10))
        os.close(low)
    return (our_read, our_write), (ends[0], ends[1])


class PlayerPainter:
    """Draws frames of one result as the player shows them at rest."""

    def __init__(
        self, program: str, result: Result, frames: list[int], size: tuple[int, int], view: str
    ) -> None:
        self._points = farthest(seen_corners(result, frames)).ravel().tolist()
        self._size, self._view = size, view
        self._browser = Browser(program)
        self._file = Path(self._browser._folder.name) / "result.html"
        write_html(result, self._file)
        address = f"{self._file.as_uri()}?quality=quick&theme=light"
        self._browser.open(address, "!!window.dovetail && dovetail.drawn > 0")

    def picture(self, frame: int, **options: Any) -> NDArray[np.uint8]:
        """One frame as an (height, width, 3) image; options as in `Capture.offscreen`."""
        Pillow = require("PIL.Image")
        width, height = self._size
        wanted = {
            "frame": int(frame), "width": width, "height": height, "view": self._view,
            "points": self._points, "labels": False, **options,
        }  # fmt: skip
        url = self._browser.evaluate(f"dovetail.capture.offscreen({json.dumps(wanted)})")
        with Pillow.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) as picture:
            return np.asarray(picture.convert("RGB"), dtype=np.uint8)

    def close(self) -> None:
        self._browser.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
