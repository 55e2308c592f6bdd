"""Parts of pages that a slow command made and that are kept in docs/made.

| file | made by |
|---|---|
| papers.md, paper-NAME.md | docs/make_papers.py |
| examples.md | docs/make_reports.py |
| ipc-fixtures.md | benchmarks/rigid_ipc.py --table |
| ipc-scaling.md | benchmarks/ipc_scaling.py --write |
| choosing.md | benchmarks/choosing.py --write |
| dae-problems.md | benchmarks/dae_problems.py --write |
| docking-approaches.md | docs/make_approaches.py |
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

MADE = Path(__file__).parent / "made"


def _made(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def made_parts() -> dict[str, Callable[[], str]]:
    """By mark: 'paper xu' is made/paper-xu.md."""
    return {path.stem.replace("-", " "): partial(_made, path) for path in MADE.glob("*.md")}
