"""Train a feedback that balances a pole: random search on a Gymnasium environment.

`pip install 'dovetail[gym]'`, then `python train_cart_pole.py`.
"""

import numpy as np

import dovetail as dt


def cart_pole() -> dt.Scene:
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("cart", dt.Box((0.4, 0.2, 0.1)), mass=1.0)
    scene.add_body("pole", dt.Box((0.04, 0.04, 1.0)), mass=0.1, position=(0, 0, 0.6))
    scene.add_joint("rail", dt.Prismatic((0, 0, 0), (1, 0, 0)), "ground", "cart")
    scene.add_joint("hinge", dt.Revolute((0, 0, 0.1), (0, 1, 0)), "cart", "pole")
    return scene


def start(sim: dt.Simulation, rng: np.random.Generator) -> None:
    sim.set_state(q={"hinge": rng.uniform(-0.1, 0.1)})


env = dt.gym.SceneEnv(
    cart_pole, joints=["rail"], scale=20.0, start=start, max_steps=200,
    reward=lambda sim: float(np.cos(sim.joint("hinge").position)),
    terminated=lambda sim: abs(sim.joint("hinge").position) > 0.5,
)  # fmt: skip


def episode(gains: np.ndarray, seed: int) -> float:
    """The reward of one episode: cart position, angle and their rates times gains."""
    seen, _ = env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        seen, reward, ended, cut, _ = env.step(np.clip([gains @ seen], -1, 1).astype(np.float32))
        total, over = total + reward, ended or cut
    return total


rng = np.random.default_rng(0)
best, gains = episode(np.zeros(4), 0), np.zeros(4)
first = best
for trial in range(100):
    tried = gains + rng.normal(scale=0.5, size=4)
    reward = episode(tried, seed=trial % 3)
    if reward > best:
        best, gains = reward, tried
    if best > 199:
        break
print(f"reward {first:.0f} before, {episode(gains, seed=99):.0f} of 200 after {trial + 1} episodes")
