"""The tree of tests mirrors that of the package."""

import ast
import os
from pathlib import Path

import pytest

import dovetail

TESTS = Path(__file__).parent
PACKAGE = Path(dovetail.__file__).parent
ACROSS = {"agreement", "docs", "extensions", "hostile", "papers", "physics"}
"""Folders of tests about the whole: closed forms, other methods and programs, bad input, pages."""
ELSEWHERE = {
    "io/link_trees": "io/urdf",
    "io/scene_file/reading": "io/scene_file",
    "io/scene_file/schema": "io/scene_file",
    "io/scene_file/writing": "io/scene_file",
    "validation/agreement": "agreement/test_agreement_table.py",
    "validation/agreement/cases": "agreement/test_agreement_table.py",
    "validation/bench": "cli/test_bench.py",
    "validation/reproduce": "cli/test_reproduce.py",
    "validation/reproduce/ferguson2021": "papers/test_ferguson2021.py",
    "validation/reproduce/huang2022": "papers/test_huang2022.py",
    "validation/reproduce/qi2009": "papers/test_qi2009.py",
    "validation/reproduce/xu": "papers/test_xu.py",
    "validation/reproduce/zhang2024": "papers/test_zhang2024.py",
}
"""Folders of the package that are tested through others, and where."""


def folders(root):
    paths = (path.relative_to(root) for path in root.rglob("*") if path.is_dir())
    return sorted(path for path in paths if "__pycache__" not in path.parts)


OF_PARTS = [folder for folder in folders(TESTS) if folder.parts[0] not in ACROSS]
FILES = [
    path for path in sorted(TESTS.rglob("test_*.py"))
    if path.parent != TESTS and path.relative_to(TESTS).parts[0] not in ACROSS
]  # fmt: skip


def folder_of(name):
    """Folder of the package that a dotted name is in: of a package, a module or what is in one."""
    path = PACKAGE.joinpath(*name.split(".")[1:])
    return next(folder for folder in (path, *path.parents) if folder.is_dir())


def imported_folders(path):
    """Folders of the package that a file imports modules or names from."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dovetail"):
            for alias in node.names:
                yield folder_of(f"{node.module}.{alias.name}")


@pytest.mark.parametrize("folder", OF_PARTS, ids=str)
def test_a_folder_of_tests_has_the_name_of_what_it_tests(folder):
    assert (PACKAGE / folder).is_dir()


def test_every_folder_of_the_package_has_tests_in_its_mirror_folder():
    parts = (path for path in folders(PACKAGE) if (PACKAGE / path / "__init__.py").exists())
    without = {part.as_posix() for part in parts if not [*(TESTS / part).rglob("test_*.py")]}
    assert without == set(ELSEWHERE)
    assert [place for place in ELSEWHERE.values() if not (TESTS / place).exists()] == []


def test_a_file_of_tests_is_in_the_folder_of_what_it_imports():
    """Where all that it imports of its part of the package is in one folder, it is there too."""
    misplaced = []
    for path in FILES:
        mirror = PACKAGE / path.relative_to(TESTS).parent
        part = PACKAGE / path.relative_to(TESTS).parts[0]
        own = [folder for folder in imported_folders(path) if folder.is_relative_to(part)]
        common = Path(os.path.commonpath(own)) if own else mirror
        where = common.relative_to(PACKAGE).as_posix()
        if common != mirror and common.is_relative_to(mirror) and where not in ELSEWHERE:
            misplaced.append(f"{path.relative_to(TESTS)} tests {where}")
    assert misplaced == []


def test_a_file_of_tests_with_the_name_of_a_module_is_beside_it():
    """As `shared/test_block_solver.py` for `shared/block_solver.py`."""
    misplaced = []
    for path in FILES:
        name, mirror = path.stem.removeprefix("test_"), PACKAGE / path.relative_to(TESTS).parent
        named = {module.parent for module in mirror.rglob(f"{name}.py")} | {*mirror.rglob(name)}
        if named and mirror not in named:
            misplaced.append(f"{path.relative_to(TESTS)} has the name of what is in {named}")
    assert misplaced == []


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


def test_no_two_files_have_one_name():
    """Without packages pytest imports them by their names alone."""
    names = [path.stem for path in TESTS.rglob("*.py") if path.stem != "conftest"]
    assert sorted({name for name in names if names.count(name) > 1}) == []
