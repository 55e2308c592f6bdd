"""Figures that take several of the authors' scenes."""

import time
from pathlib import Path

import numpy as np

from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.validation.reproduce import Say
from dovetail.validation.reproduce.comparison import Comparison
from dovetail.validation.reproduce.ferguson2021.authors_figures import GRAVITY, UP, turned_about
from dovetail.validation.reproduce.ferguson2021.authors_scenes import AuthorsScenes
from dovetail.validation.reproduce.ferguson2021.pictures import draw_motion
from dovetail.validation.reproduce.ferguson2021.slope import ANGLE, draw_slopes
from dovetail.verifier.certificate import certify

TABLE, BLOCK = "cylinder-0", "cube-1"
EDGE, AT = 2.0, 1.5  # [m] radius of the table and of the block's place
RUNS = 3  # of each scene whose time is reported; others use the machine too
SETTLED = 2.0  # [s] until the block on the slope has landed
OFF_SLOPE = 0.1  # [m] across the slope: the block has left it
LINKS = {"weak/01threads": 1, "weak/02threads": 2, "weak/16threads": 16, "strong": 64}


def verdict(figure: str, results: dict[str, Result]) -> Comparison:
    """The verifier's verdict on all runs of a figure."""
    found = {name: certify(result) for name, result in results.items()}
    bad = [f"{name}: {found[name].verdict}" for name in found if found[name].verdict != "free"]
    bodies = sum(len(result.names) for result in results.values())
    states = sum(one.states.frames for one in found.values())
    return Comparison(
        f"{figure}, intersections",
        "none",
        "; ".join(bad) or "none",
        not bad,
        f"{'scene' if len(found) == 1 else 'scenes'} of the authors, "
        f"{bodies} bodies, {states} states and {sum(one.tests for one in found.values())} tests "
        "between them",
    )


def turntable(scenes: AuthorsScenes, folder: Path, say: Say) -> None:
    """Fig. 13; the scene with mu = 0.5 is that with 0.1, its coefficient changed.

    Its torque of 300 N m brings the table to the speed at which that block slips, (mu g / r)^(1/2)
    = 1.81 rad/s, after 21 s only; with the scene's step of 0.025 s it never comes there, for
    implicit Euler brakes a spin w by w^3 h [rad/s^2].
    """
    folders = "friction/turntable/turntable-mu="
    results = {
        "0": scenes.run(f"{folders}0.0"),
        "0.1": scenes.run(f"{folders}0.1"),
        "0.5": scenes.run(f"{folders}0.1", duration=30.0, step=0.0025, friction=0.5),
        "1": scenes.run(f"{folders}1.0"),
    }
    say(verdict("fig13", results).line)
    landed = {mu: result.time > 0.3 for mu, result in results.items()}
    x = results["0"].position(BLOCK)[landed["0"]]
    drift = float(np.linalg.norm(x[-1] - x[0]))
    say(Comparison(
        "fig13, mu = 0", "lies on the table and drifts slowly", f"{1e3 * drift:.2g} mm in 20 s",
        drift < 0.1,
    ).line)  # fmt: skip
    off = {mu: leaves_at(result) for mu, result in results.items()}
    published = {"0.1": "soon caught and thrown off", "0.5": "holds longer, then off"}
    for mu, words in published.items():
        say(Comparison(
            f"fig13, mu = {mu}", words, f"over the edge at t = {off[mu]:.2f} s",
            off["0.1"] <= off[mu] < results[mu].time[-1],
            "" if mu == "0.1" else "30 s with h = 0.0025 s; there is no scene for it",
        ).line)  # fmt: skip
    held = seen_from_table(results["1"])[landed["1"]]
    slid = float(np.linalg.norm(held - held[0], axis=1).max())
    say(Comparison("fig13, mu = 1", "sticks all the time", f"slides {slid:.1e} m",
                   slid < 1e-3, "its torque in N m as written").line)  # fmt: skip
    say(f"wrote {draw_motion('fig13', results['0.5'], folder)}")


def seen_from_table(result: Result) -> Array:
    """(frames, 2) [m] place of the block in axes that rotate with the table."""
    angle = turned_about(UP, result.rotation(TABLE))
    x, _, z = result.position(BLOCK).T
    return np.stack(
        [np.cos(angle) * x - np.sin(angle) * z, np.sin(angle) * x + np.cos(angle) * z]
    ).T


def leaves_at(result: Result) -> float:
    """[s] when the block's centre has passed the edge; infinite if never."""
    out = np.flatnonzero(np.linalg.norm(result.position(BLOCK)[:, [0, 2]], axis=1) > EDGE)
    return float(result.time[out[0]]) if len(out) else np.inf


def slopes(scenes: AuthorsScenes, folder: Path, say: Say) -> None:
    """Fig. 18, with the authors' step of 0.025 s for 25 s."""
    folders = "friction/incline-plane/slopeTest_highSchoolPhysics_mu="
    results = {mu: scenes.run(f"{folders}{mu:g}") for mu in (0.5, 0.49)}
    say(verdict("fig18", {f"{mu:g}": result for mu, result in results.items()}).line)
    downhill = np.array([np.cos(ANGLE), -np.sin(ANGLE), 0.0])
    moved = {mu: r.position("cube-0") - r.position("cube-0")[0] for mu, r in results.items()}
    paths = {mu: (r.time, moved[mu] @ downhill) for mu, r in results.items()}
    t, path = paths[0.5]
    creep = float(np.ptp(path[t >= SETTLED]))
    say(Comparison(
        "fig18, mu = 0.5", "does not move", f"moves {creep:.1e} m from {SETTLED:g} to {t[-1]:g} s",
        creep < 1e-6,
        "tan(26.565 degrees) is 0.499998; h = 0.025 s",
    ).line)  # fmt: skip
    t, path = paths[0.49]
    on_slope = (t >= SETTLED) & (t <= 5.0)
    fitted = 2 * float(np.polyfit(t[on_slope], path[on_slope], 2)[0])
    theory = GRAVITY * (np.sin(ANGLE) - 0.49 * np.cos(ANGLE))
    say(Comparison(
        "fig18, mu = 0.49", "begins to slide", f"slides with {fitted:.4f} m/s^2",
        abs(fitted - theory) < 0.02 * theory,
        f"theory {theory:.4f} m/s^2; from {SETTLED:g} to 5 s, it leaves the slope later",
    ).line)  # fmt: skip
    upright = np.array([np.sin(ANGLE), np.cos(ANGLE), 0.0])
    for mu, (t, path) in paths.items():
        left = np.flatnonzero(np.abs(moved[mu] @ upright) > OFF_SLOPE)
        paths[mu] = (t[: left[0]], path[: left[0]]) if len(left) else (t, path)
    say(f"wrote {draw_slopes(paths, folder / 'ferguson2021_fig18.png')}")


def unit_tests(scenes: AuthorsScenes, folder: Path, say: Say) -> None:
    """Figs. 16 and 17: every scene of `unit-tests`, its whole time."""
    names = scenes.names("unit-tests/")
    results = {name.removeprefix("unit-tests/"): scenes.run(name) for name in names}
    say(verdict("fig16", results).line)
    done = sum(result.status == "finished" for result in results.values())
    steps = sum(len(result.time) - 1 for result in results.values())
    say(Comparison(
        "fig16, scenes that run to their end", "all", f"{done} of {len(results)}",
        done == len(results), f"{steps} recorded steps, h = 0.01 s, nothing tuned",
    ).line)  # fmt: skip
    say(f"wrote {draw_motion('fig16', results['erleben/wedges'], folder)}")


def scaling(scenes: AuthorsScenes, folder: Path, say: Say) -> None:
    """Fig. 15, on one thread: time per step and free link, the least of `RUNS` runs."""
    from matplotlib.figure import Figure

    cost = dict.fromkeys(LINKS.values(), np.inf)
    results = {}
    for _ in range(RUNS):
        for name, links in LINKS.items():
            began = time.process_time()
            results[name] = scenes.run(f"scalability/{name}")
            spent = (time.process_time() - began) / (len(results[name].time) - 1)
            cost[links] = min(cost[links], spent)
    say(verdict("fig15", results).line)
    say("| free links | ms a step | ms a step and link |")
    say("|---|---|---|")
    for links, spent in cost.items():
        say(f"| {links} | {1e3 * spent:.2f} | {1e3 * spent / links:.2f} |")
    growth = (cost[64] / 64) / (cost[2] / 2)
    say(Comparison(
        "fig15, time of a link, 64 links against 2", "1 ideally, with as many threads as links",
        f"{growth:.2f} on one thread", growth < 2.0,
        f"CPU time, the least of {RUNS} runs, reading the scene included",
    ).line)  # fmt: skip
    figure = Figure(figsize=(5.5, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.loglog(list(cost), [1e3 * spent for spent in cost.values()], "o-", label="ours")
    axes.loglog([1, 64], [1e3 * cost[1], 64e3 * cost[1]], "0.6", label="linear")
    axes.set_xlabel("free links of 11 000 triangles")
    axes.set_ylabel("CPU time per step [ms]")
    axes.legend(fontsize=8)
    path = folder / "ferguson2021_fig15.png"
    figure.savefig(path, dpi=150)
    say(f"wrote {path}")
