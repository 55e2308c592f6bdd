"""The player of a simulation that goes on, on this machine only."""

from dovetail.simulate.live.simulation import Simulation
from dovetail.view.live.session import LiveSession
from dovetail.view.page.recording import Recording
from dovetail.view.page.server import PageServer


class LiveServer:
    """The page at `address`, until `close`."""

    def __init__(self, simulation: Simulation, session: LiveSession, port: int = 0) -> None:
        with simulation.recording(None) as first:
            pass
        assert first.result is not None
        self.session = session
        self._pages = PageServer([Recording(first.result, "live", stream=session.stream)], port)

    @property
    def address(self) -> str:
        return self._pages.address

    @property
    def port(self) -> int:
        return self._pages.port

    def close(self) -> None:
        self.session.close()
        self._pages.close()
