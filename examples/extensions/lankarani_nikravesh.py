"""A normal force of one's own on the package's contact detection.

Lankarani and Nikravesh (1990): F = K d^n (1 + 3/4 (1 - e^2) d_dot / v_0), with the depth d, the
impact speed v_0 and Hertz's n = 3/2. With v = d_dot / v_0 and c = 3/4 (1 - e^2), integrating
v dv / (1 + c v) = -K d^n dd / (m v_0^2) over compression and restitution gives the rebound e':
    S(-e') = S(1),   S(v) = v / c - ln(1 + c v) / c^2.
For e near 1 it is e, as the authors meant it.

    run: {contact: {method: sdf, normal_force: {lankarani-nikravesh: {K: 1.0e+8, e: 0.8}}}}
"""

import numpy as np

import dovetail as dt


class LankaraniNikravesh:
    """K [N/m^1.5] and coefficient of restitution e."""

    def __init__(self, K: float, e: float = 0.9) -> None:
        self.K, self.e = float(K), float(e)

    def __call__(self, gap, rate, impact_speed):
        damping = 0.75 * (1 - self.e**2) * -rate / impact_speed
        return self.K * (-gap) ** 1.5 * (1 + damping)

    def energy(self, gap):
        return self.K * (-gap) ** 2.5 / 2.5


dt.extend.register("normal_forces", "lankarani-nikravesh", LankaraniNikravesh)


def rebound(e):
    """The rebound of the law above for a given e, by bisection."""
    c = 0.75 * (1 - e**2)

    def S(v):
        return v / c - np.log1p(c * v) / c**2

    low, high = 0.0, 1.0  # S(-e') grows with e'
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if S(-middle) < S(1) else (low, middle)
    return low


def bounce(e, speed=1.0):
    """Measured speed after over speed before the impact of a sphere on a plane."""
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body(
        "ball", dt.Sphere(0.05), density=1000, position=(0, 0, 0.0501), velocity=(0, 0, -speed)
    )
    contact = dt.contact.SDF(normal_force=LankaraniNikravesh(1e7, e))
    result = dt.simulate(scene, 0.01, 1e-5, contact=contact)
    return result.velocity("ball")[-1, 2] / speed


if __name__ == "__main__":
    for e in (0.95, 0.8, 0.5):
        print(f"e = {e}: rebound {bounce(e):.5f}, theory {rebound(e):.5f}")
