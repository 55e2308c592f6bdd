"""A friction curve of one's own: Stribeck's, which falls from mu_s to mu_d with the slip speed.

mu(v) = mu_d + (mu_s - mu_d) exp(-(v / v_stribeck)^2)        (Armstrong-Helouvry 1991)

run: {contact: {method: lcp, friction: {stribeck: {mu_s: 0.4, mu_d: 0.2, v_stribeck: 0.5}}}}
"""

import numpy as np

import dovetail as dt


class Stribeck:
    """mu_s at rest, mu_d far above the speed v_stribeck [m/s]."""

    def __init__(self, mu_s: float, mu_d: float, v_stribeck: float = 0.1) -> None:
        self.mu_s, self.mu_d, self.v_stribeck = float(mu_s), float(mu_d), float(v_stribeck)

    def coefficient(self, speed):
        return self.mu_d + (self.mu_s - self.mu_d) * np.exp(-((speed / self.v_stribeck) ** 2))


dt.extend.register("friction_curves", "stribeck", Stribeck)


def braked(contact, step):
    """Speeds [m/s] and times of a block that slides to rest on a plane."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body(
        "block", dt.Box((0.2, 0.2, 0.05)), density=1000, position=(0, 0, 0.025), velocity=(1, 0, 0)
    )
    result = dt.simulate(scene, 0.2, step, contact=contact)
    return result.time, result.velocity("block")[:, 0]


def expected(curve, time):
    """The speed at `time` [s] that v' = -mu(v) g leads to, by the midpoint rule."""
    v, h = np.ones(1), 1e-4
    for _ in range(round(time / h)):
        half = v - 0.5 * h * 9.81 * curve.coefficient(v)
        v = v - h * 9.81 * curve.coefficient(half)
    return float(v[0])


if __name__ == "__main__":
    curve = Stribeck(0.4, 0.2, 0.5)
    time, speeds = braked(dt.contact.LCP(friction=curve), 1e-3)
    print(
        f"at t = {time[-1]:.2f} s: {speeds[-1]:.4f} m/s, expected {expected(curve, time[-1]):.4f}"
    )
