"""The docking of section 4.3, run once for figs. 12, 13 and 14."""

from functools import lru_cache

from dovetail.examples import docking
from dovetail.results import Result
from dovetail.simulate import simulate


@lru_cache(maxsize=1)
def docking_run() -> Result:
    """The example `docking` as it comes; about two minutes."""
    return simulate(docking.build(), **docking.RUN)
