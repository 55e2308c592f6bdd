"""Damaged files of every format are read or refused with a sentence; nothing else happens."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutations import mutated
from samples import samples, written

import dovetail as dt
from dovetail.errors import InputError
from dovetail.io import load_scene

FORMATS = (
    "s.yaml", "r.urdf", "m.xml", "m.obj", "m.stl", "text/m.stl", "m.ply", "text/m.ply", "m.off",
    "m.glb", "r.h5",
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return samples(tmp_path_factory.mktemp("whole"))


def read(folder: Path, name: str, data: bytes) -> None:
    path = folder / written(folder, name, data)
    if path.suffix == ".h5":
        dt.load(path).position("a")
    else:
        load_scene(path).scene.build()


def mistakes(folder: Path, name: str, data: bytes) -> tuple[str, ...]:
    """What an InputError says; any other error is not caught."""
    try:
        read(folder, name, data)
    except InputError as error:
        return tuple(error.mistakes)
    return ()


@pytest.mark.parametrize("name", FORMATS)
def test_the_undamaged_file_is_read(tmp_path: Path, whole: dict[str, bytes], name: str) -> None:
    read(tmp_path, name, whole[name])
    assert set(FORMATS) == set(whole)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32))
def test_a_damaged_file_is_read_or_refused_in_words(
    tmp_path: Path, whole: dict[str, bytes], name: str, seed: int
) -> None:
    sentences = mistakes(tmp_path, name, mutated(whole[name], seed))
    assert all(len(sentence) > 10 and "\n" not in sentence for sentence in sentences), sentences
