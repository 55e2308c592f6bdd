"""The code blocks of a Markdown page, with what the page says about running them.

A fence is run, written to a file (```yaml title="crate.yaml"), or compared with what the block
before it printed (```text). HTML comments above a fence change that:

    <!-- not run: reason -->      shown only
    <!-- exit code: 2 -->         a command that must fail like this
    <!-- fragment: reason -->     yaml that is only a part of a scene file

and a comment that starts with `run:` holds Python that the reader does not see.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

RUN = ("python", "bash")
WRITTEN = ("yaml", "json", "xml")
SHOWN = ("text", "matlab")  # text after a run block is its output
FENCE = re.compile(
    r"<!--\s*(?P<comment>.*?)-->"
    r"|^(?P<indent>[ ]*)(?P<ticks>`{3,})(?P<info>[^\n`]*)\n"
    r"(?P<code>.*?)^(?P=indent)(?P=ticks)[ ]*$",
    re.MULTILINE | re.DOTALL,
)
TITLE = re.compile(r'title="([^"]+)"')
MARK = re.compile(r"(not run|exit code|fragment):\s*(.*)", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fence, or one hidden block (language "python")."""

    language: str
    code: str
    line: int
    title: str | None = None
    marks: dict[str, str] = field(default_factory=dict)


def blocks_of(page: Path) -> list[Block]:
    """All blocks in the order of the page."""
    text = page.read_text(encoding="utf-8")
    found, marks, end = [], {}, 0
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if text[end : match.start()].strip():
            marks = {}  # a mark holds for the fence right below it
        end = match.end()
        comment = match["comment"]
        if comment is None:
            found.append(_fence(match, line, marks))
            marks = {}
        elif comment.startswith("run:"):
            found.append(Block("python", comment.removeprefix("run:"), line))
        elif mark := MARK.match(comment.strip()):
            marks[mark[1]] = mark[2].strip()
    return found


def _fence(match: re.Match[str], line: int, marks: dict[str, str]) -> Block:
    language, _, rest = match["info"].strip().partition(" ")
    title = TITLE.search(rest)
    indent = len(match["indent"])
    code = "\n".join(row[indent:] for row in match["code"].split("\n"))
    return Block(language, code, line, title[1] if title else None, dict(marks))
