r"""Symmetric compositions: steps of order 4 and 6 from substeps of a symmetric step of order 2.

    Psi_h = Phi_{gamma_s h} ... Phi_{gamma_1 h},   gamma_j = gamma_{s+1-j},   sum gamma_j = 1
keeps what Phi keeps: it is symplectic and symmetric, keeps momenta, and joints hold at the end of
each substep (Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), II.4, V.3.2). Substeps
that go back cannot be avoided beyond order 2 (Sheng; Suzuki).
ORDER 4  Suzuki, Phys. Lett. A 146 (1990) 319: five substeps, which have a far smaller error than
         the three of Yoshida (1990) at equal cost.
ORDER 6  Kahan and Li, Math. Comp. 66 (1997) 1089: nine substeps.
"""

import numpy as np

from dovetail.model.values import Array

_SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
_KAHAN_LI = (
    0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981,
    0.082213596293550800230,
)  # fmt: skip


def _symmetric(half: tuple[float, ...]) -> tuple[float, ...]:
    """Substeps mirrored about a middle one that makes their sum 1."""
    return (*half, 1.0 - 2.0 * sum(half), *half[::-1])


GAMMAS = {2: (1.0,), 4: _symmetric((_SUZUKI, _SUZUKI)), 6: _symmetric(_KAHAN_LI)}


def substeps(order: int) -> Array:
    """Gamma_j of the composition of that order."""
    return np.array(GAMMAS[order])
