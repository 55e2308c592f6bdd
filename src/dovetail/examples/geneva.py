"""A Geneva drive: a turning pin moves a slotted wheel by a quarter turn, then lets it rest.

The pin enters and leaves a slot along it, so the wheel starts and stops without a blow. While the
pin is in, with the driver at angle a from the line of centres and a pin at radius r,
    tan(b) = r sin(a) / (c - r cos(a))
is the wheel's angle. Contact alone carries the motion; the two hinges and the motor are joints.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.contact import IPC
from dovetail.model import Actuation, Cylinder, Mesh, Revolute, Scene
from dovetail.results import Result

DESCRIPTION = "A Geneva drive indexes a wheel by quarter turns, contact within joints"
SPEED = 2 * np.pi  # [rad/s] of the driver
START = -1.2  # [rad] of the driver before the line of centres: the pin is outside
RUN: dict[str, Any] = {"duration": 1.3, "step": 5e-3, "contact": IPC()}

CENTRES = 0.1  # [m] between the axes
PIN_PATH = CENTRES * np.sin(np.pi / 4)  # [m] radius on which the pin turns
RADIUS = CENTRES * np.cos(np.pi / 4)  # [m] of the wheel
PIN, PLAY = 5e-3, 1e-4  # [m] radius of the pin, gap to each side of its slot
DEPTH = CENTRES - PIN_PATH - 2 * PIN  # [m] from the wheel's axis to the bottom of a slot
HEIGHT = 0.01  # [m]
UP = (0.0, 0.0, 1.0)


def wheel_triangles() -> NDArray[np.float64]:
    """(k, 3, 2) [m] triangles of a wheel with slots along +-x and +-y: a cross and four sectors."""
    half = PIN + PLAY
    P, inner = (half, half), (DEPTH, half)
    start = np.arcsin(half / RADIUS)
    angles = np.linspace(start, np.pi / 2 - start, 10)
    rim = [(RADIUS * np.cos(angle), RADIUS * np.sin(angle)) for angle in angles]
    ring = [P, inner, *rim, inner[::-1]]
    apex = (RADIUS / 2, RADIUS / 2)
    quarter = [(apex, a, b) for a, b in zip(ring, [*ring[1:], P])]
    below = (half, -half), (DEPTH, -half)
    quarter += [(below[0], below[1], inner), (below[0], inner, P), ((0, 0), below[0], P)]
    corners = np.array(quarter)
    turns = [np.array([[c, s], [-s, c]]) for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    return np.concatenate([corners @ turn for turn in turns])


def wheel() -> Mesh:
    """The triangles as a disc of constant height: both sides, and walls along their border."""
    triangles = wheel_triangles()
    flat, names = np.unique(triangles.reshape(-1, 2).round(12), axis=0, return_inverse=True)
    faces = names.reshape(-1, 3)
    k = len(flat)
    edges = {(int(f[i]), int(f[(i + 1) % 3])) for f in faces for i in range(3)}
    border = [(a, b) for a, b in edges if (b, a) not in edges]
    walls = [f for a, b in border for f in ((a, b, k + b), (a, k + b, k + a))]
    sides = [np.column_stack((flat, np.full(k, z))) for z in (-HEIGHT / 2, HEIGHT / 2)]
    every = np.concatenate([faces[:, ::-1], faces + k, walls])
    return Mesh(np.concatenate(sides), faces=every)


def build() -> Scene:
    """The driver is its pin; its axis is at the origin, the wheel's on +x."""
    scene = Scene()
    pin = (PIN_PATH * np.cos(START), PIN_PATH * np.sin(START), 0.0)
    scene.add_body("driver", Cylinder(PIN, 3 * HEIGHT), density=7800, position=pin)
    c = s = np.sqrt(0.5)  # so that the pin meets a slot 45 degrees before the line of centres
    turned = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    scene.add_body("wheel", wheel(), density=7800, position=(CENTRES, 0, 0), rotation=turned)
    motor = [Actuation(motor=("velocity", SPEED))]
    scene.add_joint("drive", Revolute((0, 0, 0), UP, actuation=motor), "ground", "driver")
    hold = [Actuation(damping=0.02)]  # [N m s/rad] the bearing's, which keeps a resting wheel
    scene.add_joint("axle", Revolute((CENTRES, 0, 0), UP, actuation=hold), "ground", "wheel")
    return scene


def wheel_angle(driver: Any) -> NDArray[np.float64]:
    """[rad] of the wheel for driver angles [rad] from START on, by the closed form."""
    turns = np.floor((np.asarray(driver) + np.pi) / (2 * np.pi))
    a = np.clip(driver - 2 * np.pi * turns, -np.pi / 4, np.pi / 4)
    inside = np.arctan2(PIN_PATH * np.sin(a), CENTRES - PIN_PATH * np.cos(a))
    return np.asarray(-(np.pi / 4 + inside + np.pi / 2 * turns))


def final_check(result: Result) -> None:
    """Two quarter turns along the closed form, within the play of the slot."""
    pin = result.position("driver")
    driver = np.unwrap(np.arctan2(pin[:, 1], pin[:, 0]))
    assert np.abs(driver - START - SPEED * result.time).max() < 1e-8
    R = result.rotation("wheel")
    turned = np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0]))
    turned -= turned[0]
    play = 3 * PLAY / (CENTRES - PIN_PATH)  # [rad] where the pin is closest to the wheel's axis
    off = np.abs(turned - wheel_angle(driver)).max()
    assert abs(turned[-1] + np.pi) < 0.1, f"the wheel turned {turned[-1]:.3f} rad"
    assert off < play + 0.05, f"{off:.3f} rad off the closed form"
    assert result.constraint_violation["position"].max() < 1e-9
    assert result.min_distance.min() > 0
