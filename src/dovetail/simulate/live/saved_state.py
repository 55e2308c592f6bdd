"""A state of a simulation that can be returned to, also in another process."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class SavedState:
    """All that the next step depends on, bit for bit: plain arrays, which can be pickled.

    `made_by` tells the scene, step and methods it belongs to.
    """

    made_by: str
    time: float  # [s]
    steered: bool
    run: Arrays
    stepper: Arrays
    controls: Arrays

    def __repr__(self) -> str:
        return f"<state of a simulation at t = {self.time:.9g} s>"
