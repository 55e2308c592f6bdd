"""Forces of contacts between driven, jointed and bouncing bodies: the same in other axes and units.

Each pair of bodies has one point of contact, so that what each body feels is determined. Solvers
stop at a tolerance. IPC's Newton method ends when no vertex moves faster than `velocity_tolerance`
e in the next direction, so two runs may differ by 2 e in speed: 2 m e / h in force, 2 r m e / h in
torque. Under the default e = 1e-3 g h = 2e-5 m/s that is 8e-3 of the largest torque, mu m g r, and
rounding decides which iterate is the last one; the tests take a hundredth of it. What remains is
the pushed ball with lengths x 1e-3, 4e-4 in torque, which does not depend on the tolerance.
"""

import numpy as np
import pytest
from transformed_scenes import CHANGES, Change, Part, box, changed

import dovetail as dt

PARTS = (
    Part("floor", box(4, 4, 0.4), (0, 0, -0.2), motion="static"),
    Part("belt", box(1, 1, 0.1), (0, 1.5, 0.05), velocity=(0.4, 0, 0), motion="kinematic"),
    Part("load", lambda L: dt.Sphere(0.1 * L), (0, 1.5, 0.2001)),
    Part("roller", lambda L: dt.Sphere(0.1 * L), (1, 0.3, 0.1001), velocity=(0.5, 0, 0),
         spin=(0, 9, 3)),
    Part("hopper", lambda L: dt.Sphere(0.08 * L), (-1, 0, 0.1), velocity=(0.2, 0, -0.8)),
    Part("tool", lambda L: dt.Capsule(0.05 * L, 0.2 * L), (0, -1, 0.1501)),
    Part("pusher", box(0.1, 0.3, 0.3), (-0.2, 0.3, 0.2), velocity=(0.3, 0, 0), motion="kinematic"),
    Part("pushed", lambda L: dt.Sphere(0.1 * L), (-0.049, 0.33, 0.1001)),
)  # fmt: skip
ORDER = (7, 3, 1, 5, 0, 2, 6, 4)
SAME = ("rotated", "in another order", "mm, g, ms", "lengths x 1e-3", "times x 1e3")


def workshop(change):
    """A ball on a belt, one that spins, one that bounces, a tool pressed down, a ball pushed."""
    Q, L, M, T = change.Q, change.length, change.mass, change.time
    scene = changed(PARTS, change)
    force = M * L / T**2
    press = dt.Actuation(motor=-3.0 * force, damping=5.0 * M / T)
    rail = dt.Prismatic(L * (Q @ (0, -1, 0.1501) + change.shift), Q @ (0, 0, 1), actuation=[press])
    scene.add_joint("rail", rail, "ground", "tool")
    scene.add_material_pair("hopper", "floor", friction=0.3, restitution=0.6)
    scene.add_material_pair("load", "belt", friction=0.15)
    return scene


def seen(change, contact, integrator, step, steps):
    """What each body feels, and where it is, in the axes and units of the unchanged scene."""
    Q, L, M, T = change.Q, change.length, change.mass, change.time
    made = dt.simulate(
        workshop(change), steps * step * T, step * T, contact=contact(change),
        integrator=integrator, every=2, progress=False, check=False,
    )  # fmt: skip
    names = [part.name for part in PARTS]
    wrenches = [made.body(name).contact_wrench for name in names]
    force = np.stack([one.force for one in wrenches], axis=1)
    torque = np.stack([one.torque for one in wrenches], axis=1)
    x = np.stack([made.position(name) for name in names], axis=1)
    v = np.stack([made.velocity(name) for name in names], axis=1)
    return {
        "position": (x / L - change.shift) @ Q,
        "velocity": v @ Q * T / L,
        "force": force @ Q / (M * L / T**2),
        "torque": np.delete(torque, (0, 1, 6), axis=1) @ Q / (M * L**2 / T**2),
        "gap": made.min_distance / L,
        "energy": (made.energy["total"] - made.energy["total"][0]) / (M * L**2 / T**2),
        "tool": made.joint_force("rail") @ Q / (M * L / T**2),
    }


def ipc(change, **settings):
    speed = change.length / change.time
    return dt.contact.IPC(velocity_tolerance=2e-7 * speed, **settings)


METHODS = {  # contact, integrator, step, bound
    "sdf": (lambda _: dt.contact.SDF(friction=0.3), None, 2e-3, 1e-6),
    "lcp": (lambda _: dt.contact.LCP(friction=0.3), None, 2e-3, 1e-5),
    "ipc": (lambda change: ipc(change, friction=0.3), None, 2e-3, 1e-3),
    "ipc, BarrierVerlet": (ipc, "BarrierVerlet", 2e-3, 1e-2),
}
KNOWN = {}


@pytest.mark.parametrize("change", SAME)
@pytest.mark.parametrize("method", METHODS)
def test_bodies_feel_the_same_forces_in_other_axes_and_units(method, change):
    contact, integrator, step, bound = METHODS[method]
    made = CHANGES[change]
    if made.order is not None:
        made = Change(order=ORDER)
    if method not in KNOWN:
        KNOWN[method] = seen(Change(), contact, integrator, step, 60)
    there = seen(made, contact, integrator, step, 60)
    worst = {
        name: np.abs(there[name] - here).max() / np.abs(here).max()
        for name, here in KNOWN[method].items()
    }
    assert max(worst.values()) <= bound, worst
