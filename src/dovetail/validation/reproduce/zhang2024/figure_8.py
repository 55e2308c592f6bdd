"""Fig. 8: the sliders of section 4.1, their error against the step and slider 1 over time.

The light block returns at +3 m/s and the heavy one leaves at -2 m/s by momentum and energy. The
error of one run depends on where within a step the blocks meet, so each point is the root mean
square of several starts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from dovetail.contact import SDF
from dovetail.examples.sliders import SPEED, build
from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.simulate import LargeAndSmallSteps, simulate
from dovetail.validation.reproduce import Say
from dovetail.validation.reproduce.comparison import Comparison

STIFFNESS = 1e7  # [N/m^1.5] of a point; the paper does not print its own
STEPS = (1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5)  # [s]
DURATION = 0.45  # [s]; they meet at 0.341 s for about 6 ms
OFFSETS = (0.0, 0.31, 0.77)  # of a step, by which the meeting is shifted
PUBLISHED = (3.0, -2.0)  # [m/s] of sliders 1 and 2


@dataclass(frozen=True)
class SliderErrors:
    """One step of the figure."""

    step: float  # [s]
    speeds: tuple[float, float]  # [m/s] root mean square errors of sliders 1 and 2
    momentum: float  # largest change over |momentum|, linear


def make(folder: Path, say: Say, mesh: Path | None = None) -> None:
    """Measure, report and draw."""
    rows = [measured(step) for step in STEPS]
    last = run(STEPS[-1])
    ends = [float(last.velocity(f"slider {k}")[-1, 0]) for k in (1, 2)]
    for k in range(2):
        ours = f"{ends[k]:+.6f} m/s"
        close = abs(ends[k] - PUBLISHED[k]) < 1e-2
        say(Comparison(f"fig8, slider {k + 1}", f"{PUBLISHED[k]:+g} m/s", ours, close).line)
    say("| step [s] | error of slider 1 [m/s] | of slider 2 [m/s] | order | momentum change |")
    say("|---|---|---|---|---|")
    for row, order in zip(rows, ["-", *(f"{p:.2f}" for p in orders(rows))]):
        say(
            f"| {row.step:g} | {row.speeds[0]:.2e} | {row.speeds[1]:.2e} | {order} | "
            f"{row.momentum:.1e} |"
        )
    say(f"wrote {draw(rows, last, folder / 'zhang2024_fig8.png')}")


def run(step: float, offset: float = 0.0) -> Result:
    """The sliders, meeting `offset` steps later; large steps until their boxes touch."""
    scene = build(3.0 - SPEED * offset * step)
    return simulate(
        scene, DURATION, step, contact=SDF(damping=0.0, stiffness=STIFFNESS),
        step_control=LargeAndSmallSteps(large=20 * step, small=step), progress=False,
    )  # fmt: skip


def measured(step: float) -> SliderErrors:
    """Errors over all offsets."""
    results = [run(step, offset) for offset in OFFSETS]
    errors = np.array(
        [[r.velocity(f"slider {k + 1}")[-1, 0] - PUBLISHED[k] for k in range(2)] for r in results]
    )
    one, two = np.sqrt(np.mean(errors**2, axis=0))
    return SliderErrors(step, (float(one), float(two)), max(map(_momentum_change, results)))


def orders(rows: Sequence[SliderErrors]) -> list[float]:
    """Slope of log error over log step between neighbours."""
    return [
        float(np.log(a.speeds[0] / b.speeds[0]) / np.log(a.step / b.step))
        for a, b in pairwise(rows)
    ]


def draw(rows: Sequence[SliderErrors], last: Result, path: Path) -> Path:
    """Panels (a) and (b)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    steps = [row.step for row in rows]
    for k in range(2):
        left.loglog(steps, [row.speeds[k] for row in rows], "o-", label=f"slider {k + 1}")
    left.set_xlabel("step [s]")
    left.set_ylabel("error of the speed [m/s]")
    left.set_title("fig. 8a: error against step", fontsize=9)
    left.legend(fontsize=8)
    velocity: Array = last.velocity("slider 1")[:, 0]
    right.plot(last.time, velocity, label="slider 1")
    right.axhline(PUBLISHED[0], color="k", linewidth=0.6, linestyle=":", label="theory, 3 m/s")
    right.set_xlabel("time [s]")
    right.set_ylabel("velocity [m/s]")
    right.set_title("fig. 8b: slider 1", fontsize=9)
    right.legend(fontsize=8)
    figure.savefig(path, dpi=150)
    return path


def _momentum_change(result: Result) -> float:
    momentum = result.momentum["linear"]
    return float(np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0]))
