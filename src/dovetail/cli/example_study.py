"""Studies of a built-in example through the parameters of the function that builds it."""

from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from dovetail import examples
from dovetail.cli.scene_argument import find_run
from dovetail.errors import InputError
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.scene_file.reading.files import scene_of_document
from dovetail.io.scene_file.writing.scene import run_document
from dovetail.model.values import quote
from dovetail.studies.document import StudyRequest
from dovetail.studies.jobs import FunctionJob, Settings, settings_of


def built_by_example(study: Path, request: StudyRequest, settings: Settings) -> FunctionJob | None:
    """The job where parameters of an example are varied or set; None where places are."""
    name = request.scene
    if name not in examples.names() or (study.parent / name).exists():
        return None
    build = examples.get(name).build
    known = list(signature(build).parameters)
    requested = [*request.vary, *request.constant]
    if not any(key in known for key in requested):
        return None
    for key in requested:
        if key not in known or (key in request.vary and request.vary[key].places):
            raise InputError(
                f"{study.name}: {quote(key)} is no parameter of the example {name} (it has "
                f"{', '.join(known)}); vary parameters or places in the scene, not both"
            )
    document = {"version": 1, "run": run_document(find_run(name))}
    document = with_run(document, request.run, study.name)
    run = scene_of_document(document, study, MeshFolder(study.parent, ())).run
    return FunctionJob(partial(build, **request.constant), settings_of(run) | settings)


def with_run(document: dict[str, Any], run: dict[str, Any], name: str) -> dict[str, Any]:
    """The document with these entries of its `run` section replaced."""
    written = document.get("run", {})
    if not isinstance(written, dict):
        raise InputError(f"{name}: the scene's `run` must be a mapping")
    return {**document, "run": {**written, **run}} if run else document
