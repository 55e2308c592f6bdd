"""Xu, Dai, Xie, Li, "Frictional contacts analysis of 3-D constrained rigid-body".

Table 1 and figs. 3 and 4, the published values beside ours.
"""

from dovetail.validation.reproduce.xu.run import FIGURES, NAME, TITLE, Row, reproduce, run

__all__ = ["FIGURES", "NAME", "TITLE", "Row", "reproduce", "run"]
