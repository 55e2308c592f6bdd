"""What the figures show, texts by the examples that stand for them."""

from collections.abc import Callable

import numpy as np

from dovetail.examples import arch, bolt, card_house, packing, turntable, wrecking_ball
from dovetail.results import Result
from dovetail.validation.reproduce.comparison import Comparison
from dovetail.verifier.certificate import certify

FROM_EXAMPLES = {
    "fig4": "bolt",
    "fig8": "wrecking-ball",
    "fig9": "chain",
    "fig10": "card-house",
    "fig11": "arch",
    "fig13": "turntable",
    "fig14": "packing",
}
FIGURES = {
    "fig4": "a bolt turns down into a nut under gravity, without friction",
    "fig7": "a coin spins on its rim and comes down",
    "fig8": "a wrecking ball on a chain strikes a wall of boxes",
    "fig9": "a chain of rings that hold each other by contact alone",
    "fig10": "a house of cards stands until two blocks fall on it",
    "fig11": "an arch stands by friction",
    "fig12": "a Lewis lifts a block by friction",
    "fig13": "blocks on a turntable that speeds up, four coefficients of friction",
    "fig14": "parts in a printer's box keep 1 mm from each other",
    "fig15": "time of a step against the number of links",
    "fig16": "unit tests, those of Erleben (fig. 17) among them",
    "fig18": "a block on a slope of 26.565 degrees: mu = 0.5 holds, 0.49 slides",
}


def compared(figure: str, example: str, result: Result) -> list[Comparison]:
    """The verifier's verdict on the run, then what the figure shows."""
    found = certify(result)
    texts = {"free": "none", "undecided": "undecided between two frames"}
    verified = Comparison(
        f"{figure}, intersections",
        "none",
        texts.get(found.verdict, "some"),
        found.verdict == "free",
        f"example {example}, {len(result.names)} bodies, {found.states.frames} states and "
        f"{found.tests} tests between them",
    )
    return [verified, *(SHOWN[figure](result) if figure in SHOWN else [])]


def _bolt(result: Result) -> list[Comparison]:
    angle = -float(bolt.turned(result)[-1])
    wanted = bolt.expected_turn(result)
    return [
        Comparison(
            "fig4, the bolt follows its thread",
            "turns quickly (no number)",
            f"{angle:.2f} rad in {result.time[-1]:g} s",
            abs(angle - wanted) < 0.1 * wanted,
            f"a screw without friction turns {wanted:.2f} rad",
        )
    ]


def _wall(result: Result) -> list[Comparison]:
    boxes = [name for name in result.names if name.startswith("box")]
    moved = [np.linalg.norm(np.diff(result.position(n)[[0, -1]], axis=0)) for n in boxes]
    count = int(np.sum(np.array(moved) > wrecking_ball.SIDE / 2))
    return [
        Comparison(
            "fig8, boxes thrown out of the wall",
            "struck by the ball (560 boxes, no number)",
            f"{count} of {len(boxes)} moved by more than half a box",
            count > 0,
            "a smaller wall; benchmarks/rigid_ipc.py runs the authors' 575 bodies",
        )
    ]


def _cards(result: Result) -> list[Comparison]:
    z, t = card_house.heights(result), result.time
    standing = (t > 0.5) & (t < 0.95 * card_house.DROP)
    sway = float(np.ptp(z[standing], axis=0).max())
    fallen = float((z[0] - z[-1]).max())
    return [
        Comparison(
            "fig10, before the blocks come (mu = 0.9)",
            "at rest",
            f"moves by {1e3 * sway:.2g} mm",
            sway < 1e-3,
            "within dhat, 1 mm; cards of 2 m",
        ),
        Comparison(
            "fig10, after they have come",
            "the top levels are down",
            f"a card of the top is {fallen:.2g} m lower",
            fallen > 0.5 * card_house.LENGTH * np.sin(card_house.LEAN),
            "two levels instead of three",
        ),
    ]


def _arch(result: Result) -> list[Comparison]:
    names = [f"stone {k + 1}" for k in range(arch.STONES)]
    speed = max(float(np.linalg.norm(result.velocity(name)[-1])) for name in names)
    return [
        Comparison(
            "fig11, the arch (mu = 0.5)",
            "in balance (101 blocks)",
            f"{arch.STONES} stones, fastest {speed:.1e} m/s after {result.time[-1]:g} s",
            speed < 1e-6,
            "fewer stones",
        )
    ]


def _turntable(result: Result) -> list[Comparison]:
    rows = []
    early = result.time < 2.0
    drift = result.position(turntable.name_of(0.0))[early]
    carried = float(np.linalg.norm(drift[-1] - drift[0]))
    rows.append(
        Comparison(
            "fig13, mu = 0",
            "lies on the table and drifts slowly",
            f"{1e3 * carried:.2g} mm in 2 s",
            carried < 0.1,
        )
    )
    times = {mu: turntable.leaves_at(result, mu) for mu in (0.1, 0.5)}
    for mu, published in ((0.1, "soon caught and thrown off"), (0.5, "holds longer, then off")):
        rows.append(
            Comparison(
                f"fig13, mu = {mu}",
                published,
                f"slides off from t = {times[mu]:.2f} s on",
                0 < times[0.1] <= times[mu] < result.time[-1],
            )
        )
    held = turntable.seen_from_table(result, 1.0)
    slid = float(np.linalg.norm(held - held[0], axis=1).max())
    rows.append(
        Comparison("fig13, mu = 1", "sticks all the time", f"slides {slid:.1e} m", slid < 1e-3)
    )
    return rows


def _packing(result: Result) -> list[Comparison]:
    least = float(result.min_distance.min())
    return [
        Comparison(
            "fig14, least distance",
            "1 mm is kept (8 parts)",
            f"{1e3 * least:.3f} mm",
            least >= packing.CLEARANCE,
            f"{len(result.names) - 1} parts",
        )
    ]


SHOWN: dict[str, Callable[[Result], list[Comparison]]] = {
    "fig4": _bolt,
    "fig8": _wall,
    "fig10": _cards,
    "fig11": _arch,
    "fig13": _turntable,
    "fig14": _packing,
}
