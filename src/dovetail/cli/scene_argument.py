"""SCENE on the command line: a file, or the name of a built-in example."""

from pathlib import Path

from dovetail import examples
from dovetail.errors import InputError
from dovetail.io import LoadedScene, load_scene
from dovetail.io.run_settings import Choice, RunSettings
from dovetail.model.mesh_files.reading import SUFFIXES


def find_scene(
    argument: str,
    allow_paths: tuple[str, ...] = (),
    package_paths: tuple[str, ...] = (),
    fixed_base: bool | None = None,
    keyframe: str | None = None,
) -> LoadedScene:
    """The scene and run settings that `argument` names; the others as for `load_scene`."""
    if argument in examples.names() and not Path(argument).exists():
        return LoadedScene(examples.get(argument).build(), find_run(argument), Path(argument), [])
    if not Path(argument).exists() and not Path(argument).suffix:
        raise InputError(
            f"{argument!r} is neither a file nor a built-in example; examples: "
            + ", ".join(examples.names())
        )
    if Path(argument).suffix.lower() in SUFFIXES:
        raise InputError(
            f"{argument} is a mesh, not a scene; write a scene file with a body whose shape is "
            f"{{mesh: {Path(argument).name}}}"
        )
    return load_scene(
        argument, allow_paths=allow_paths, package_paths=package_paths, fixed_base=fixed_base,
        keyframe=keyframe,
    )  # fmt: skip


def find_run(example: str) -> RunSettings:
    """How a built-in example is run."""
    run = dict(examples.get(example).RUN)
    for what in ("contact", "integrator"):
        if (method := run.get(what)) is not None:
            run[what] = Choice(method.name, dict(vars(method)))
    return RunSettings(**run)
