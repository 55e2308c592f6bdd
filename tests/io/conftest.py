"""Fixtures for scene files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dovetail.errors import InputError
from dovetail.io import LoadedScene, load_scene

WriteScene = Callable[..., Path]
Mistakes = Callable[..., list[str]]


@pytest.fixture
def write(tmp_path: Path) -> WriteScene:
    """Write a text (or bytes) as a file of the test's own folder."""

    def write_file(content: str | bytes, name: str = "scene.yaml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


@pytest.fixture
def load(write: WriteScene) -> Callable[..., LoadedScene]:
    return lambda content, name="scene.yaml": load_scene(write(content, name))


@pytest.fixture
def mistakes(write: WriteScene) -> Mistakes:
    """The sentences a bad scene is refused with."""

    def refused(content: str | bytes, name: str = "scene.yaml") -> list[str]:
        with pytest.raises(InputError) as caught:
            load_scene(write(content, name))
        return caught.value.mistakes

    return refused
