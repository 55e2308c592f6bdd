"""Qi, Huang, Shao 2009: cut joints and regular labels from the incidence of joints and bodies."""

from pathlib import Path

from dovetail.validation.reproduce import Say
from dovetail.validation.reproduce.qi2009.examples import EXAMPLES, compared

TITLE = (
    "Qi, Huang, Shao: Dynamic assembly of the topology of closed-loop multibody systems and their "
    "automatic regular labelling, 2009"
)
FIGURES = {name: example.what for name, example in EXAMPLES.items()}

__all__ = ["FIGURES", "TITLE", "reproduce"]


def reproduce(folder: Path, say: Say) -> None:
    """Tell every printed number beside ours and draw both graphs with their labels."""
    from dovetail.multibody.topology import analyse
    from dovetail.view.topology_drawing import draw_topology

    folder.mkdir(parents=True, exist_ok=True)
    for name, example in EXAMPLES.items():
        for row in compared(example):
            say(row.line)
        path = folder / f"qi2009_{name}.png"
        draw_topology(analyse(example.incidence), path)
        say(f"wrote {path}")
