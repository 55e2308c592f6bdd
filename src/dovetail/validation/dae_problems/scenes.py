"""Pendulum, N-four-bar, Bricard's mechanism and fly-ball governor of the IFToMM library.

Library of computational benchmark problems, IFToMM Technical Committee for Multibody Dynamics,
problems A01, A02, A04 and A05.
"""

import numpy as np

import dovetail as dt

UPRIGHT = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]


def pendulum() -> dt.Scene:
    """A01: 1 kg at 1 m from a hinge, released from the level."""
    scene = dt.Scene(gravity=(0, -9.81, 0))
    scene.add_body("mass", mass=1.0, inertia=(1e-12,) * 3, position=(-1, 0, 0))
    scene.add_joint("hinge", dt.Revolute((0, 0, 0), (0, 0, 1)), "ground", "mass")
    return scene


def four_bars(n: int) -> dt.Scene:
    """A02: n four-bars in a row, bars of 1 m and 1 kg, upright at the start, 1 m/s at the top."""
    scene, axis, J = dt.Scene(gravity=(0, -9.81, 0)), (0, 0, 1), (1e-3, 1 / 12, 1 / 12)
    for k in range(n + 1):
        scene.add_body(
            f"crank{k}", mass=1, inertia=J, position=(k, 0.5, 0), rotation=UPRIGHT,
            velocity=(-0.5, 0, 0), angular_velocity=(0, 0, 1),
        )  # fmt: skip
        scene.add_joint(f"base{k}", dt.Revolute((k, 0, 0), axis), "ground", f"crank{k}")
    for k in range(n):
        scene.add_body(
            f"coupler{k}", mass=1, inertia=J, position=(k + 0.5, 1, 0), velocity=(-1, 0, 0)
        )
        for end in (0, 1):
            pin = dt.Revolute((k + end, 1, 0), axis)
            scene.add_joint(f"pin{k}.{end}", pin, f"crank{k + end}", f"coupler{k}")
    return scene


def bricard() -> dt.Scene:
    """A04: five rods, six hinges, one equation too many.

    Rods of 1 m, 1 kg and a square section of 0.1 m along the edges of a cube.
    """
    corners = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    scene = dt.Scene(gravity=(0, -9.81, 0))
    names = [f"rod{i}" for i in range(5)] + ["ground"]
    for i in range(5):
        a, b = np.array(corners[i], float), np.array(corners[i + 1], float)
        J = tuple(0.01 / 6 if edge else 1.01 / 12 for edge in b - a)
        scene.add_body(names[i], mass=1.0, inertia=J, position=(a + b) / 2)
    for i in range(6):
        before, here, after = (np.array(corners[(i + k) % 6], float) for k in (-1, 0, 1))
        axis = np.cross(here - before, after - here)
        joint = dt.Revolute(tuple(here), tuple(axis))
        scene.add_joint(f"hinge{i}", joint, names[i - 1], names[i])
    return scene


def governor() -> dt.Scene:
    """A05: arms on an upright axle, spring-dampers of 8e5 N/m and 4e4 N s/m from arms to a sleeve.

    Axle and arms of 1 m and a square section of 0.01 m, 3000 kg/m^3, 5 kg at the ends of the arms,
    which start 30 degrees below the level; one turn a second.
    """
    scene, spin, angle = dt.Scene(gravity=(0, 0, -9.81)), 2 * np.pi, np.radians(30)
    rod, ball, low = 0.3, 5.0, -0.5
    across, along = rod * 1.0001 / 12, rod * 2e-4 / 12
    scene.add_body(
        "axle", mass=rod, inertia=(across, across, along), position=(0, 0, -0.5),
        angular_velocity=(0, 0, spin),
    )  # fmt: skip
    scene.add_joint("bearing", dt.Revolute((0, 0, 0), (0, 0, 1)), "ground", "axle")
    scene.add_body(
        "sleeve", mass=3.0, inertia=(0.005,) * 3, position=(0, 0, low),
        angular_velocity=(0, 0, spin),
    )  # fmt: skip
    scene.add_joint("slide", dt.Prismatic((0, 0, low), (0, 0, 1)), "axle", "sleeve")
    centre = (0.5 * rod + ball) / (rod + ball)  # [m] of an arm with its ball
    across += rod * (centre - 0.5) ** 2 + ball * (1 - centre) ** 2
    for side in (-1, 1):
        out = np.array((side * np.cos(angle), 0, -np.sin(angle)))
        R = np.column_stack([out, (0, 1, 0), np.cross(out, (0, 1, 0))])
        x = centre * out
        scene.add_body(
            f"arm {side}", mass=rod + ball, inertia=(along, across, across), position=x,
            rotation=R, velocity=(0, spin * x[0], 0), angular_velocity=(0, 0, spin),
        )  # fmt: skip
        scene.add_joint(f"hinge {side}", dt.Revolute((0, 0, 0), (0, 1, 0)), "axle", f"arm {side}")
        ends = 0.5 * out, (0, 0, low)
        scene.add_spring(f"link {side}", f"arm {side}", "sleeve", *ends, 8e5, 4e4)
    return scene
