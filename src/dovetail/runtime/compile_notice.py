"""Messages about kernels: that they are being compiled, why the first run takes its time.

On stderr, once compilation has taken more than half a second in total: a line that counts the
kernels where their number is known, written over itself on a terminal. Silenced by
`DOVETAIL_QUIET=1` or `notice.silence()`.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event

PATIENCE = 0.5  # [s] of compilation that goes unannounced
PAUSE = 5.0  # [s] between lines that count, where they cannot be written over
WIDTH = 24  # of the bar on a terminal


class CompileNotice(event.Listener):
    """Counts the kernels compiled for this process and the time it took [s]."""

    def __init__(self) -> None:
        self.compiled = 0
        self.seconds = 0.0  # by the clock, that the run waited
        self._silent = False
        self._said: set[str] = set()
        self._depth = 0
        self._start = 0.0
        self._timer: threading.Timer | None = None
        self._counting = False
        self._show: Callable[[str], None] | None = None  # a progress bar that is on the screen

    def silence(self) -> None:
        """Say nothing from now on."""
        self._silent = True

    def on_start(self, event) -> None:
        """A kernel starts to compile; Numba holds its compiler lock, so calls do not overlap."""
        self._depth += 1
        if self._depth == 1:  # not a callee
            self._start = time.perf_counter()
            wait = max(PATIENCE - self.seconds, 0.0)
            self._timer = threading.Timer(wait, self._say_compiling)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event) -> None:
        """A kernel is compiled, or failed to."""
        self._depth -= 1
        self.compiled += 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._start
            if self._timer is not None:
                self._timer.cancel()

    def run_clock(self) -> float:
        """[s] by the clock without the time that was spent on compiling."""
        return time.perf_counter() - self.seconds

    @contextmanager
    def shown_by(self, show: Callable[[str], None]) -> Iterator[None]:
        """Let a progress bar show what happens, which is on the screen meanwhile."""
        before, self._show = self._show, show
        try:
            yield
        finally:
            self._show = before

    @contextmanager
    def counting(self, total: int) -> Iterator[Callable[[int], None]]:
        """While `total` kernels are compiled: call what this gives with how many are ready."""
        began = shown = time.perf_counter()
        last = 0
        terminal = self._show is None and sys.stderr is not None and sys.stderr.isatty()

        def show(done: int) -> None:
            nonlocal shown, last
            last = done
            text = f"compiling kernels {done} of {total} (happens once)"
            if self._is_quiet():
                return
            if self._show is not None:
                self._show(text)
            elif terminal:
                bar = "#" * (WIDTH * done // total)
                print(f"\r[{bar:-<{WIDTH}}] {text}", end="", file=sys.stderr, flush=True)
            elif done == 0 or time.perf_counter() - shown > PAUSE:
                shown = time.perf_counter()
                print(f"dovetail: {text}", file=sys.stderr, flush=True)

        self._counting = True
        try:
            show(0)
            yield show
        finally:
            self._counting = False
            if terminal and not self._is_quiet():
                print("\r\x1b[2K", end="", file=sys.stderr, flush=True)
        if self._show is None and last > 0:
            seconds = time.perf_counter() - began
            self._say(f"dovetail: compiled {last} kernels in {seconds:.1f} s; they are kept")

    def say_not_cached(self) -> None:
        """No folder of the cache can be written to."""
        self._say(
            "dovetail: compiled kernels cannot be kept, no cache folder is writable; "
            "set DOVETAIL_CACHE_DIR to one that is"
        )

    def say_mistrusted(self, why: str) -> None:
        """A folder of the cache is open to other users, so nothing is loaded from it."""
        self._say(
            f"dovetail: compiled kernels are neither loaded nor kept, {why}; they are native code: "
            "make it yours alone to write (chmod go-w), or set DOVETAIL_CACHE_DIR to a folder "
            "that is"
        )

    def say_tampered(self, kernel: str, path: object) -> None:
        """A kernel that came with the package is not what its list says."""
        self._say(
            f"dovetail: the compiled kernel {kernel} in {path} has not the digest it was shipped "
            "with; it is not loaded but compiled, install the package again"
        )

    def say_shipped_for_others(self, wanted: dict[str, str], found: dict[str, str]) -> None:
        """The kernels that came with the package are for other versions."""
        differences = ", ".join(f"{key} {wanted[key]} (found {found[key]})" for key in wanted)
        self._say(
            f"dovetail: the kernels that came with the package are for {differences}; "
            "kernels are compiled at first use instead"
        )

    def _say_compiling(self) -> None:
        if self._counting:
            return
        if self._show is not None:
            self._show("compiling kernels (happens once)")
        else:
            self._say("dovetail: compiling kernels (first use, cached afterwards)")

    def _say(self, text: str) -> None:
        if self._is_quiet() or text in self._said:
            return
        self._said.add(text)
        print(text, file=sys.stderr, flush=True)

    def _is_quiet(self) -> bool:
        return self._silent or os.environ.get("DOVETAIL_QUIET") == "1"


notice = CompileNotice()
