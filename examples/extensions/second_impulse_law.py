"""An impulse law of one's own: plastic impacts and Coulomb friction by projected Gauss-Seidel.

Contacts come from the package's own detection. Each sweep visits every contact once and projects
its impulse onto what Signorini's condition and Coulomb's cone allow (Jean and Moreau 1992):
    lambda_N >= 0,  |lambda_T| <= mu lambda_N,  v_N + gap / h >= 0.
"""

import numpy as np

import dovetail as dt
from dovetail.extend import ContactFinder

MAX_SWEEPS = 2000
TOLERANCE = 1e-12  # [m/s] change of the rates in a sweep


class ProjectedGaussSeidel:
    """Rigid contact with coefficient `friction`, no rebound."""

    name = "pgs"
    kind = "impulse"

    def __init__(self, friction: float = 0.0) -> None:
        self.friction = float(friction)

    def prepare(self, model):
        return Sweeps(model, self.friction)


class Sweeps:
    """The law of one model."""

    def __init__(self, model, friction):
        self.finder = ContactFinder(model, friction)
        self.mu = np.zeros(0)

    def contacts(self, x, R, reach):
        found = self.finder.contacts(x, R, reach)
        self.mu = self.finder.materials().mu_s
        return found

    def impulses(self, problem):
        m, W = len(problem.geometry.gaps), problem.W
        rates = problem.rates.copy()
        rates[::3] += np.maximum(problem.geometry.gaps, 0) / problem.h
        weight = 1 / np.trace(W.reshape(m, 3, m, 3)[range(m), :, range(m)], axis1=1, axis2=2)
        impulses = np.zeros((m, 3))
        for _ in range(MAX_SWEEPS):
            largest = 0.0
            for k in range(m):
                rows = slice(3 * k, 3 * k + 3)
                wanted = impulses[k] - weight[k] * rates[rows]
                wanted[0] = max(wanted[0], 0.0)
                slip = np.hypot(*wanted[1:])
                if slip > self.mu[k] * wanted[0]:
                    wanted[1:] *= self.mu[k] * wanted[0] / slip
                change = W[:, rows] @ (wanted - impulses[k])
                impulses[k] = wanted
                rates += change
                largest = max(largest, np.abs(change).max())
            if largest <= TOLERANCE:
                break
        return impulses


dt.extend.register("contact_methods", ProjectedGaussSeidel.name, ProjectedGaussSeidel)


def sliding_block(contact, angle=0.3, friction=0.2):
    """A block on a plane inclined by `angle` [rad] slides by g (sin - mu cos) t^2 / 2."""
    scene = dt.Scene(gravity=(9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("block", dt.Box((0.2, 0.2, 0.1)), density=1000, position=(0, 0, 0.05))
    return dt.simulate(scene, 0.5, 2e-3, contact=contact(friction=friction))


if __name__ == "__main__":
    for contact in (ProjectedGaussSeidel, dt.contact.LCP):
        print(f"{contact.name}: {sliding_block(contact).position('block')[-1, 0]:.6f} m")
