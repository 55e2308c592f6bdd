"""Mechanisms of the DAE test set and the IFToMM library of benchmarks, with published values."""

from dovetail.validation.dae_problems.andrews import ANGLES, andrews, angles_of
from dovetail.validation.dae_problems.scenes import bricard, four_bars, governor, pendulum

__all__ = ["ANGLES", "andrews", "angles_of", "bricard", "four_bars", "governor", "pendulum"]
