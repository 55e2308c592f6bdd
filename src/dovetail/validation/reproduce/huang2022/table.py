"""The numbers of the figures in words."""

from collections.abc import Mapping

import numpy as np

from dovetail.model.values import Array
from dovetail.validation.reproduce.huang2022.measured import ORACLE, Measured

PUBLISHED = {  # velocity constraint of joint A, read off figure 7
    "DH": "~1e-16", "DL": "~1e-4", "LieGeneralizedAlpha": "~1e-4", "RATTLie": "like DH",
}  # fmt: skip


def oracle_lines(runs: Mapping[str, Measured]) -> list[str]:
    """Largest error of the position of rod 2 [m] against minimal coordinates."""
    lines = ["error of x2 [m] against minimal coordinates (DOP853 at 1e-13)"]
    times = [t for t in ORACLE if all(run.time[-1] >= t for run in runs.values())]
    lines.append("| scheme | " + " | ".join(f"t = {t:g} s" for t in times) + " |")
    lines.append("|---" * (1 + len(times)) + "|")
    for name, run in runs.items():
        errors = [np.abs(run.x2[run.at(t)] - ORACLE[t][0]).max() for t in times]
        lines.append(f"| {name} | " + " | ".join(f"{error:.2e}" for error in errors) + " |")
    return lines


def norm_lines(runs: Mapping[str, Measured], t: float = 5.0) -> list[str]:
    """The error of the position of rod 2 at `t` in every norm one may mean by "within 1e-3"."""
    x = np.array(ORACLE[t][0])
    away = float(np.linalg.norm(x))
    lines = [
        f"error of x2 at t = {t:g} s, where |x2| = {away:.3f} m",
        "| scheme | largest component [m] | Euclidean [m] | Euclidean / abs(x2) | "
        "root mean square of the components [m] |",
        "|---|---|---|---|---|",
    ]
    for name, run in runs.items():
        d = run.x2[run.at(t)] - x
        size = float(np.linalg.norm(d))
        lines.append(
            f"| {name} | {np.abs(d).max():.2e} | {size:.2e} | {size / away:.2e} | "
            f"{size / np.sqrt(3.0):.2e} |"
        )
    return lines


def radius_lines(runs: Mapping[float, Measured]) -> list[str]:
    """Energy of Lie generalized-alpha by its spectral radius."""
    lines = [
        "| spectral radius | largest energy error [J] | drift of its mean [J] | velocity [m/s] |",
        "|---|---|---|---|",
    ]
    for radius, run in runs.items():
        lines.append(
            f"| {radius:g} | {np.abs(run.energy).max():.2e} | {drift_of(run):+.1e} | "
            f"{run.velocity.max():.1e} |"
        )
    return lines


def drift_of(run: Measured) -> float:
    """[J] change of the mean energy from the first fifth of the run to the last."""
    n = len(run.energy) // 5
    return float(run.energy[-n:].mean() - run.energy[:n].mean())


def table_lines(runs: Mapping[str, Measured]) -> list[str]:
    """Energy, constraints and cost of every scheme, the published velocity violation beside."""
    lines = [
        "| scheme | largest energy error [J] | drift of its mean [J] | orthogonality | "
        "position [m] | velocity [m/s] | published | time per step [us] |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, run in runs.items():
        lines.append(
            f"| {name} | {np.abs(run.energy).max():.2e} | {drift_of(run):+.1e} | "
            f"{run.orthogonality.max():.1e} | {run.position.max():.1e} | "
            f"{run.velocity.max():.1e} | {PUBLISHED.get(name, '-')} | {run.seconds * 1e6:.0f} |"
        )
    return lines


def tenths(run: Measured) -> Array:
    """[J] mean energy of each tenth of a run, (10,)."""
    n = len(run.energy) // 10
    return np.asarray(run.energy[-10 * n :].reshape(10, n).mean(axis=1))


def drift_lines(runs: Mapping[str, Measured]) -> list[str]:
    """Where the mean energy goes in a long run."""
    lines = [
        "| scheme | largest energy error [J] | mean of the first tenth [J] | of the fifth | "
        "of the last |",
        "|---|---|---|---|---|",
    ]
    for name, run in runs.items():
        means = tenths(run)
        lines.append(
            f"| {name} | {np.abs(run.energy).max():.1f} | {means[0]:+.2f} | {means[4]:+.2f} | "
            f"{means[9]:+.2f} |"
        )
    return lines
