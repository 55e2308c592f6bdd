"""An integrator of one's own: symplectic Euler for free bodies, first order.

v' = v + h f(x) / m,  x' = x + h v',  L' = L + h torque,  R' = exp([h R I^-1 R^T L']) R

run: {integrator: SymplecticEuler}
"""

import numpy as np

import dovetail as dt
from dovetail.extend import (
    DYNAMIC,
    LoadForces,
    Observation,
    StepReport,
    initial_state,
    prepared_law,
)


class SymplecticEuler:
    """Settings; `takes` names the kinds of contact law that it can step."""

    name = "SymplecticEuler"
    order = 1
    takes = frozenset({"force"})
    takes_joints = False
    keeps_momentum = True

    def start(self, model, contact):
        return Stepper(model, prepared_law(self, model, contact))


class Stepper:
    """One run: holds the state and advances it."""

    def __init__(self, model, law):
        self.model, self.law, self.loads = model, law, LoadForces(model)
        self.bodies = initial_state(model)
        self.moves = model.motion == DYNAMIC
        self.L = np.einsum("nij,njk,nk->ni", self.bodies.R, model.inertia, self.bodies.omega)

    def step(self, t_next):
        b, m = self.bodies, self.moves
        h = t_next - b.t
        force, torque = self.loads.wrenches(b)
        if self.law is not None:
            force, torque = np.add((force, torque), self.law.wrenches(b))
        b.v[m] += h * force[m] / self.model.mass[m, None]
        b.x[m] += h * b.v[m]
        self.L[m] += h * torque[m]
        for i in np.flatnonzero(m):
            spin = b.R[i] @ np.linalg.solve(self.model.inertia[i], b.R[i].T @ self.L[i])
            b.R[i] = dt.lie.so3.exp(h * spin) @ b.R[i]
            b.omega[i] = np.linalg.solve(self.model.inertia[i], b.R[i].T @ self.L[i])
        b.t = t_next
        return StepReport()

    def observe(self):
        return Observation() if self.law is None else Observation(self.law.report(self.bodies))

    def snapshot(self):
        arrays = {"t": np.array(self.bodies.t), "L": self.L.copy()}
        return arrays | {k: getattr(self.bodies, k).copy() for k in ("x", "R", "v", "omega")}

    def restore(self, snapshot):
        self.bodies.t, self.L = float(snapshot["t"]), snapshot["L"].copy()
        for k in ("x", "R", "v", "omega"):
            getattr(self.bodies, k)[...] = snapshot[k]


dt.extend.register("integrators", SymplecticEuler.name, SymplecticEuler)

if __name__ == "__main__":
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("ball", dt.Sphere(0.1), mass=1, velocity=(1, 0, 2), angular_velocity=(1, 2, 3))
    result = dt.simulate(scene, 1.0, 1e-3, integrator="SymplecticEuler")
    print(result, result.position("ball")[-1])
