"""Fig. 13: velocities of the active and the passive vehicle over time."""

from pathlib import Path

from dovetail.examples.docking import Docking
from dovetail.examples.docking.measures import momentum_drift
from dovetail.results import Result
from dovetail.validation.reproduce import Say
from dovetail.validation.reproduce.comparison import Comparison
from dovetail.validation.reproduce.zhang2024.docking_run import docking_run

PUBLISHED = -20.5  # [mm/s] as printed; the masses of table 1 give -20.8
VEHICLES = ("active vehicle", "passive vehicle")


def make(folder: Path, say: Say, mesh: Path | None = None) -> None:
    """Run, report and draw."""
    result = docking_run()
    for line in lines_of(result):
        say(line)
    say(f"wrote {draw(result, folder / 'zhang2024_fig13.png')}")


def lines_of(result: Result) -> list[str]:
    """Published beside ours."""
    last = result.time > result.time[-1] - 1.0
    means = [1e3 * float(result.velocity(name)[last, 0].mean()) for name in VEHICLES]
    common = 1e3 * Docking().common_velocity
    row = Comparison(
        "fig13, common velocity",
        f"{PUBLISHED} mm/s",
        f"{means[0]:.3f} and {means[1]:.3f} mm/s",
        max(abs(mean - PUBLISHED) for mean in means) < 1.0,
        f"mean of the last second; momentum over the masses of table 1 is {common:.3f} mm/s",
    )
    return [
        row.line,
        f"momentum: changes by {momentum_drift(result):.1e} of itself",
    ]


def draw(result: Result, path: Path) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 3.4), layout="constrained")
    axes = figure.subplots()
    for name in VEHICLES:
        axes.plot(result.time, 1e3 * result.velocity(name)[:, 0], label=name, linewidth=0.8)
    common = 1e3 * Docking().common_velocity
    axes.axhline(common, color="k", linewidth=0.6, linestyle=":", label=f"{common:.1f} mm/s")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("velocity [mm/s]")
    axes.set_title("fig. 13: velocities of the vehicles", fontsize=9)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)
    return path
