"""Energies and momenta of many recorded states in one compiled pass."""

from typing import NamedTuple

import numpy as np

from dovetail.linalg.vec3 import add, cross, dot, load3, load33, matvec, scale, store3
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array
from dovetail.multibody.loads.forces import load_forces
from dovetail.multibody.loads.wrenches import NO_LOADS, potential_energy
from dovetail.runtime.jit import jit
from dovetail.runtime.records import FloatArray
from dovetail.runtime.warmup import warm


class FrameQuantities(NamedTuple):
    """Of k states of n bodies; dynamic bodies count."""

    spin: FloatArray  # (k, n, 3) [rad/s] world axes
    kinetic: FloatArray  # (k,) [J]
    potential: FloatArray  # (k,) [J] of gravity, constant world forces and springs
    linear: FloatArray  # (k, 3) [N s]
    angular: FloatArray  # (k, 3) [N m s] about the world origin


@jit
def _measure(loads, counts, mass, inertia, x, R, v, omega, out):
    """Fill `out`: T = sum (m v.v + omega.J omega) / 2, P = sum m v, L = sum x x m v + R J omega."""
    for k in range(x.shape[0]):
        energy, P, L = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for i in range(x.shape[1]):
            Ri, w, u = load33(R[k], i), load3(omega[k], i), load3(v[k], i)
            store3(out.spin[k], i, matvec(Ri, w))
            if counts[i]:
                Jw = matvec(load33(inertia, i), w)
                p = scale(mass[i], u)
                energy += 0.5 * (dot(p, u) + dot(w, Jw))
                P = add(P, p)
                L = add(L, add(cross(load3(x[k], i), p), matvec(Ri, Jw)))
        out.kinetic[k] = energy
        store3(out.linear, k, P)
        store3(out.angular, k, L)
        out.potential[k] = potential_energy(loads, counts, x[k], R[k])


def _space(k: int, n: int) -> FrameQuantities:
    return FrameQuantities(
        np.zeros((k, n, 3)), np.zeros(k), np.zeros(k), np.zeros((k, 3)), np.zeros((k, 3))
    )


def frame_quantities(model: Model, x: Array, R: Array, v: Array, omega: Array) -> FrameQuantities:
    """Of states x, v, omega (body axes) (k, n, 3) and R (k, n, 3, 3)."""
    out = _space(*x.shape[:2])
    counts = np.asarray(model.motion == DYNAMIC)
    loads = load_forces(model).compiled
    _measure(loads, counts, np.array(model.mass), np.array(model.inertia), x, R, v, omega, out)
    return out


_STATES, _ROTATIONS = np.zeros((0, 0, 3)), np.zeros((0, 0, 3, 3))
warm(
    _measure, NO_LOADS, np.zeros(0, np.bool_), np.zeros(0), np.zeros((0, 3, 3)), _STATES,
    _ROTATIONS, _STATES, _STATES, _space(0, 0),
)  # fmt: skip
