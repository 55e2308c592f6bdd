"""Write generated tables into the pages, so that they are whole in the repository too.

    python docs/fill_pages.py            # writes
    python docs/fill_pages.py --check    # exit code 1 where a page is out of date

A page holds

    <!-- generated: commands -->
    ...
    <!-- end of generated -->

The site's build puts fresh text there whatever the file has. Lists that change with every message
of the package (`errors`) or that mkdocstrings writes are left to the site; their pages say so.
"""

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

DOCS = Path(__file__).parent
END = "<!-- end of generated -->"
BLOCK = re.compile(
    r"<!-- generated: (?P<name>[a-z0-9 -]+) -->"
    r"(?:\n(?:(?!<!-- generated:).)*?<!-- end of generated -->)?",
    re.DOTALL,
)
LEFT_TO_THE_SITE = {"errors", "methods api"}


def filled(markdown: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """The page with generated text between its marks."""

    def block(match: re.Match[str]) -> str:
        name = match["name"]
        if name in LEFT_TO_THE_SITE:
            return f"<!-- generated: {name} -->"
        return f"<!-- generated: {name} -->\n\n{parts[name]().strip()}\n\n{END}"

    return BLOCK.sub(block, markdown)


def main(arguments: list[str]) -> int:
    """Fill all pages, or say which are out of date."""
    from site_hooks import GENERATED

    stale = []
    for page in sorted(DOCS.rglob("*.md")):
        old = page.read_text(encoding="utf-8")
        new = filled(old, GENERATED)
        if new != old:
            stale.append(page)
            if "--check" not in arguments:
                page.write_text(new, encoding="utf-8")
    for page in stale:
        print(page.relative_to(DOCS))
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.path.insert(0, str(DOCS))
    sys.exit(main(sys.argv[1:]))
