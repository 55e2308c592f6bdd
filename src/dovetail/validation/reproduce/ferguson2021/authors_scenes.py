"""The authors' own scenes, where the user has them: github.com/ipc-sim/rigid-ipc."""

from pathlib import Path
from typing import Any

from dovetail import contact
from dovetail.errors import InputError
from dovetail.io import load_scene
from dovetail.results import Result
from dovetail.simulate import simulate

POSES = 100_000  # recorded at most, about; the verifier follows every step all the same


class AuthorsScenes:
    """A folder with `fixtures` and `meshes`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not all((folder / part).is_dir() for part in ("fixtures", "meshes")):
            raise InputError(
                "the folder of the authors' scenes must have `fixtures` and `meshes` in it, as "
                f"github.com/ipc-sim/rigid-ipc has, got {folder}"
            )

    def names(self, beginning: str) -> list[str]:
        """All scenes below a folder of `fixtures`."""
        top = self.folder / "fixtures"
        found = (path.relative_to(top).as_posix() for path in sorted(top.rglob("*.json")))
        return [name.removesuffix(".json") for name in found if name.startswith(beginning)]

    def run(
        self,
        name: str,
        duration: float | None = None,
        step: float | None = None,
        **changed: Any,
    ) -> Result:
        """Its whole time with its own settings, but for those given: times [s], options of IPC."""
        loaded = load_scene(self.folder / "fixtures" / f"{name}.json")
        requested = loaded.run.contact
        step, duration = step or loaded.run.step, duration or loaded.run.duration
        assert requested is not None and step is not None and duration is not None
        law = contact.named(requested.name, requested.options | changed)
        frames = len(loaded.scene.bodies) * duration / step
        return simulate(
            loaded.scene, duration, step, law, every=max(1, round(frames / POSES)), progress=False
        )
