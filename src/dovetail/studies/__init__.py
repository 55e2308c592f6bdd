"""Many runs of one scene: parameters, sampling, outputs of every run."""

from dovetail.studies.distributions import LogUniform, Normal, Uniform, Values
from dovetail.studies.outputs import AllOf, Output
from dovetail.studies.running import StudyResult, study
from dovetail.studies.sampling import Grid, Latin, Random
from dovetail.studies.until import Until
from dovetail.studies.varied import Varied

__all__ = [
    "AllOf", "Grid", "Latin", "LogUniform", "Normal", "Output", "Random", "StudyResult", "Uniform",
    "Until", "Values", "Varied", "study",
]  # fmt: skip
