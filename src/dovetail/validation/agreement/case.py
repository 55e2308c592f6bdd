"""One scene that every contact method runs, and what is compared."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dovetail.model import Scene

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """The motion of one run, the same for every method and for the peer."""

    time: Array  # (n,) [s]
    position: Mapping[str, Array]  # (n, 3) [m] centre of mass, by body
    velocity: Mapping[str, Array]  # (n, 3) [m/s]
    spin: Mapping[str, Array]  # (n, 3) [rad/s], world axes
    energy: Array  # (n,) [J] kinetic, gravity and springs
    force: Mapping[tuple[str, str], Array]  # (n, 3) [N] net, of the first on the second
    step_time: float  # [s] of processor time per step


@dataclass(frozen=True)
class Case:
    """A scene, how it is run, what is read from it, and the closed form where there is one."""

    title: str
    build: Callable[[], Scene]
    mjcf: Callable[[], str]  # the same scene in MuJoCo's words, without options
    duration: float  # [s]
    values: Callable[[Outcome], dict[str, float]]
    friction: float = 0.0
    restitution: float = 0.0
    step: float = 1e-3  # [s]
    pairs: tuple[tuple[str, str], ...] = ()  # whose net force is kept
    expected: Mapping[str, float] = field(default_factory=dict)  # closed forms, by value
    controls: Callable[[float], list[float]] | None = None  # of the peer's actuators
    driven: bool = False  # motors put energy in: a gain says nothing
    key: str = ""  # the value that the summary of all cases shows


def gained(energy: Array) -> float:
    """[J] the largest rise of the energy above its least value so far."""
    return float(np.max(energy - np.minimum.accumulate(energy)))
