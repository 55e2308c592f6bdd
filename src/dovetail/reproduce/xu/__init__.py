"""Xu, Dai, Xie, Li, "Frictional contacts analysis of 3-D constrained rigid-body".

Table 1 and figs. 3 and 4, the published values beside ours.
"""

from dovetail.reproduce.xu.run import NAME, TITLE, Row, run

__all__ = ["NAME", "TITLE", "Row", "run"]
