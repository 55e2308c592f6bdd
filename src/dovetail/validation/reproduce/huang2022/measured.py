"""Running the paper's pendulum with every scheme and measuring what its figures show."""

import time
from dataclasses import dataclass

import numpy as np

from dovetail.examples import double_pendulum
from dovetail.integrators import (
    DH,
    DL,
    EulerParameterDAE,
    Integrator,
    LieGeneralizedAlpha,
    RATTLie,
)
from dovetail.model.values import Array

GRAVITY = 9.81  # [m/s^2]
STEP, DURATION = 1e-3, 50.0  # [s]
COARSE, LONG = 1e-2, 500.0  # [s] where damping by the method becomes visible
ORACLE = {  # t [s]: position and body angular velocity of rod 2, minimal coordinates at 1e-13
    1.0: ((0.37953976, -1.13528321, -0.74567596), (2.99912846, 0.0, -5.86178453)),
    2.0: ((-0.11581562, 0.38656438, -0.99905602), (-7.23487956, 0.0, -4.19241952)),
    5.0: ((0.05069787, 1.10696386, -0.88226829), (5.26085945, 0.0, -0.97423307)),
    10.0: ((-0.14818282, 0.08790666, -1.37799989), (9.42960972, 0.0, -4.10020751)),
}


@dataclass(frozen=True, eq=False)
class Measured:
    """One run of the pendulum, every step of it."""

    time: Array  # (frames,) [s]
    x2: Array  # (frames, 3) [m]
    omega2: Array  # (frames, 3) [rad/s] body axes
    energy: Array  # (frames,) [J], 0 in exact arithmetic
    orthogonality: Array  # (frames,) largest entry of |R R^T - I| over both rods
    position: Array  # (frames,) largest violation [m]
    velocity: Array  # (frames,) [m/s]
    seconds: float  # of processor time of a step, the median of all

    def at(self, t: float) -> int:
        """The frame at time `t`."""
        return int(np.argmin(np.abs(self.time - t)))


def schemes() -> dict[str, Integrator]:
    """Those of the paper, DH with its quotient centred, and the Euler-parameter baseline."""
    return {
        "RATTLie": RATTLie(),
        "DH": DH(),
        "DH central": DH("central"),
        "DL": DL(),
        "LieGeneralizedAlpha": LieGeneralizedAlpha(),
        "EulerParameterDAE": EulerParameterDAE(),
    }


def measure(scheme: Integrator, duration: float = DURATION, step: float = STEP) -> Measured:
    """Run with every step kept."""
    model = double_pendulum.build().build()
    scheme.start(model, None).step(step)  # compiles what is not yet
    stepper, count = scheme.start(model, None), round(duration / step)
    state, frames = stepper.bodies, count + 1
    x, R = np.zeros((frames, 2, 3)), np.zeros((frames, 2, 3, 3))
    v, omega = np.zeros((frames, 2, 3)), np.zeros((frames, 2, 3))
    violations = np.zeros((frames, 2))
    spent = np.zeros(frames)
    for k in range(frames):
        if k:
            began = time.process_time()
            stepper.step(k * step)
            spent[k] = time.process_time() - began
        x[k], R[k], v[k], omega[k] = state.x, state.R, state.v, state.omega
        seen = stepper.observe()
        violations[k] = seen.constraint_position, seen.constraint_velocity
    defect = np.abs(np.einsum("tbij,tbkj->tbik", R, R) - np.eye(3)).max(axis=(1, 2, 3))
    return Measured(
        time=np.asarray(step * np.arange(frames), np.float64),
        x2=x[:, 1],
        omega2=omega[:, 1],
        energy=_energy(x, v, omega),
        orthogonality=defect,
        position=violations[:, 0],
        velocity=violations[:, 1],
        seconds=float(np.median(spent[1:])),
    )


def _energy(x: Array, v: Array, omega: Array) -> Array:
    """m (|v|^2 / 2 + g z) + omega . J omega / 2 of both rods [J]."""
    motion = 0.5 * (v * v).sum(axis=2) + GRAVITY * x[:, :, 2]
    rotational = 0.5 * (np.array(double_pendulum.INERTIA) * omega * omega).sum(axis=2)
    return np.asarray((double_pendulum.MASS * motion + rotational).sum(axis=1))
