"""The questions that options of `dovetail prove` ask."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dovetail.errors import InputError

if TYPE_CHECKING:
    from dovetail.model.scene import Scene
    from dovetail.prove.verdict import Units


def force_of(texts: tuple[str, ...]) -> float | dict[str, float] | None:
    """Of "5", one force for all motors, or of "push: 5", "turn: 0.2", one for each."""
    if not texts:
        return None
    rows = [text.rpartition(":")[::2] for text in texts]
    try:
        forces = {name.strip(): float(value) for name, value in rows}
    except ValueError:
        raise InputError(
            f'--force must be a number or "JOINT: NUMBER", got {", ".join(map(repr, texts))}'
        ) from None
    if "" in forces and len(rows) > 1:
        raise InputError("--force must be one number for all motors, or one for each joint")
    return forces.get("", forces)


@dataclass(frozen=True)
class Request:
    """Options as they were written."""

    sweeps: tuple[str, ...]
    paths: tuple[str, ...]
    assemble: str | None
    drives: tuple[str, ...]
    by: str | None
    force: float | dict[str, float] | None
    duration: float | None
    contact: str | None

    @property
    def something(self) -> bool:
        return bool(self.sweeps or self.paths or self.assemble or self.drives)

    def refuse_several(self) -> None:
        given = {
            "--sweep": self.sweeps, "--path": self.paths, "--assemble": self.assemble,
            "--drive": self.drives,
        }  # fmt: skip
        names = [name for name, value in given.items() if value]
        if len(names) > 1:
            raise InputError(f"one question at a time, got {' and '.join(names)}")

    def refuse_options(self, wanted: dict[str, Any]) -> None:
        """Options of driven motions where nothing is driven."""
        options = {
            "--by": self.by, "--force": self.force, "--duration": self.duration,
            "--contact": self.contact,
        }  # fmt: skip
        given = [name for name, value in options.items() if value is not None]
        if given and "drive" not in wanted:
            raise InputError(f"{given[0]} is for driven motions; add --drive")

    def in_si(self, scene: "Scene") -> "tuple[dict[str, Any], Units]":
        """What `dt.prove` is to be called with, and the units of joints."""
        from dovetail.prove.request.spoken import assembly_in_si, paths_in_si, sweeps_in_si

        if self.paths:
            path, units = paths_in_si(self.paths, scene)
            return {"path": path}, units
        if self.assemble:
            assemble, units = assembly_in_si(self.assemble, scene)
            return {"assemble": assemble}, units
        ranges, units = sweeps_in_si(self.drives or self.sweeps, scene)
        wanted: dict[str, Any] = {"drive" if self.drives else "sweep": ranges}
        self.add_options(wanted)
        return wanted, units

    def add_options(self, wanted: dict[str, Any]) -> None:
        """--by, --force and --duration, which are about driven motions."""
        options = {"by": self.by, "force": self.force, "duration": self.duration}
        wanted.update({name: value for name, value in options.items() if value is not None})
