"""All of the paper that has numbers, published and ours."""

from os import PathLike
from pathlib import Path

from dovetail.validation.reproduce import Say
from dovetail.validation.reproduce.xu.figure_3 import figure_3
from dovetail.validation.reproduce.xu.figure_4 import figure_4
from dovetail.validation.reproduce.xu.table_1 import table_1

NAME = "xu"
FIGURES = {
    "table1": "the cases of one sliding contact of a rod: solutions and their stability",
    "fig3": "where the sliding rod is unstable, over its angle and friction",
    "fig4": "eigenvalues of the rolling rod over its two angles",
}
TITLE = (
    "Xu, Dai, Xie, Li: Frictional contacts analysis of 3-D constrained rigid-body "
    "(table 1, figs. 3, 4)"
)
Row = tuple[str, str, str, bool, str]


def run(out_folder: str | PathLike[str]) -> list[Row]:
    """Rows (what, published, ours, passes, why); pictures go to `out_folder`."""
    folder = Path(out_folder)
    folder.mkdir(parents=True, exist_ok=True)
    return [*table_1(), *figure_3(folder), *figure_4(folder)]


def reproduce(folder: Path, say: Say) -> None:
    """Tell every published value beside ours, and draw figs. 3 and 4 into `folder`."""
    for what, published, ours, passes, why in run(folder):
        verdict = "agrees" if passes else "differs"
        say(f"{verdict}: {what}: published {published}, ours {ours}" + (f" ({why})" if why else ""))
    for path in sorted(folder.glob("*.png")):
        say(f"wrote {path}")
