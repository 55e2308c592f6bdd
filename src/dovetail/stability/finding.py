"""One finding of a monitor: what kind, when, and between which bodies."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A configuration that the rigid model does not answer, or not for long.

    Attributes:
        time: [s]. kind: "inconsistent", "non-unique" or "unstable".
        bodies: names of the bodies that touch. message: why, in one sentence.
    """

    time: float
    kind: str
    bodies: tuple[str, ...]
    message: str

    def __str__(self) -> str:
        return f"t = {self.time:.6g} s: {self.kind} contact of {' and '.join(self.bodies)}: " + (
            self.message
        )
