"""SCENE on the command line: a file, or the name of a built-in example."""

from pathlib import Path

from dovetail import examples
from dovetail.errors import InputError
from dovetail.io import LoadedScene, load_scene
from dovetail.io.run_settings import RunSettings


def find_scene(argument: str, allow_paths: tuple[str, ...] = ()) -> LoadedScene:
    """The scene and run settings that `argument` names."""
    if argument in examples.names() and not Path(argument).exists():
        example = examples.get(argument)
        return LoadedScene(example.build(), RunSettings(**example.RUN), Path(argument), [])
    if not Path(argument).exists() and not Path(argument).suffix:
        raise InputError(
            f"{argument!r} is neither a file nor a built-in example; examples: "
            + ", ".join(examples.names())
        )
    return load_scene(argument, allow_paths=allow_paths)
