"""Opening the page of a live simulation."""

import threading
from collections.abc import Callable
from pathlib import Path

from dovetail.errors import InputError
from dovetail.model.values import quote
from dovetail.simulate.live.simulation import Simulation
from dovetail.view.live.server import LiveServer
from dovetail.view.live.session import LiveSession


def show(
    simulation: Simulation,
    controller: Callable[[Simulation], object] | None = None,
    record: str | Path | None = None,
    port: int = 0,
    open_browser: bool = True,
    block: bool = True,
) -> LiveServer | None:
    """Serve the page; until Ctrl-C if `block`, else return the server."""
    if controller is not None and not callable(controller):
        raise InputError(
            f"`controller` must be a function of the simulation, got {quote(controller)}"
        )
    server = LiveServer(simulation, LiveSession(simulation, controller, record), port)
    print(f"dovetail: live at {server.address}")
    if open_browser:
        import webbrowser

        webbrowser.open(server.address)
    if not block:
        return server
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
    return None
