"""How a scene file asks to be run; the scene itself says nothing about that."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Choice:
    """A method by its name in a file, with its options (SI units)."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RunSettings:
    """The `run` section; None: not said, so the caller's default holds.

    `contact.name` is ipc, sdf, lcp or none (asked for no contact, other than not said).
    """

    duration: float | None = None  # [s]
    step: float | None = None  # [s]
    large_step: float | None = None  # [s] while no two bodies are near each other
    every: int | None = None  # steps between recorded frames
    integrator: Choice | None = None
    contact: Choice | None = None
    monitor: bool | None = None  # whether to report inconsistent, not unique or unstable contacts
