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
from dovetail.results import Result
from dovetail.simulate import simulate

STEP, DURATION = 1e-3, 50.0  # [s]
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
    seconds: float  # of wall time for the steps alone

    def at(self, t: float) -> int:
        """The frame at time `t`."""
        return int(np.argmin(np.abs(self.time - t)))


def schemes() -> tuple[Integrator, ...]:
    """Those of the paper, and the Euler-parameter baseline."""
    return RATTLie(), DH(), DL(), LieGeneralizedAlpha(), EulerParameterDAE()


def measure(scheme: Integrator, duration: float = DURATION, step: float = STEP) -> Measured:
    """Run once with every step recorded, and the first tenth once more for the time it takes."""
    scene = double_pendulum.build()
    result = simulate(scene, duration, step, integrator=scheme, progress=False)
    count = max(1, round(duration / step / 10))
    began = time.perf_counter()
    simulate(scene, count * step, step, integrator=scheme, every=count, progress=False)
    seconds = (time.perf_counter() - began) * duration / (count * step)
    return of_result(result, seconds)


def of_result(result: Result, seconds: float) -> Measured:
    """What the figures show of a result."""
    R2 = result.rotation("rod2")
    defects = [
        np.abs(np.einsum("tij,tkj->tik", R, R) - np.eye(3)).max(axis=(1, 2))
        for R in (result.rotation("rod1"), R2)
    ]
    return Measured(
        time=result.time,
        x2=result.position("rod2"),
        omega2=np.einsum("tji,tj->ti", R2, result.angular_velocity("rod2")),
        energy=np.asarray(result.energy["total"]),
        orthogonality=np.maximum(*defects),
        position=np.asarray(result.constraint_violation["position"]),
        velocity=np.asarray(result.constraint_violation["velocity"]),
        seconds=seconds,
    )
