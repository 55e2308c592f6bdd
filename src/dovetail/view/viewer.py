"""Playback of results in the browser: the bodies, a timeline, the curves beside it."""

import threading
from collections.abc import Callable, Sequence

from dovetail.errors import InputError
from dovetail.results import Result
from dovetail.view.page.recording import Recording
from dovetail.view.page.server import PageServer

MAX_SIDE_BY_SIDE = 4


def serve(results: Sequence[Result], titles: Sequence[str] = (), port: int = 8080) -> PageServer:
    """A server of the player for one result, or for several side by side; `close` ends it."""
    if not 1 <= len(results) <= MAX_SIDE_BY_SIDE:
        raise InputError(f"1 to {MAX_SIDE_BY_SIDE} results can be shown, got {len(results)}")
    names = [*titles, *(result.stored.name for result in results[len(titles) :])]
    return PageServer([Recording(*pair) for pair in zip(results, names)], port)


def show(
    results: Result | Sequence[Result],
    port: int = 8080,
    open_browser: bool = True,
    ready: Callable[[str], None] | None = None,
    titles: Sequence[str] = (),
) -> None:
    """Serve on this machine until Ctrl-C."""
    server = serve([results] if isinstance(results, Result) else results, titles, port)
    try:
        if ready is not None:
            ready(server.address)
        if open_browser:
            import webbrowser

            webbrowser.open(server.address)
        threading.Event().wait()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
