"""Andrews' squeezing mechanism: seven flat bodies, three loops, one freedom, a spring, a motor.

Mazzia and Magherini, Test Set for Initial Value Problem Solvers, release 2.4 (2008), II-10; Hairer
and Wanner, Solving Ordinary Differential Equations II (1996), VII.7. IFToMM library, problem A03.
"""

from math import cos, sin
from typing import Any

import numpy as np

import dovetail as dt
from dovetail.model.values import Array

# [rad] beta, Theta, gamma, Phi, delta, Omega, epsilon at t = 0, and published at t = 0.03 s
START = (
    -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885,
    0.487364979543842550, -0.222668390165885885, 1.23054744454982119,
)  # fmt: skip
ANGLES = (
    0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948,
    0.5244099658805304, 0.5347301163226948, 0.1048080741042263e1,
)  # fmt: skip
MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)  # [kg]
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)  # [kg m^2]
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)  # [m] fixed points
D, DA, E, EA, RR, RA, L0, SS, SA, SB, SC, SD = (
    28e-3, 115e-4, 2e-2, 1421e-5, 7e-3, 92e-5, 7785e-5, 35e-3, 1874e-5, 1043e-5, 18e-3, 2e-2,
)  # fmt: skip
TA, TB, U, UA, UB, ZF, ZT, FA = (
    2308e-5, 916e-5, 4e-2, 1228e-5, 449e-5, 2e-2, 4e-2, 1421e-5,
)  # fmt: skip
C0, MOMENT = 4530.0, 33e-3  # [N/m], [N m]


def _turned(angle: float) -> Any:
    return [[cos(angle), -sin(angle), 0], [sin(angle), cos(angle), 0], [0, 0, 1]]


def _points() -> tuple[list[tuple[float, float]], list[float], tuple[float, float]]:
    """Centres of mass, orientations, and the point where the three loops meet, at the start."""
    be, th, ga, ph, de, om, ep = START
    centres = [
        (RA * cos(be), RA * sin(be)),
        (RR * cos(be) - DA * cos(be + th), RR * sin(be) - DA * sin(be + th)),
        (B[0] + SA * sin(ga) + SB * cos(ga), B[1] - SA * cos(ga) + SB * sin(ga)),
        (A[0] + ZT * cos(de) + (E - EA) * sin(ph + de),
         A[1] + ZT * sin(de) - (E - EA) * cos(ph + de)),
        (A[0] + TA * cos(de) - TB * sin(de), A[1] + TA * sin(de) + TB * cos(de)),
        (A[0] + U * sin(ep) + (ZF - FA) * cos(om + ep),
         A[1] - U * cos(ep) + (ZF - FA) * sin(om + ep)),
        (A[0] + UA * sin(ep) - UB * cos(ep), A[1] - UA * cos(ep) - UB * sin(ep)),
    ]  # fmt: skip
    meet = RR * cos(be) - D * cos(be + th), RR * sin(be) - D * sin(be + th)
    return centres, [be, be + th, ga, ph + de, de, om + ep, ep], meet


def andrews(friction: float = 0.0) -> dt.Scene:
    """The mechanism at the published start, which is without `friction` [N m] in its hinges."""
    scene = dt.Scene()
    be, _, ga, _, de, _, ep = START
    centres, angles, meet = _points()
    for k in range(7):
        J = (INERTIA[k],) * 3  # only the last one counts
        scene.add_body(
            f"K{k + 1}", mass=MASS[k], inertia=J, position=(*centres[k], 0.0),
            rotation=_turned(angles[k]),
        )  # fmt: skip

    def hinge(name: str, at: tuple[float, float], a: str, b: str, moment: float = 0.0) -> None:
        acting = [dt.Actuation(motor=moment or None, friction=friction)]
        joint = dt.Revolute((*at, 0.0), (0, 0, 1), actuation=acting)
        scene.add_joint(name, joint, a, b)

    hinge("O", (0.0, 0.0), "ground", "K1", MOMENT)
    hinge("crank", (RR * cos(be), RR * sin(be)), "K1", "K2")
    hinge("B", B, "ground", "K3")
    hinge("upper", meet, "K2", "K3")
    hinge("A left", A, "ground", "K5")
    hinge("left", (A[0] + ZT * cos(de), A[1] + ZT * sin(de)), "K5", "K4")
    hinge("left end", meet, "K4", "K2")
    hinge("A right", A, "ground", "K7")
    hinge("right", (A[0] + U * sin(ep), A[1] - U * cos(ep)), "K7", "K6")
    hinge("right end", meet, "K6", "K2")
    end = B[0] + SD * cos(ga) + SC * sin(ga), B[1] + SD * sin(ga) - SC * cos(ga)
    scene.add_spring("spring", "ground", "K3", (*C, 0.0), (*end, 0.0), C0, 0.0, L0)
    return scene


def angles_of(R: Array) -> Array:
    """[rad] the seven angles of the test set at the last of k frames, R (k, 7, 3, 3)."""
    turned = np.unwrap(np.arctan2(R[:, :, 1, 0], R[:, :, 0, 0]), axis=0)
    return _relative(turned[-1]) - 2 * np.pi * np.round(
        (_relative(turned[0]) - START) / (2 * np.pi)
    )


def _relative(turned: Array) -> Array:
    k1, k2, k3, k4, k5, k6, k7 = turned
    return np.array([k1, k2 - k1, k3, k4 - k5, k5, k6 - k7, k7])
