"""Steps are made one at a time, and whole: no two threads make them, and Ctrl-C falls between."""

import threading
from typing import Self

from dovetail.errors import InputError
from dovetail.simulate.interrupt import CtrlC


class WholeSteps:
    """Whether a simulation is in a step, or was left in the middle of one."""

    def __init__(self) -> None:
        self.lock = threading.Lock()  # held while steps are made
        self.torn = False  # the last step was broken off

    def refuse(self) -> None:
        """Raise InputError where no step can be made: see `torn`, or others are being made."""
        self.refuse_torn()
        raise InputError(
            "the simulation is in a step already: it cannot be stepped by two threads at a time, "
            "nor by a sensor within a step; give every thread a simulation of its own"
        )

    def refuse_torn(self) -> None:
        """Raise InputError after a step that was broken off."""
        if self.torn:
            raise InputError(
                "the last step was broken off in its middle; restore(snapshot) and reset() return "
                "to a whole state, set_state(q=sim.q, v=sim.v) goes on from where the bodies are"
            )


class BetweenSteps(CtrlC):
    """Ctrl-C during many steps is raised after the one that is being made."""

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def after_step(self) -> None:
        self.in_step = False
        if self.pressed:
            raise KeyboardInterrupt
        self.in_step = True
