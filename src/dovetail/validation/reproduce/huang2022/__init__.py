"""Huang et al. 2022: Lie group variational integrators on a double pendulum in space."""

from pathlib import Path

from dovetail.integrators import LieGeneralizedAlpha
from dovetail.validation.reproduce import Say
from dovetail.validation.reproduce.huang2022.figures import FIGURES, draw
from dovetail.validation.reproduce.huang2022.measured import COARSE, LONG, STEP, measure, schemes
from dovetail.validation.reproduce.huang2022.table import (
    drift_lines,
    norm_lines,
    oracle_lines,
    radius_lines,
    table_lines,
)
from dovetail.validation.reproduce.huang2022.verdicts import verdict_lines

TITLE = (
    "Huang, Chen, Zhang, Tian: Lie group variational integration for multi-rigid body system "
    "dynamic simulation, Journal of Dynamics and Control 20 (2022) 1"
)

LESS = (0.8, 0.5, 0.0)  # spectral radii of Lie generalized-alpha

__all__ = ["FIGURES", "TITLE", "reproduce"]


def reproduce(folder: Path, say: Say) -> None:
    """Figures 3 to 7 at h = 1e-3 s over 50 s, the measured table of all schemes, a verdict on each
    published value, and how the mean energy moves over 500 s at ten times the step.
    """
    runs = {}
    for name, scheme in schemes().items():
        say(f"{name}: 50 s in steps of {STEP:g} s ...")
        runs[name] = measure(scheme)
    for line in [*oracle_lines(runs), "", *norm_lines(runs), "", *table_lines(runs), ""]:
        say(line)
    for line in verdict_lines(runs):
        say(line)
    say("Lie generalized-alpha with less of a spectral radius (the paper: 0.9):")
    less = {radius: measure(LieGeneralizedAlpha(radius)) for radius in LESS}
    for line in radius_lines({0.9: runs["LieGeneralizedAlpha"], **less}):
        say(line)
    say(f"the mean energy over {LONG:g} s in steps of {COARSE:g} s:")
    compared = {name: schemes()[name] for name in ("RATTLie", "DH", "LieGeneralizedAlpha")}
    for line in drift_lines({name: measure(s, LONG, COARSE) for name, s in compared.items()}):
        say(line)
    for path in draw(runs, folder):
        say(f"wrote {path}")
