"""Ferguson et al. 2021: rigid bodies that never intersect.

The paper's figures show what happens, with few numbers. Its own scenes belong to its authors: where
the user has them they are run; otherwise examples of this package stand for them, and what differs
is said beside each.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from dovetail.errors import InputError
from dovetail.validation.reproduce import Say
from dovetail.validation.reproduce.ferguson2021.figures import FIGURES, FROM_EXAMPLES, compared

TITLE = (
    "Ferguson, Li, Schneider, Gil-Ureta, Langlois, Jiang, Zorin, Kaufman, Panozzo: "
    "Intersection-free rigid body dynamics, ACM Transactions on Graphics 40 (2021) 183"
)

__all__ = ["FIGURES", "TITLE", "reproduce"]


def reproduce(
    folder: Path, say: Say, figures: Sequence[str] = (), scenes: Path | None = None
) -> None:
    """Run each scene, let the verifier look for intersections, and compare with the paper.

    `scenes` is the folder of the authors' scenes; without it examples stand for them.
    """
    from dovetail.validation.reproduce.ferguson2021.authors_scenes import AuthorsScenes

    unknown = [name for name in figures if name not in FIGURES]
    if unknown:
        raise InputError(
            f"there is no {', '.join(map(repr, unknown))} in ferguson2021 "
            f"(there are: {', '.join(FIGURES)})"
        )
    folder.mkdir(parents=True, exist_ok=True)
    authors = None if scenes is None else AuthorsScenes(scenes)
    if authors is None:
        say("The authors' scenes are not given (`--scenes FOLDER`): examples stand for them.")
    else:
        say("The authors' scenes are run; where they have none, examples stand for them.")
    for figure in figures or FIGURES:
        say(f"{figure}: {FIGURES[figure]} ...")
        makers = {} if authors is None else _by_authors()
        if authors is not None and figure in makers:
            makers[figure](authors, folder, say)
        else:
            _by_ourselves(figure, folder, say)


def _by_authors() -> dict[str, Callable[..., None]]:
    """What makes a figure from the authors' scenes."""
    from functools import partial

    from dovetail.validation.reproduce.ferguson2021 import authors_series
    from dovetail.validation.reproduce.ferguson2021.authors_figures import SHOWN

    return {
        **{figure: partial(_one_scene, figure) for figure in SHOWN},
        "fig13": authors_series.turntable,
        "fig15": authors_series.scaling,
        "fig16": authors_series.unit_tests,
        "fig18": authors_series.slopes,
    }


def _one_scene(figure: str, authors: object, folder: Path, say: Say) -> None:
    from dovetail.validation.reproduce.ferguson2021.authors_figures import SHOWN
    from dovetail.validation.reproduce.ferguson2021.authors_scenes import AuthorsScenes
    from dovetail.validation.reproduce.ferguson2021.authors_series import verdict
    from dovetail.validation.reproduce.ferguson2021.pictures import draw_motion

    assert isinstance(authors, AuthorsScenes)
    shown = SHOWN[figure]
    result = authors.run(shown.scene, **shown.changed)
    say(verdict(figure, {shown.scene: result}).line)
    for row in shown.compare(result):
        say(row.line)
    say(f"wrote {draw_motion(figure, result, folder)}")


def _by_ourselves(figure: str, folder: Path, say: Say) -> None:
    from dovetail import examples
    from dovetail.simulate import simulate
    from dovetail.validation.reproduce.ferguson2021.pictures import draw_motion
    from dovetail.validation.reproduce.ferguson2021.slope import compared_slopes, draw_slopes

    if figure == "fig18":
        rows, slid = compared_slopes()
        for row in rows:
            say(row.line)
        say(f"wrote {draw_slopes(slid, folder / 'ferguson2021_fig18.png')}")
        return
    if figure not in FROM_EXAMPLES:
        say(f"{figure} is left out: no example of this package shows it")
        return
    name = FROM_EXAMPLES[figure]
    example = examples.get(name)
    result = simulate(example.build(), **example.RUN)
    for row in compared(figure, name, result):
        say(row.line)
    say(f"wrote {draw_motion(figure, result, folder)}")
