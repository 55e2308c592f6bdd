"""Mechanisms whose links without mass weigh nothing, where joint coordinates allow it."""

import numpy as np

from dovetail.model.frozen import Model
from dovetail.model.massless import for_coordinates
from dovetail.multibody.mechanism.mechanism import Mechanism
from dovetail.multibody.tree import mass_matrix

SINGULAR = 1e-9  # smallest eigenvalue of the mass matrix with a diagonal of ones


def exact_mechanism(model: Model) -> Mechanism:
    """With links that weigh nothing, if every coordinate of the tree still moves some inertia.

    A link at the end of a branch that a loop closes moves nothing in the tree: then all links keep
    the small share of mass that the model gives them.
    """
    exact = for_coordinates(model)
    if exact is model:
        return Mechanism(model)
    mechanism = Mechanism(exact)
    M = mass_matrix(mechanism.tree, mechanism.neutral())
    size = np.sqrt(np.diag(M))
    least = float(np.linalg.eigvalsh(M / np.outer(size, size))[0])
    return mechanism if least > SINGULAR else Mechanism(model)
