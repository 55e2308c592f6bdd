"""The questions that options of `dovetail prove` ask."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dovetail.errors import InputError

if TYPE_CHECKING:
    from dovetail.model.scene import Scene
    from dovetail.prove.verdict import Units


@dataclass(frozen=True)
class Asked:
    """Options as they were written."""

    sweeps: tuple[str, ...]
    paths: tuple[str, ...]
    assemble: str | None
    drives: tuple[str, ...]
    by: str | None
    force: float | None
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
        options = {"--by": self.by, "--force": self.force, "--contact": self.contact}
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
        """--by and --force, which are about driven motions."""
        options = {"by": self.by, "force": self.force}
        wanted.update({name: value for name, value in options.items() if value is not None})
