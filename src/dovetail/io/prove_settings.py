"""What a scene file asks to be proven."""

from dataclasses import dataclass, field

Ranges = dict[str, tuple[tuple[float, float], ...]]


@dataclass(frozen=True)
class ProveSettings:
    """The `prove` section in SI units; ranges by joint, one pair for each coordinate."""

    clearance: float = 0.0  # [m]
    sweep: Ranges = field(default_factory=dict)  # [rad or m] from the initial pose
    drive: Ranges = field(default_factory=dict)
    units: dict[str, tuple[str, float]] = field(default_factory=dict)  # of joints: name, in SI
    ignore: tuple[tuple[str, str], ...] = ()
