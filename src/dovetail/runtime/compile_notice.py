"""A notice, printed once, why the first run takes its time: kernels are being compiled.

One line on stderr, when compilation has taken more than half a second in total. Silenced by
`DOVETAIL_QUIET=1` or `notice.silence()`.
"""

import os
import sys
import threading
import time

from numba.core import event

PATIENCE = 0.5  # [s] of compilation that goes unannounced


class CompileNotice(event.Listener):
    """Counts the kernels compiled in this process and the time it took [s]."""

    def __init__(self) -> None:
        self.compiled = 0
        self.seconds = 0.0
        self._silent = False
        self._said: set[str] = set()
        self._depth = 0
        self._start = 0.0
        self._timer: threading.Timer | None = None

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
        differences = ", ".join(
            f"{key} {made} (found {found[key]})" for key, made in wanted.items()
        )
        self._say(
            f"dovetail: the kernels that came with the package are for {differences}; "
            "kernels are compiled at first use instead"
        )

    def _say_compiling(self) -> None:
        self._say("dovetail: compiling kernels (first use, cached afterwards)")

    def _say(self, text: str) -> None:
        if self._silent or os.environ.get("DOVETAIL_QUIET") == "1" or text in self._said:
            return
        self._said.add(text)
        print(text, file=sys.stderr, flush=True)


notice = CompileNotice()
