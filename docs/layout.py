"""The pictures of the layout: one list of layers, one line of each folder.

    python docs/layout.py        # writes them into CONTRIBUTING.md and the page on architecture

The order comes from the import contract in pyproject.toml, the words from the first line of each
folder's `__init__.py`. A picture is between `<!-- layout: ... -->` and `<!-- layout end -->`.
"""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dovetail"
PAGES = (ROOT / "CONTRIBUTING.md", ROOT / "docs" / "explanation" / "architecture.md")
PICTURE = re.compile(
    r"(<!-- layout: (folders|subfolders) -->\n```text\n).*?(```\n<!-- layout end -->)", re.DOTALL
)


def layers() -> list[list[str]]:
    """Folders and single modules from top to bottom; those of one layer together."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (contract,) = [one for one in contracts if one["type"] == "layers"]
    return [re.findall(r"\w+", layer) for layer in contract["layers"]]


def purpose(module: Path) -> str:
    """The first line of the docstring of a package's folder or of a file."""
    source = module / "__init__.py" if module.is_dir() else module
    docstring = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8")))
    return (docstring or "").partition("\n")[0]


def folders_of(folder: Path) -> list[Path]:
    """The packages inside a package, by name."""
    return sorted(path.parent for path in folder.glob("*/__init__.py"))


def picture(depth: str) -> str:
    """The tree of folders, with `depth` "subfolders" two levels of it."""
    rows = [("src/dovetail/", "")]
    for name in (name for layer in layers() for name in layer):
        module = PACKAGE / name if (PACKAGE / name).is_dir() else PACKAGE / f"{name}.py"
        rows.append((f"  {module.name}{'/' if module.is_dir() else ''}", purpose(module)))
        if depth == "subfolders" and module.is_dir():
            rows += [(f"    {inner.name}/", purpose(inner)) for inner in folders_of(module)]
    column = max(len(name) for name, _ in rows) + 2
    return "".join(f"{name:{column}}{words}".rstrip() + "\n" for name, words in rows)


def with_pictures(text: str) -> str:
    """The text of a page with its pictures as they should be."""
    return PICTURE.sub(lambda found: found[1] + picture(found[2]) + found[3], text)


def main() -> None:
    for page in PAGES:
        page.write_text(with_pictures(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
