"""What a scene file asks to be proven."""

from dataclasses import dataclass, field
from typing import Any

Ranges = dict[str, tuple[tuple[float, float], ...]]


@dataclass(frozen=True)
class ProveSettings:
    """The `prove` section in SI units; ranges by joint, one pair for each coordinate."""

    clearance: float = 0.0  # [m]
    sweep: Ranges = field(default_factory=dict)  # [rad or m] from the initial pose
    path: dict[str, tuple[float, ...]] = field(default_factory=dict)  # [rad or m]
    assemble: dict[str, Any] = field(default_factory=dict)  # part: "up" or places [m]
    drive: Ranges = field(default_factory=dict)
    by: str = "motor"
    force: dict[str, float] | None = None  # [N or N m]
    duration: float | None = None  # [s]
    units: dict[str, tuple[str, float]] = field(default_factory=dict)  # of joints: name, in SI
    ignore: tuple[tuple[str, str], ...] = ()

    def question(self) -> dict[str, Any]:
        """What `dt.prove` is to be called with, besides scene, clearance and pairs."""

        def plain(ranges: Ranges) -> dict[str, Any]:
            return {name: rows[0] if len(rows) == 1 else rows for name, rows in ranges.items()}

        if self.drive:
            return {
                "drive": plain(self.drive), "by": self.by, "force": self.force,
                "duration": self.duration,
            }  # fmt: skip
        for name, asked in (("path", self.path), ("assemble", self.assemble)):
            if asked:
                return {name: asked}
        return {"sweep": plain(self.sweep)}
