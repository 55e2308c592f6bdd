"""The numbers of the figures in words."""

from collections.abc import Mapping

import numpy as np

from dovetail.model.values import Array
from dovetail.reproduce.huang2022.measured import ORACLE, Measured

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
        per_step = run.seconds / (len(run.time) - 1) * 1e6
        lines.append(
            f"| {name} | {np.abs(run.energy).max():.2e} | {drift_of(run):+.1e} | "
            f"{run.orthogonality.max():.1e} | {run.position.max():.1e} | "
            f"{run.velocity.max():.1e} | {PUBLISHED.get(name, '-')} | {per_step:.0f} |"
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
