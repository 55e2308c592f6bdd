"""The tree of tests mirrors that of the package."""

from pathlib import Path

import pytest

import dovetail

TESTS = Path(__file__).parent
PACKAGE = Path(dovetail.__file__).parent
ACROSS = {"agreement", "docs", "extensions", "hostile", "papers", "physics"}
"""Folders of tests about the whole: closed forms, other methods and programs, bad input, pages."""
ELSEWHERE = {"validation": "tests/cli, whose commands are all there is to it"}


def folders(root):
    paths = (path.relative_to(root) for path in root.rglob("*") if path.is_dir())
    return sorted(path for path in paths if "__pycache__" not in path.parts)


OF_PARTS = [folder for folder in folders(TESTS) if folder.parts[0] not in ACROSS]


@pytest.mark.parametrize("folder", OF_PARTS, ids=str)
def test_a_folder_of_tests_has_the_name_of_what_it_tests(folder):
    assert (PACKAGE / folder).is_dir()


def test_every_part_of_the_package_has_tests():
    parts = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert {part for part in parts if not (TESTS / part).is_dir()} == set(ELSEWHERE)


def test_what_tests_share_is_used():
    texts = {path: path.read_text() for path in TESTS.rglob("*.py")}
    benchmarks = TESTS.parent / "benchmarks"
    texts |= {path: path.read_text() for path in benchmarks.rglob("*.py")}
    shared = [path for path in TESTS.rglob("*.py") if not path.stem.startswith("test_")]
    unused = [
        path.stem for path in shared
        if path.stem != "conftest" and not any(path.stem in texts[other] for other in texts
                                               if other != path)
    ]  # fmt: skip
    assert unused == []
