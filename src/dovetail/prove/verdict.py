"""What a proof says."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import hypot, inf, isfinite, radians
from pathlib import Path
from typing import Any, Literal

from dovetail.errors import InputError
from dovetail.model.values import Array, quote

Verdict = Literal["proven", "meets", "jams", "undecided"]
Units = Mapping[str, tuple[str, float]]  # of joints: the name of a unit and its size in SI
WANTED = 1e-6  # of the range: ends of meetings are to be known to that
EXIT_CODES: dict[Verdict, int] = {"proven": 0, "meets": 1, "jams": 1, "undecided": 3}


@dataclass(frozen=True)
class Meeting:
    """A range of one joint in which two parts meet, or come closer than the clearance.

    Outside of `low` to `high` the parts are proven to be free. They certainly meet at both ends of
    `surely`: the meeting begins between `low` and the first of them, and ends between the other and
    `high`. None where that is not known, as of driven motions.
    """

    joint: str
    low: float  # [rad or m]
    high: float
    between: tuple[str, str]
    surely: tuple[float, float] | None = None
    swept: float = 0.0  # [rad or m] length of the range of the question

    @property
    def is_open(self) -> bool:
        """Whether an end is known less well than to 1e-6 of the range."""
        return isfinite(self.bracket) and self.bracket > WANTED * self.swept

    @property
    def bracket(self) -> float:
        """[rad or m] how far the farther of its two ends is open; inf where that is not known."""
        if self.surely is None:
            return inf
        return max(self.surely[0] - self.low, self.high - self.surely[1])

    def ends_as_data(self, units: Units) -> dict[str, Any]:
        """Between which two values each end lies."""
        _, size = _unit(self.joint, units)
        if self.surely is None:
            return {"joint": self.joint, "from": None, "to": None}
        first, last = self.surely
        return {
            "joint": self.joint,
            "from": [self.low / size, first / size],
            "to": [last / size, self.high / size],
        }

    def as_data(self, units: Units) -> dict[str, Any]:
        _, size = _unit(self.joint, units)
        return {
            "joint": self.joint,
            "from": self.low / size,
            "to": self.high / size,
            "between": list(self.between),
        }


@dataclass(frozen=True)
class Doubt:
    """A pair of parts that could not be decided, and why."""

    between: tuple[str, str]
    at: dict[str, float]
    reason: str
    low: dict[str, float] = field(default_factory=dict)  # where it begins and ends, if known
    high: dict[str, float] = field(default_factory=dict)

    def as_data(self, units: Units) -> dict[str, Any]:
        return {
            "between": list(self.between),
            "at": _in_units(self.at, units),
            "from": _in_units(self.low or self.at, units),
            "to": _in_units(self.high or self.at, units),
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Holding:
    """Two parts that press on each other where a driven motion jams."""

    between: tuple[str, str]
    force: tuple[float, float, float]  # [N] on the first of them
    point: tuple[float, float, float]  # [m]

    @property
    def strength(self) -> float:
        """[N]."""
        return hypot(*self.force)

    def as_data(self) -> dict[str, Any]:
        return {
            "between": list(self.between),
            "force": self.strength,
            "vector": list(self.force),
            "point": list(self.point),
        }


@dataclass(frozen=True)
class Measured:
    """A part of which not all faces have a formula.

    Its tessellation is measured on finer triangles. The proof holds if no point of these faces is
    farther off their triangles than `deviation`.
    """

    part: str
    faces: int  # such as splines and lofts; of objects of a CAD library 1 for all of them
    deviation: float  # [m] with a margin; taken off every clearance

    def as_data(self) -> dict[str, Any]:
        return {"part": self.part, "faces": self.faces, "deviation": self.deviation}


@dataclass(frozen=True, eq=False)
class Motion:
    """Frames of a motion, for pictures."""

    label: str  # what `values` are: a joint, or the time
    values: Array  # (f,)
    position: Array  # (f, n, 3) [m] of all bodies
    rotation: Array  # (f, n, 3, 3)
    clearance: Array  # (f,) [m] least of all pairs


@dataclass(frozen=True)
class Proof:
    """The answer to a question about an assembly.

    Lengths in m, angles in rad; joint values count from the initial pose.
    """

    verdict: Verdict
    clearance: float  # [m] that was required
    least_clearance: float  # [m] that occurs, less the tessellation of the two parts
    proven_clearance: float  # [m] that is proven to be kept everywhere; 0 unless proven
    between: tuple[str, str] | None  # the two parts of the least clearance
    at: dict[str, float]  # joint values there
    point: tuple[float, float, float] | None  # [m] between them, in the world
    meets: tuple[Meeting, ...]
    doubts: tuple[Doubt, ...]
    excused: tuple[tuple[str, str, str], ...]  # pairs that were not examined, and why
    tessellation: float  # [m] the largest sum for two parts; taken off every clearance
    pairs: int  # examined
    tests: int
    seconds: float
    notes: tuple[str, ...] = ()
    holds: tuple[Holding, ...] = ()  # what holds a motion that jams, the strongest first
    needed: dict[str, float] = field(default_factory=dict)  # [N or N m] largest effort of drives
    measured: tuple[Measured, ...] = ()  # parts whose tessellation is measured, not bounded
    motion: "Motion | None" = field(default=None, repr=False, compare=False)  # of a driven one
    source: Any = field(default=None, repr=False, compare=False)  # scene, and {sweep: ...}

    def with_cost(self, seconds: float, tests: int) -> "Proof":
        """The same with the cost of all attempts."""
        return replace(self, seconds=seconds, tests=tests)

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]

    def save(self, file: Any) -> None:
        """Write it to `file`: as data in SI units (.json), or as a page (.html) in deg and mm."""
        if Path(file).suffix not in (".json", ".html"):
            raise InputError(f"a proof must be saved as .json or .html, got {quote(str(file))}")
        units = {} if Path(file).suffix == ".json" else self._units_of_pages()
        self.write(file, Path(file).suffix, units, Path(file).stem)

    def _units_of_pages(self) -> Units:
        """Degrees and millimetres."""
        sizes = {"angle": ("deg", radians(1.0)), "length": ("mm", 1e-3)}
        scene, question = self.source
        units = {
            name if len(joint.coordinates) == 1 else f"{name} ({k})": sizes[one.quantity]
            for name, (joint, *_) in scene.joints.items()
            for k, one in enumerate(joint.coordinates, 1)
        }
        return units | dict.fromkeys(question.get("assemble", ()), sizes["length"])

    def write(self, file: Any, ending: str, units: Units, title: str) -> None:
        """The same to a file of any name, with joint values in `units`."""
        if ending == ".json":
            text = json.dumps(self.as_data(units), indent=1) + "\n"
        else:
            from dovetail.view.proof_page import proof_page

            scene, question = self.source
            text = proof_page(self, scene, question, units, title)
        try:
            Path(file).write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{file} could not be written: {error.strerror}") from error

    def as_data(self, units: Units | None = None) -> dict[str, Any]:
        """As plain JSON data; lengths in m, joint values in `units`, by default rad or m.

        `dovetail schema --proof` prints its JSON Schema.
        """
        units = units or {}
        return {
            "version": 1,
            "verdict": self.verdict,
            "clearance": self.clearance,
            "least_clearance": self.least_clearance if isfinite(self.least_clearance) else None,
            "proven_clearance": self.proven_clearance,
            "between": None if self.between is None else list(self.between),
            "at": _in_units(self.at, units),
            "units": {joint: _unit(joint, units)[0] for joint in self.at},
            "point": None if self.point is None else list(self.point),
            "meets": [meeting.as_data(units) for meeting in self.meets],
            "brackets": [meeting.ends_as_data(units) for meeting in self.meets],
            "undecided": [doubt.as_data(units) for doubt in self.doubts],
            "excused": [{"between": [a, b], "reason": reason} for a, b, reason in self.excused],
            "tessellation": self.tessellation,
            "measured": [one.as_data() for one in self.measured],
            "pairs": self.pairs,
            "tests": self.tests,
            "seconds": self.seconds,
            "notes": list(self.notes),
            "holds": [one.as_data() for one in self.holds],
            "needed": dict(self.needed),
        }


def _unit(joint: str, units: Units) -> tuple[str, float]:
    """Of one joint, or of one coordinate of it: "joint (2)"."""
    return units.get(joint, ("SI", 1.0))


def _in_units(at: dict[str, float], units: Units) -> dict[str, float]:
    return {joint: value / _unit(joint, units)[1] for joint, value in at.items()}
