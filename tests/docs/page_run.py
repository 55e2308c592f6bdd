"""Running the blocks of one page, in order, in one folder and one namespace."""

import contextlib
import doctest
import io
import linecache
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from code_blocks import RUN, SHOWN, WRITTEN, Block, blocks_of

from dovetail.cli import main
from dovetail.io import load_scene
from dovetail.studies.document import read_study

ROOT = Path(__file__).parents[2]  # known to hidden blocks
SHELL_WORDS = {"|", ">", "&&", "||", ";", "<"}
LIKE_DOCTEST = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MINUS_ZERO = re.compile(r"-(0\.?0*)(?![\d.eE])")  # a sign that rounding decides


def _dovetail_commands(code: str) -> list[list[str]] | None:
    """The arguments of each line, or None where a line is more than a dovetail command."""
    lines = [words for row in code.splitlines() if (words := shlex.split(row, comments=True))]
    plain = all(words[0] == "dovetail" and not set(words) & SHELL_WORDS for words in lines)
    return [words[1:] for words in lines] if plain else None


class PageError(AssertionError):
    """Says which page and line is wrong."""


class PageRun:
    """The state a page has built up so far: files, variables, the last output."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.names: dict[str, object] = {"__name__": "__page__", "ROOT": ROOT}
        self.printed: str | None = None  # by the block right before

    def run(self) -> None:
        for block in blocks_of(self.page):
            self._take(block)

    def _take(self, block: Block) -> None:
        if block.language not in (*RUN, *WRITTEN, *SHOWN):
            raise self._error(block, f"no rule for a block of language {block.language!r}")
        for mark in ("not run", "fragment"):
            if mark in block.marks and not block.marks[mark]:
                raise self._error(block, f"`{mark}:` needs a reason")
        if "not run" in block.marks:
            self.printed = None
        elif block.language == "text":
            self._compare(block)
        elif block.title is not None:
            self._write(block)
        elif block.language == "python":
            self.printed = self._python(block)
        elif block.language == "bash":
            self.printed = self._bash(block)
        elif block.language == "yaml":
            self._scene(block)

    def _python(self, block: Block) -> str:
        name = f"{self.page}:{block.line}"
        # a traceback shows the line of the page
        source = "\n" * block.line + block.code
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        out = io.StringIO()
        try:
            with contextlib.chdir(self.folder), contextlib.redirect_stdout(out):
                exec(compile(source, name, "exec"), self.names)
        except Exception as error:
            raise self._error(block, f"{type(error).__name__}: {error}") from error
        return out.getvalue()

    def _bash(self, block: Block) -> str:
        commands = _dovetail_commands(block.code)
        code, printed = (
            self._in_shell(block.code) if commands is None else self._in_process(commands)
        )
        wanted = int(block.marks.get("exit code", "0"))
        if code != wanted:
            raise self._error(block, f"exit code {code}, not {wanted}:\n{printed}")
        # printed only where the cache of kernels is cold
        rows = printed.splitlines(True)
        return "".join(row for row in rows if not row.startswith("dovetail: compiling kernels"))

    def _in_process(self, commands: list[list[str]]) -> tuple[int, str]:
        """The command without the cost of a new process; tests/cli starts real ones."""
        printed, code = io.StringIO(), 0
        with (
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            for arguments in commands:
                try:
                    main(arguments)
                except SystemExit as end:
                    code = int(end.code or 0)
                if code:
                    break
        return code, printed.getvalue()

    def _in_shell(self, code: str) -> tuple[int, str]:
        # the `dovetail` of this environment, and colours or widths of no terminal
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", code],
            cwd=self.folder,
            env=os.environ | {"PATH": path, "NO_COLOR": "1", "COLUMNS": "100"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        return done.returncode, done.stdout

    def _write(self, block: Block) -> None:
        path = self.folder / str(block.title)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.code, encoding="utf-8")
        if block.language == "yaml" and "exit code" not in block.marks:
            (read_study if "\nvary:" in block.code else load_scene)(path)

    def _scene(self, block: Block) -> None:
        """A yaml block without a name: a whole scene, or the given sections of one."""
        if "fragment" in block.marks:
            return
        path = self.folder / f"line-{block.line}.yaml"
        path.write_text(block.code, encoding="utf-8")
        try:
            load_scene(path)
        except Exception as error:
            raise self._error(block, str(error)) from error

    def _compare(self, block: Block) -> None:
        if self.printed is None:
            return
        shown, printed = (MINUS_ZERO.sub(r" \1", text) for text in (block.code, self.printed))
        if not doctest.OutputChecker().check_output(shown, printed, LIKE_DOCTEST):
            raise self._error(
                block,
                f"the page shows\n{block.code}\nbut the block before it prints\n{self.printed}",
            )
        self.printed = None

    def _error(self, block: Block, what: str) -> PageError:
        return PageError(f"{self.page.name}, line {block.line} ({block.language}): {what}")
