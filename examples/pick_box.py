"""A SCARA arm picks a box and puts it down elsewhere: targets with gains for the joints, an effort
for the fingers. `python examples/pick_box.py [ipc|lcp|sdf]` says where the box ended.
"""

import sys

import dovetail as dt


def scene() -> dt.Scene:
    """Two links that turn, a column that slides down, two fingers, a box on a table."""
    made = dt.Scene(gravity=(0, 0, -9.81))
    made.add_body("table", dt.Box((1.6, 1.6, 0.1)), motion="static", position=(0, 0, -0.05))
    made.add_body("upper", dt.Box((0.4, 0.08, 0.06)), mass=2.0, position=(0.2, 0, 0.5))
    made.add_body("fore", dt.Box((0.3, 0.06, 0.05)), mass=1.0, position=(0.55, 0, 0.42))
    made.add_body("column", dt.Box((0.03, 0.12, 0.2)), mass=0.5, position=(0.7, 0, 0.25))
    made.add_joint("shoulder", dt.Revolute((0, 0, 0.5), (0, 0, 1)), "ground", "upper")
    made.add_joint("elbow", dt.Revolute((0.4, 0, 0.45), (0, 0, 1)), "upper", "fore")
    made.add_joint("lift", dt.Prismatic((0.7, 0, 0.3), (0, 0, 1)), "fore", "column")
    for name, side in (("left", 1), ("right", -1)):
        position = (0.7, side * 0.045, 0.1)
        made.add_body(name, dt.Box((0.03, 0.01, 0.08)), mass=0.1, position=position)
        axis = (0, -side, 0)
        made.add_joint(name, dt.Prismatic(position, axis), "column", name)
    made.add_body("box", dt.Box((0.04, 0.04, 0.04)), mass=0.1, position=(0.7, 0, 0.0205))
    return made


def pick(contact: dt.contact.IPC | dt.contact.LCP | dt.contact.SDF) -> dt.Simulation:
    """Down, grip, up, turn by 0.8 rad, down, let go."""
    sim = dt.Simulation(scene(), step=2e-3, contact=contact)
    gains = {"shoulder": (300, 40), "elbow": (100, 12), "lift": (4000, 200)}
    for name, (stiffness, damping) in gains.items():
        sim.joint(name).set_target(position=0.0, stiffness=stiffness, damping=damping)
    fingers = [sim.joint(name) for name in ("left", "right")]
    for finger in fingers:  # held open
        finger.set_target(position=0.0, stiffness=200, damping=10)
    plan = [
        (0.3, -0.07, 0.0, 0.0), (0.3, -0.07, 0.0, 15.0), (0.4, 0.05, 0.0, 15.0),
        (0.8, 0.05, 0.8, 15.0), (0.4, -0.068, 0.8, 15.0), (0.2, -0.068, 0.8, 0.0),
    ]  # fmt: skip
    height, angle = 0.0, 0.0
    for duration, lift, shoulder, grip in plan:
        count = round(duration / sim.step_size)
        for finger in fingers:
            finger.effort = float(grip)
        for k in range(count):
            share = (k + 1) / count
            sim.joint("lift").target_position = height + share * (lift - height)
            sim.joint("shoulder").target_position = angle + share * (shoulder - angle)
            sim.step()
        height, angle = lift, shoulder
    return sim


if __name__ == "__main__":
    method = sys.argv[1] if len(sys.argv) > 1 else "ipc"
    made = {"ipc": dt.contact.IPC, "lcp": dt.contact.LCP, "sdf": dt.contact.SDF}[method]
    finished = pick(made(friction=0.8))
    x, y, z = finished.body("box").position
    print(f"the box is at x = {x:.3f}, y = {y:.3f}, z = {z:.3f} m")
