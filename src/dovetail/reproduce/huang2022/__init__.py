"""Huang et al. 2022: Lie group variational integrators on a double pendulum in space."""

from pathlib import Path

from dovetail.reproduce import Say
from dovetail.reproduce.huang2022.figures import FIGURES, draw
from dovetail.reproduce.huang2022.measured import COARSE, LONG, STEP, measure, schemes
from dovetail.reproduce.huang2022.table import drift_lines, oracle_lines, table_lines

TITLE = (
    "Huang, Chen, Zhang, Tian: Lie group variational integration for multi-rigid body system "
    "dynamic simulation, Journal of Dynamics and Control 20 (2022) 1"
)

__all__ = ["FIGURES", "TITLE", "reproduce"]


def reproduce(folder: Path, say: Say) -> None:
    """Figures 3 to 7 at h = 1e-3 s over 50 s, the measured table of all schemes, and
    how the mean energy moves over 500 s at ten times the step.
    """
    runs = {}
    for name, scheme in schemes().items():
        say(f"{name}: 50 s in steps of {STEP:g} s ...")
        runs[name] = measure(scheme)
    for line in [*oracle_lines(runs), "", *table_lines(runs)]:
        say(line)
    say(f"the mean energy over {LONG:g} s in steps of {COARSE:g} s:")
    compared = {name: schemes()[name] for name in ("RATTLie", "DH", "LieGeneralizedAlpha")}
    for line in drift_lines({name: measure(s, LONG, COARSE) for name, s in compared.items()}):
        say(line)
    for path in draw(runs, folder):
        say(f"wrote {path}")
