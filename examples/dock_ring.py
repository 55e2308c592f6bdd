"""Two vehicles dock softly: a ring gives way on a slide and turns with what it meets.

`python examples/dock_ring.py` says the largest force and the speed that is left, with the ring
under control and with it held stiffly.
"""

import numpy as np

import dovetail as dt

SPEED, TILT = 0.1, 0.04  # [m/s] and [rad] of the vehicle that comes
BRAKE = 130.0  # [N s/m]: stops a reduced mass of 67 kg within 50 mm
ALIGNED = 2e-3  # [m/s] between the vehicles: the ring is held where it is


def scene() -> dt.Scene:
    """A chaser with a ring on a slide and a universal joint, and a target that drifts to it."""
    made = dt.Scene(gravity=(0, 0, 0))
    made.add_body("chaser", dt.Box((1.0, 1.0, 1.0)), mass=200.0)
    made.add_body("carriage", dt.Box((0.1, 0.1, 0.1)), mass=1.0, position=(0.7, 0, 0))
    quarter, half = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0.0]]), TILT / 2
    made.add_body(
        "ring", dt.Torus(0.3, 0.02), mass=2.0, position=(0.9, 0, 0), rotation=quarter
    )  # fmt: skip
    made.add_body(
        "target", dt.Box((0.6, 0.8, 0.8)), mass=100.0, position=(1.26, 0, 0),
        rotation=(np.cos(half), 0, np.sin(half), 0), velocity=(-SPEED, 0, 0),
    )  # fmt: skip
    made.add_joint("slide", dt.Prismatic((0.7, 0, 0), (1, 0, 0)), "chaser", "carriage")
    gimbal = dt.Universal((0.9, 0, 0), (0, 1, 0), (0, 0, 1))
    made.add_joint("gimbal", gimbal, "carriage", "ring")
    return made


def closing_speed(sim: dt.Simulation) -> float:
    """[m/s] of the vehicles towards each other."""
    return float(sim.body("chaser").velocity[0] - sim.body("target").velocity[0])


def dock(controlled: bool = True, seconds: float = 4.0) -> tuple[float, float]:
    """Largest force [N] along the slide, and the largest speed [m/s] between the vehicles after."""
    sim = dt.Simulation(scene(), step=2e-3, contact=dt.contact.LCP(friction=0.5))
    slide, largest, left = sim.joint("slide"), 0.0, 0.0
    sim.joint("gimbal").set_target(position=(0.0, 0.0), stiffness=5.0, damping=2.0)
    if controlled:
        slide.set_target(velocity=0.0, damping=BRAKE)  # a brake: it never pushes back
    else:
        slide.set_target(position=0.0, stiffness=1e6, damping=100.0)
    held = not controlled
    while sim.time < seconds:
        sim.step()
        largest = max(largest, abs(float(slide.wrench.force[0])))
        met = np.linalg.norm(sim.contact_wrench("ring", "target").force) > 0
        if not held and met and abs(closing_speed(sim)) < ALIGNED:
            slide.set_target(position=slide.position, stiffness=1e4, damping=500.0)
            held = True
        if sim.time > seconds - 0.5:
            left = max(left, abs(closing_speed(sim)))
    return largest, left


if __name__ == "__main__":
    for name, controlled in (("controlled", True), ("held stiffly", False)):
        force, speed = dock(controlled)
        print(f"{name}: at most {force:.0f} N, then {1e3 * speed:.1f} mm/s of {1e3 * SPEED:.0f}")
