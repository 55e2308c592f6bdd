"""One list of layers: the import contract, the folders and the pages say the same."""

import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "dovetail"
sys.path.insert(0, str(ROOT / "docs"))

import layout  # noqa: E402

FOR_MAINTAINERS = (ROOT / "CONTRIBUTING.md", ROOT / "docs" / "explanation" / "architecture.md")
PAGES = [
    ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "made"),
]  # fmt: skip
IN_TICKS = re.compile(r"`([\w.-]+/[\w./-]*)`")
OF_REPOSITORY = re.compile(r"(?<![\w./-])(?:src|tests|docs|benchmarks|web)/[\w./-]*\w")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
MODULE = re.compile(r"\bdovetail(?:\.[A-Za-z_]\w*)+")
NOT_PROSE = re.compile(r"^( *)```.*?^\1```|<!--.*?-->", re.MULTILINE | re.DOTALL)
TEST = re.compile(r"\btest_\w+\b(?!\.py)")
PLACES = (ROOT, PACKAGE, ROOT / "docs")  # what paths may be relative to, besides the page itself


def of_package(folder: Path) -> set[str]:
    """What the package has at its top: folders and modules, without what Python itself needs."""
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
    return modules | {path.parent.name for path in folder.glob("*/__init__.py")}


def test_contract_lists_every_folder_of_the_package_once():
    listed = [name for layer in layout.layers() for name in layer]
    assert len(listed) == len(set(listed))
    assert set(listed) == of_package(PACKAGE)


@pytest.mark.parametrize("page", layout.PAGES, ids=lambda page: page.name)
def test_picture_of_the_layout_is_the_contract_and_the_docstrings(page):
    text = page.read_text()
    assert layout.PICTURE.search(text), f"{page.name} has no picture of the layout"
    assert layout.with_pictures(text) == text, "run: python docs/layout.py"


def test_picture_shows_a_folder_that_is_new_and_the_order_of_the_contract(monkeypatch):
    drawn = layout.picture("folders")
    names = re.findall(r"^  (\w+)", drawn, re.MULTILINE)
    assert names == [name for layer in layout.layers() for name in layer]
    upside_down = layout.layers()[::-1]
    monkeypatch.setattr(layout, "layers", lambda: upside_down)
    assert layout.picture("folders") != drawn


def test_every_folder_of_the_picture_says_what_it_is():
    rows = layout.picture("subfolders").splitlines()[1:]
    assert [row for row in rows if not re.match(r" +\S+ +\S.*\.$", row)] == []


def exists(name: str, page: Path) -> bool:
    return any((place / name).exists() for place in (page.parent, *PLACES))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_modules_and_tests_that_a_page_names_exist(page):
    text = NOT_PROSE.sub("", page.read_text())
    paths = OF_REPOSITORY.findall(text)
    if page in FOR_MAINTAINERS or page.name == "glossary.md":
        paths += IN_TICKS.findall(text)
    missing = [name for name in paths if not exists(name, page)]
    missing += [name for name in LINK.findall(text) if not (page.parent / name).exists()]
    missing += [name for name in MODULE.findall(text) if not is_importable(name)]
    missing += [name for name in TEST.findall(text) if name not in names_of_tests()]
    assert missing == [], f"{page.name} names what does not exist"


def test_questions_of_a_newcomer_lead_to_files():
    table = (ROOT / "CONTRIBUTING.md").read_text().partition("### Where would I change")[2]
    rows = re.findall(r"^\| (.+?) \| `(.+?)` \|$", table.partition("\n## ")[0], re.MULTILINE)
    assert len(rows) >= 10
    assert [file for _, file in rows if not (PACKAGE / file).is_file()] == []


@cache
def names_of_tests() -> set[str]:
    """All functions and files of the suite."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    functions = [name for file in files for name in re.findall(r"def (test_\w+)", file.read_text())]
    return {*functions, *(file.stem for file in files)}


def is_importable(dotted: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        path = PACKAGE.joinpath(*parts[1:length])
        if path.is_dir() or path.with_suffix(".py").is_file():
            found = import_module(".".join(parts[:length]))
            break
    for part in parts[length:]:
        if not hasattr(found, part):
            return part in getattr(found, "__annotations__", {})
        found = getattr(found, part)
    return True


def test_a_name_that_does_not_exist_is_noticed():
    assert is_importable("dovetail.contact.IPC") and is_importable("dovetail.runtime.jit")
    assert not is_importable("dovetail.kernels.vec3")
    assert not is_importable("dovetail.contact.METHOD")
    assert not exists("contact/ipc/iterates.py", ROOT / "CONTRIBUTING.md")


@pytest.mark.slow
def test_import_contracts_are_kept():
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
