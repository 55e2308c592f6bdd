"""What every scene reader returns."""

from dataclasses import dataclass, field
from pathlib import Path

from dovetail.io.prove_settings import ProveSettings
from dovetail.io.run_settings import RunSettings
from dovetail.model.scene import Scene


@dataclass(frozen=True, eq=False)
class LoadedScene:
    """A scene with how its file asks to be run; `notes` tell what was read differently."""

    scene: Scene
    run: RunSettings
    source: Path
    notes: list[str] = field(default_factory=list)
    prove: ProveSettings | None = None  # what the file asks to be proven
