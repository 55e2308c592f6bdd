"""A pole on a cart is balanced under LCP, first by hand, then as a Gymnasium environment."""

import numpy as np

import dovetail as dt


def scene() -> dt.Scene:
    made = dt.Scene(gravity=(0, 0, -9.81))
    made.add_body("cart", dt.Box((0.4, 0.2, 0.1)), mass=1.0)
    made.add_body("pole", dt.Box((0.04, 0.04, 1.0)), mass=0.1, position=(0, 0, 0.6))
    made.add_joint("rail", dt.Prismatic((0, 0, 0), (1, 0, 0)), "ground", "cart")
    made.add_joint("hinge", dt.Revolute((0, 0, 0.1), (0, 1, 0)), "cart", "pole")
    return made


def force(seen: np.ndarray) -> float:
    """[N] on the cart by feedback of the whole state (x, angle, their rates)."""
    return float(np.array([1.0, 30.0, 2.0, 6.0]) @ seen)


def by_hand() -> float:
    sim = dt.Simulation(scene(), step=2e-3, contact="lcp")
    sim.set_state(q={"hinge": 0.1})
    for _ in range(2000):
        sim.joint("rail").effort = force(np.concatenate((sim.q, sim.v)))
        sim.step()
    return sim.joint("hinge").position


def as_environment() -> float:
    env = dt.gym.SceneEnv(
        scene, contact="lcp", joints=["rail"], scale=20.0, max_steps=400,
        reward=lambda sim: float(np.cos(sim.joint("hinge").position)),
        terminated=lambda sim: abs(sim.joint("hinge").position) > 0.5,
        start=lambda sim, rng: sim.set_state(q={"hinge": rng.uniform(-0.1, 0.1)}),
    )  # fmt: skip
    seen, _ = env.reset(seed=1)
    total, over = 0.0, False
    while not over:
        seen, reward, fell, cut, _ = env.step(np.array([force(seen) / 20.0]))
        total, over = total + reward, fell or cut
    return total


if __name__ == "__main__":
    print(f"by hand: {by_hand():.5f} rad off; reward of an episode: {as_environment():.1f} of 400")
