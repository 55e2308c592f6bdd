"""Linear complementarity: find x >= 0 with y = A x + b >= 0 and x.y = 0.

>>> import dovetail as dt
>>> dt.lcp.solve([[2.0, 1.0], [1.0, 2.0]], [-1.0, -1.0]).x
array([0.33333333, 0.33333333])
>>> dt.lcp.classify([[-1.0]], [1.0]).kind
'many'
"""

from dovetail.linalg.lcp.classify import Classification, classify
from dovetail.linalg.lcp.contact_problem import ContactMotion, ContactProblem, contact_problem
from dovetail.linalg.lcp.continuum import Family
from dovetail.linalg.lcp.enumeration import AllSolutions, all_solutions
from dovetail.linalg.lcp.solution import Solution
from dovetail.linalg.lcp.solve import solve

__all__ = [
    "AllSolutions",
    "Classification",
    "ContactMotion",
    "ContactProblem",
    "Family",
    "Solution",
    "all_solutions",
    "classify",
    "contact_problem",
    "solve",
]
