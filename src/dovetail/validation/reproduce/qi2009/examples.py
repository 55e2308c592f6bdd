"""The two worked examples of the paper with all they print."""

from dataclasses import dataclass

import numpy as np

from dovetail.multibody.topology import analyse, connectivity_history
from dovetail.validation.reproduce.comparison import Comparison

Columns = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Example:
    """An incidence (lower body, upper body of each joint) and the printed outcome by attribute."""

    what: str
    incidence: Columns
    printed: dict[str, object]


EXAMPLES = {
    "fig2": Example(
        "five joints, four bodies, one loop: assembly patterns, cut joint and labels",
        ((0, 3), (3, 1), (2, 4), (3, 4), (1, 2)),
        {
            "patterns": ("a", "b", "a", "c", "d"),
            "cut_joints": (5,),
            "body_labels": (3, 4, 1, 2),
        },
    ),
    "fig4": Example(
        "eight joints, five bodies, three loops: cut joints, I_B, I_J and the final incidence",
        ((3, 4), (3, 1), (2, 4), (0, 4), (0, 3), (3, 5), (1, 2), (5, 1)),
        {
            "cut_joints": (5, 7, 8),
            "body_labels": (3, 4, 2, 1, 5),
            "joint_labels": (2, 3, 4, 1, 6, 5, 7, 8),
            "incidence": ((0, 1), (1, 2), (2, 3), (1, 4), (2, 5), (0, 2), (3, 4), (3, 5)),
        },
    ),
}
NAMES = {
    "patterns": "patterns of assembly",
    "cut_joints": "cut joints",
    "body_labels": "labels of bodies I_B",
    "joint_labels": "labels of joints I_J",
    "incidence": "final incidence",
}


def compared(example: Example) -> list[Comparison]:
    """Each printed array beside ours; eq. 3 where the example is that of fig. 2."""
    found = analyse(example.incidence)
    figure = next(name for name, one in EXAMPLES.items() if one is example)
    rows = [
        Comparison(
            f"{figure}, {NAMES[attribute]}",
            _shown(printed),
            _shown(ours := getattr(found, attribute)),
            ours == printed,
        )
        for attribute, printed in example.printed.items()
    ]
    if figure == "fig2":
        rows.append(_equation_3(example))
    return rows


def _equation_3(example: Example) -> Comparison:
    """The connectivity matrix is full of ones once all islands are joined."""
    history, _ = connectivity_history(example.incidence)
    sums = tuple(int(np.sum(matrix)) for matrix in history)
    printed = (4, 9, 13, 25, 25)
    return Comparison(
        "eq. 3, ones in the connectivity matrix after each joint",
        _shown(printed),
        _shown(sums),
        sums == printed,
    )


def _shown(values: object) -> str:
    """(5, 7, 8) as 5 7 8, and pairs as 0-1 1-2."""
    assert isinstance(values, tuple)
    texts = ["-".join(map(str, v)) if isinstance(v, tuple) else str(v) for v in values]
    return " ".join(texts)
