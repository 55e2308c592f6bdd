"""Do the true surfaces of parts keep a clearance in a run that contact solved for their triangles?

Triangles may be off the true surfaces by `deviation` [m] of a pair: parts whose triangles keep
clearance + deviation keep the clearance; those whose triangles do not keep clearance - deviation do
not. In between nothing is known. Parts that only must not meet (clearance 0) may touch in a driven
motion: there the proof is about the triangles, and says so.
"""

from typing import NamedTuple

from dovetail.model.frozen import Model
from dovetail.prove.surfaces.tessellation import declared_deviation
from dovetail.results import Result
from dovetail.verifier.certificate import Certificate, certify


class Examined(NamedTuple):
    """What is known of a run."""

    surely: Certificate  # what it finds too close is so, whatever the triangles stand for
    perhaps: Certificate  # what it finds free is so
    deviation: float  # [m] of the two parts that are farthest off

    @property
    def is_in_doubt(self) -> bool:
        return self.surely is not self.perhaps

    @property
    def note(self) -> str:
        """For the reader of a proof of parts that may touch."""
        return (
            f"parts may touch in a driven motion: the proof is about their triangles, which may be "
            f"{self.deviation:.3g} m off the true surfaces"
        )


def pair_deviation(model: Model) -> float:
    """[m] the largest sum of two parts."""
    return sum(sorted(declared_deviation(body.shape) for body in model.bodies)[-2:])


def examine(result: Result, model: Model, clearance: float) -> Examined:
    """Certificates of a run."""
    deviation = pair_deviation(model)
    margin = deviation if clearance > 0.0 else 0.0
    perhaps = surely = certify(result, clearance=clearance + margin)
    if margin > 0.0 and perhaps.verdict != "free":
        surely = certify(result, clearance=max(0.0, clearance - margin))
    return Examined(surely, perhaps, deviation)
