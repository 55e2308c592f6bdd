"""The command as a user calls it, inside this process."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dovetail.cli import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def dovetail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    """Run `dovetail ARGUMENTS` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Outcome:
        with pytest.raises(SystemExit) as exit_:
            main(list(arguments))
        code = exit_.value.code
        said = capsys.readouterr()
        return Outcome(code if isinstance(code, int) else 1, said.out, said.err)

    return call
