"""What every scene reader returns."""

import os
import sys
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

    def print_notes(self) -> None:
        """Print the notes on stderr, each once in a process; DOVETAIL_QUIET=1 silences it."""
        if os.environ.get("DOVETAIL_QUIET") == "1":
            return
        for note in self.notes:
            sentence = f"dovetail: {self.source.name}: {note}"
            if sentence not in _printed:
                _printed.add(sentence)
                print(sentence, file=sys.stderr)


_printed: set[str] = set()
