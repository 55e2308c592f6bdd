"""What the site's build adds to the pages: generated reference, formulas, folders in the nav.

A page holds a mark such as `<!-- generated: commands -->`; the text comes from the package itself
at build time, so it cannot be out of date on the site. `fill_pages.py` writes it into the files.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "src")]

from commands_page import commands_markdown  # noqa: E402
from errors_page import errors_markdown  # noqa: E402
from fill_pages import BLOCK  # noqa: E402
from made_pages import made_parts  # noqa: E402
from methods_page import methods_api, methods_markdown  # noqa: E402
from names_page import names_parts  # noqa: E402
from schema_page import scene_markdown  # noqa: E402

GENERATED = {
    "commands": commands_markdown,
    "errors": errors_markdown,
    "methods": methods_markdown,
    "methods api": methods_api,
    "scene file": scene_markdown,
    **made_parts(),
    **names_parts(),
}
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def on_pre_build(**_: Any) -> None:
    """Make all pictures anew where that is asked for; it takes minutes."""
    if os.environ.get("DOVETAIL_MAKE_IMAGES") == "1":
        import make_images

        make_images.main([])


def on_config(config: Any) -> Any:
    """An entry of the nav that ends in a slash stands for the pages of that folder.

    Those that the nav names elsewhere are left out.
    """
    config.nav = expanded(config.nav, set(_named(config.nav)))
    return config


def _named(entry: Any) -> list[str]:
    """All pages and folders of a nav."""
    if isinstance(entry, list):
        return [name for one in entry for name in _named(one)]
    if isinstance(entry, dict):
        return [name for value in entry.values() for name in _named(value)]
    return [entry]


def expanded(entry: Any, named: set[str]) -> Any:
    """The entry with pages in the place of folders."""
    if isinstance(entry, list):
        parts = [(one, expanded(one, named)) for one in entry]
        return [page for one, pages in parts for page in (pages if _is_folder(one) else [pages])]
    if isinstance(entry, dict):
        return {name: expanded(value, named) for name, value in entry.items()}
    if _is_folder(entry):
        pages = sorted(str(page.relative_to(FOLDER)) for page in (FOLDER / entry).glob("*.md"))
        return [page for page in pages if page not in named]
    return entry


def _is_folder(entry: Any) -> bool:
    return isinstance(entry, str) and entry.endswith("/")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill in what is generated from the package."""
    return BLOCK.sub(lambda block: GENERATED[block["name"]](), markdown)


def on_page_content(html: str, **_: Any) -> str:
    """TeX as MathML, which browsers draw by themselves."""
    return FORMULA.sub(_as_mathml, html)


def _as_mathml(match: re.Match[str]) -> str:
    from html import unescape

    from latex2mathml.converter import convert

    display = "block" if match[2] == "[" else "inline"
    return convert(unescape(match[3].strip()), display=display)
