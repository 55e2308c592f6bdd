"""The stiff contact itself: Kelvin springs and dampers beside the rigid model they tend to.

Source: Xu, Dai, Xie, Li, eqs. 17-27. Contact forces lambda = -(c/sqrt(eps) Phi_dot + k/eps Phi)
act on the full system; as eps -> 0 its motion tends to the rigid one, Phi = 0, exactly if the
boundary layer is stable.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.linalg.exponential import exponential
from dovetail.runtime.options import named_options

Array = NDArray[np.float64]


@dataclass(frozen=True)
class KelvinRun:
    """Motion with compliant contacts and without, at the same times.

    Attributes:
        eps: the small parameter.
        time: (frames,) [s].
        full, rigid: (frames, n) coordinates of the compliant and of the rigid system.
        force: (frames, m) contact forces of the compliant system.
        rigid_force: (m,) or (frames, m), those of the rigid one.
    """

    eps: float
    time: Array
    full: Array
    rigid: Array
    force: Array
    rigid_force: Array

    @property
    def deviation(self) -> float:
        """The largest distance of any coordinate from the rigid motion."""
        return float(np.max(np.abs(self.full - self.rigid)))

    @property
    def force_error(self) -> float:
        """How far the contact forces are from the rigid ones at the end."""
        return float(np.max(np.abs(self.force - self.rigid_force)[-1]))


@named_options
def kelvin_run(
    M: Any, rows: Any, force_rows: Any, force: Any, eps: float, duration: float,
    c: float = 1.0, k: float = 1.0, frames: int = 100,
) -> KelvinRun:  # fmt: skip
    """M qdd = force - Phi_q^T (c/sqrt(eps) J qdot + k/eps J q), from rest with springs relaxed.

    M (n, n); J = `rows` (m, n) = [N; T_R; O_R]; Phi_q = `force_rows` (m, n), which differs from J
    by sliding friction (eq. 3); force (n,); all constant. Solved exactly by the matrix
    exponential in the time of the boundary layer, tau = t / sqrt(eps), where all entries are of
    order one: q'' = eps M^-1 force - M^-1 Phi_q^T (c J q' + k J q).
    """
    _check(eps, duration, c, k)
    inverse = np.linalg.inv(np.asarray(M, dtype=np.float64))
    J, phi = np.asarray(rows, dtype=np.float64), np.asarray(force_rows, dtype=np.float64)
    f = np.asarray(force, dtype=np.float64)
    n, m = len(inverse), len(J)
    D = J @ inverse @ phi.T
    rigid_force = -np.linalg.solve(D, J @ inverse @ f)
    rigid_acceleration = inverse @ (f + phi.T @ rigid_force)
    generator = np.zeros((2 * n + 1, 2 * n + 1))
    generator[:n, n : 2 * n] = np.eye(n)
    generator[n : 2 * n, :n] = -k * inverse @ phi.T @ J
    generator[n : 2 * n, n : 2 * n] = -c * inverse @ phi.T @ J
    generator[n : 2 * n, -1] = inverse @ f  # the state is (q, q') / eps, 1
    time = np.linspace(0.0, duration, frames + 1)
    step = exponential(generator * (duration / frames / np.sqrt(eps)))
    states = np.zeros((frames + 1, 2 * n + 1))
    states[0, -1] = 1.0
    for i in range(frames):
        states[i + 1] = step @ states[i]
    q, q_rate = states[:, :n], states[:, n : 2 * n]
    return KelvinRun(
        eps=eps,
        time=time,
        full=eps * q,
        rigid=0.5 * time[:, None] ** 2 * rigid_acceleration,
        force=-(c * q_rate + k * q) @ J.T,
        rigid_force=np.broadcast_to(rigid_force, (frames + 1, m)),
    )


def _check(eps: float, duration: float, c: float, k: float) -> None:
    mistakes = [
        f"`{name}` must be a number > 0{unit}, got {value!r}"
        for name, value, unit in (
            ("eps", eps, ""), ("duration", duration, " s"), ("c", c, ""), ("k", k, "")
        )
        if not 0 < value < np.inf
    ]  # fmt: skip
    if mistakes:
        raise InputError(mistakes)
