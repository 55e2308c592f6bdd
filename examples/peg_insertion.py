"""A square peg finds its hole by touch: pressed down, it moves away from where the rim supports it.

`python examples/peg_insertion.py` says how deep it went, and that nothing ever intersected.
"""

import numpy as np

import dovetail as dt

SIDE, CLEARANCE, OFFSET = 0.02, 1e-3, (0.004, -0.003)  # [m]


def scene() -> dt.Scene:
    """A plate of four bars around a hole, and a peg on three slides, off by OFFSET."""
    made = dt.Scene(gravity=(0, 0, -9.81))
    half, wide = SIDE / 2 + CLEARANCE / 2, 0.04
    for name, x, y in (("east", 1, 0), ("west", -1, 0), ("north", 0, 1), ("south", 0, -1)):
        size = (wide, 2 * half + 2 * wide, 0.03) if x else (2 * half - 1e-5, wide, 0.03)
        where = (x * (half + wide / 2), y * (half + wide / 2), -0.015)
        made.add_body(name, dt.Box(size), motion="static", position=where, group="plate")
    x, y = OFFSET
    made.add_body("slide", dt.Box((0.02, 0.02, 0.02)), mass=0.2, position=(x, y, 0.3))
    made.add_body("cross", dt.Box((0.02, 0.02, 0.02)), mass=0.2, position=(x, y, 0.2))
    made.add_body("peg", dt.Box((SIDE, SIDE, 0.06)), mass=0.2, position=(x, y, 0.031))
    made.add_joint("x", dt.Prismatic((x, y, 0.3), (1, 0, 0)), "ground", "slide")
    made.add_joint("y", dt.Prismatic((x, y, 0.2), (0, 1, 0)), "slide", "cross")
    made.add_joint("z", dt.Prismatic((x, y, 0.1), (0, 0, 1)), "cross", "peg")
    return made


def insert(sim: dt.Simulation, seconds: float = 2.0, speed: float = 0.01) -> float:
    """Press with 5 N and follow the force; returns how deep the peg is [m]."""
    sim.joint("z").effort = -5.0
    goal = np.zeros(2)
    for name in ("x", "y"):
        sim.joint(name).set_target(position=0.0, stiffness=2000, damping=60)
    while sim.time < seconds and sim.joint("z").position > -0.025:
        wrenches = [sim.contact_wrench("peg", rim) for rim in ("east", "west", "north", "south")]
        load = sum(wrench.force[2] for wrench in wrenches)
        if load > 1.0:  # supported: away from the point of support
            support = sum(w.force[2] * np.nan_to_num(w.point[:2]) for w in wrenches) / load
            away = sim.body("peg").position[:2] - support
            goal += speed * sim.step_size * away / max(np.linalg.norm(away), 1e-6)
        sim.joint("x").target_position, sim.joint("y").target_position = goal.tolist()
        sim.step()
    return -sim.joint("z").position


if __name__ == "__main__":
    simulation = dt.Simulation(scene(), step=2e-3, contact=dt.contact.IPC(friction=0.1))
    with simulation.recording("peg.h5", every=5):
        depth = insert(simulation)
    print(f"inserted {1e3 * depth:.1f} mm at t = {simulation.time:.2f} s")
