"""Closed forms of rigid-body motion that the schemes are measured against."""

import numpy as np
from scipy.special import ellipj, ellipk

GAUSS_POINTS, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(20)


def about(axis, angle):
    """Rotation by `angle` about coordinate axis 0, 1 or 2."""
    c, s = np.cos(angle), np.sin(angle)
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def exp(w):
    """Rodrigues' formula, written independently of the package."""
    angle = np.linalg.norm(w)
    if angle == 0.0:
        return np.eye(3)
    k = np.cross(np.eye(3), w / angle)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


class TorqueFree:
    """Asymmetric body I1 < I2 < I3 with L^2 > 2 T I2, from omega = (a, 0, c) at t = 0.

    Landau and Lifshitz, Mechanics, section 37: equations 37.8 to 37.10 for omega in Jacobi's
    functions, 37.15 to 37.16 for the attitude in Euler angles about the fixed L (z axis).
    """

    def __init__(self, moments, a, c):
        self.I = I1, I2, I3 = moments
        self.L = np.hypot(I1 * a, I3 * c)
        twice_T = I1 * a**2 + I3 * c**2
        assert twice_T * I2 < self.L**2
        self.rate = np.sqrt((I3 - I2) * (self.L**2 - twice_T * I1) / (I1 * I2 * I3))
        self.m = (I2 - I1) * (twice_T * I3 - self.L**2)
        self.m /= (I3 - I2) * (self.L**2 - twice_T * I1)
        self.size = np.array([a, np.sqrt((twice_T * I3 - self.L**2) / (I2 * (I3 - I2))), c])

    @property
    def period(self):
        """[s] after which omega in body axes repeats: 4 K(m) / rate."""
        return 4 * ellipk(self.m) / self.rate

    def omega(self, t):
        """[rad/s] in body axes."""
        sn, cn, dn, _ = ellipj(self.rate * np.asarray(t), self.m)
        return self.size * np.stack([cn, sn, dn], axis=-1)

    def attitude(self, t):
        """R with R J omega = L e_z; the turn about L by Gauss quadrature of its rate."""
        pieces = max(1, int(np.ceil(t * self.rate / 0.2)))
        edges = np.linspace(0.0, t, pieces + 1)
        half = 0.5 * (edges[1] - edges[0])
        times = (edges[:-1, None] + half * (1 + GAUSS_POINTS)).ravel()
        P = self.omega(times) * self.I
        rate = self.L * (P[:, 0] ** 2 / self.I[0] + P[:, 1] ** 2 / self.I[1])
        rate /= P[:, 0] ** 2 + P[:, 1] ** 2
        phi = half * np.sum(rate * np.tile(GAUSS_WEIGHTS, pieces))
        p = self.omega(t) * self.I / self.L
        theta = np.arctan2(np.hypot(p[0], p[1]), p[2])
        psi = np.arctan2(p[0], p[1])
        return about(2, phi) @ about(0, theta) @ about(2, psi)


def symmetric_attitude(R0, transverse, axial, omega0, t):
    """R(t) = exp(t L / I_t) R0 exp(t (1 - I_a / I_t) omega_3 e_3): coning about L, then spin."""
    L = R0 @ (np.array([transverse, transverse, axial]) * omega0)
    return (
        exp(t * L / transverse)
        @ R0
        @ exp(t * (1 - axial / transverse) * omega0[2] * np.array([0.0, 0.0, 1.0]))
    )
