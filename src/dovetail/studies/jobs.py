"""How one run is made from its values: from a scene document, or by a function of the user."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from dovetail.errors import InputError
from dovetail.io.run_settings import RunSettings
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.scene_file.reading.files import scene_of_document
from dovetail.model.scene import Scene
from dovetail.model.values import quote
from dovetail.simulate.fingerprint import described
from dovetail.simulate.requested import requested_contact, requested_integrator
from dovetail.simulate.step_control import LargeAndSmallSteps
from dovetail.studies.varied import Varied, with_values

Settings = dict[str, Any]  # what `simulate` takes besides the scene: duration, step, contact, ...


class Job(Protocol):
    """Makes the scene and the settings of a run; sent to the workers."""

    @property
    def settings(self) -> Settings:
        """Those that are given for all runs."""

    def __call__(self, values: Mapping[str, Any], check: bool = True) -> tuple[Scene, Settings]:
        """The run with these values; without `check`, `simulate` finds what is wrong in it."""

    def identity(self) -> dict[str, Any]:
        """What a run depends on besides its values, as plain data."""


@dataclass(frozen=True, eq=False)
class DocumentJob:
    """A scene document into which the values are written; `settings` overrule its own."""

    document: dict[str, Any]
    source: Path  # the file it was read from; meshes are relative to its folder
    vary: dict[str, Varied]
    settings: Settings = field(default_factory=dict)
    allow_paths: tuple[str, ...] = ()

    def __call__(self, values: Mapping[str, Any], check: bool = True) -> tuple[Scene, Settings]:
        document = with_values(self.document, self.vary, values)
        files = MeshFolder(self.source.parent, self.allow_paths)
        loaded = scene_of_document(document, self.source, files, build=check)
        return loaded.scene, settings_of(loaded.run) | self.settings

    def identity(self) -> dict[str, Any]:
        return {"scene": described(self.document), "settings": described(self.settings)}


def settings_of(run: RunSettings) -> Settings:
    """The arguments of `simulate` that a `run` section sets."""
    requested: Settings = {
        "duration": run.duration,
        "step": run.step,
        "every": run.every,
        "contact": requested_contact(run),
        "integrator": requested_integrator(run),
    }
    if run.large_step is not None and run.step is not None:
        requested["step_control"] = LargeAndSmallSteps(run.large_step, run.step)
    return {key: value for key, value in requested.items() if value is not None}


@dataclass(frozen=True, eq=False)
class FunctionJob:
    """A function that takes the values by name and returns the scene."""

    build: Callable[..., Any]
    settings: Settings

    def __call__(self, values: Mapping[str, Any], check: bool = True) -> tuple[Scene, Settings]:
        scene = self.build(**values)
        if not isinstance(scene, Scene):
            raise InputError(f"the scene function must return a dt.Scene, got {quote(scene)}")
        return scene, self.settings

    def identity(self) -> dict[str, Any]:
        return {"scene": described(self.build), "settings": described(self.settings)}
