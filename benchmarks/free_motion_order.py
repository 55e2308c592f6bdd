"""Order, conserved quantities and cost of the free-motion step: the table of docs/theory.

    python benchmarks/free_motion_order.py

A torque-free body with moments 1, 2, 2.5 kg m^2 tumbles for one and a half periods of its closed
form (Jacobi's elliptic functions; Landau and Lifshitz, Mechanics, section 37).
"""

import sys
import time
from itertools import islice
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "physics"))

from closed_forms import TorqueFree
from closed_forms import exp as rotation
from stepping import advance, start

import dovetail as dt
from dovetail.multibody.energy import kinetic_energy
from dovetail.multibody.momentum import angular_momentum

MOMENTS = np.array([1.0, 2.0, 2.5])
COUNTS = (100, 200, 400, 800, 1600)


def tumbling(exact):
    scene = dt.Scene()
    R = exact.attitude(0.0)
    scene.add_body(
        "body", mass=2.0, inertia=MOMENTS, rotation=R, angular_velocity=R @ exact.omega(0.0)
    )
    return scene


def convergence(exact, T):
    """Errors against the closed form at the end, for doubled numbers of steps."""
    print(
        f"{'steps':>6} {'h [s]':>9} {'attitude':>10} {'order':>6} {'spin [rad/s]':>13} {'order':>6}"
    )
    before = None
    for n in COUNTS:
        _, stepper = start(tumbling(exact))
        state = advance(stepper, T / n, n)
        errors = np.array(
            [
                np.abs(state.R[0] - exact.attitude(T)).max(),
                np.abs(state.omega[0] - exact.omega(T)).max(),
            ]
        )
        orders = ["", ""] if before is None else [f"{p:.2f}" for p in np.log2(before / errors)]
        print(
            f"{n:6d} {T / n:9.5f} {errors[0]:10.2e} {orders[0]:>6} {errors[1]:13.2e} {orders[1]:>6}"
        )
        before = errors


def general_form(exact, h):
    """Attitude and spin by eqs. 11-12 for a free body: h Pi = alpha J f + beta f x J f."""
    from scipy.optimize import fsolve

    J, R, f = np.diag(MOMENTS), exact.attitude(0.0), h * exact.omega(0.0)
    L = R @ (MOMENTS * exact.omega(0.0))

    def residual(f, momentum):
        angle = np.linalg.norm(f)
        alpha, beta = np.sin(angle) / angle, (1 - np.cos(angle)) / angle**2
        return alpha * (J @ f) + beta * np.cross(f, J @ f) - h * momentum

    while True:
        f = fsolve(residual, f, (R.T @ L,), xtol=1e-13)
        R = R @ rotation(f)
        yield R, (R.T @ L) / MOMENTS


def lie_verlet(exact, h):
    """Attitude and spin by `LieVerlet`."""
    _, stepper = start(tumbling(exact))
    while True:
        stepper.step(stepper.bodies.t + h)
        yield stepper.bodies.R[0], stepper.bodies.omega[0]


def compare_forms(exact, T, n=400):
    """The logarithm as discrete velocity against the difference quotient of the general form."""
    twice_energy = MOMENTS @ exact.omega(0.0) ** 2
    print(f"{n} steps {'attitude':>14} {'spin [rad/s]':>13} {'energy':>9}")
    for name, motion in (("LieVerlet", lie_verlet), ("general form", general_form)):
        energy = 0.0
        for R, omega in islice(motion(exact, T / n), n):  # noqa: B007 (the last R is used)
            energy = max(energy, abs(MOMENTS @ omega**2 / twice_energy - 1))
        attitude = np.abs(R - exact.attitude(T)).max()
        spin = np.abs(omega - exact.omega(T)).max()
        change = f"{energy:.1e}" if energy > 1e-12 else "< 1e-12"
        print(f"{name:13} {attitude:10.2e} {spin:13.2e} {change:>9}")


def conserved(exact, h, n):
    """Largest relative changes over a long run, and the time per step."""
    model, stepper = start(tumbling(exact))
    L0, E0 = angular_momentum(model, stepper.bodies), kinetic_energy(model, stepper.bodies)
    momentum = energy = 0.0
    for k in range(1, n + 1):
        stepper.step(k * h)
        if k % 100 == 0:
            L, E = angular_momentum(model, stepper.bodies), kinetic_energy(model, stepper.bodies)
            momentum = max(momentum, np.abs(L - L0).max() / np.linalg.norm(L0))
            energy = max(energy, abs(E / E0 - 1))
    R = stepper.bodies.R[0]
    started = time.perf_counter()
    advance(stepper, h, 10_000)
    each = (time.perf_counter() - started) / 10_000
    print(f"{n} steps of {h} s: largest relative change")
    print(f"  angular momentum {momentum:.1e}")
    print(f"  energy           {energy:.1e}")
    print(f"  R^T R - 1        {np.abs(R.T @ R - np.eye(3)).max():.1e}")
    print(f"  one step from Python: {1e6 * each:.1f} us")


def main():
    exact = TorqueFree(MOMENTS, 1.0, 1.5)
    convergence(exact, 1.5 * exact.period)
    compare_forms(exact, 1.5 * exact.period)
    conserved(exact, 0.01, 100_000)


if __name__ == "__main__":
    main()
