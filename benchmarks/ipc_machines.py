"""Machines whose parts turn in their seats, without intersections: time per step and where it goes.

    python benchmarks/ipc_machines.py [NAME ...] [--steps N] [--bike SCENE.json]
NAME is one of bearing, bolt, nut, gears, geneva, mail, bike-chain, chain-net (default: all there is
data for). The nut and the net need the shared data, the bike chain the authors' scene 227. Lists,
CCD, distances with derivatives, and the linear solve are timed one by one, by going through the
iterations of the last step again; the sum is less than the step, which also tries poses and ends.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

os.environ.setdefault("DOVETAIL_QUIET", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from ipc_scale import PITCH, RING, WIRE, net

import dovetail as dt
from dovetail import contact
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.candidates.distances import update_distances
from dovetail.contact.ipc.line_search.step_size import MIN_GAP_FRACTION, collision_free_step_size
from dovetail.contact.ipc.newton.direction import EXACT, newton_direction
from dovetail.contact.ipc.newton.potential import differentiate
from dovetail.contact.ipc.poses import limit_rotation
from dovetail.contact.ipc.records import Poses
from dovetail.integrators import default_for
from dovetail.io import load_scene
from rigid_ipc_fixtures import data_folder

BALL, BALLS, PITCH_RADIUS = 4e-3, 8, 15e-3  # [m] radius of a ball, -, [m] of their centres
PLAY, GROOVE, RINGS, SPEED = 1e-5, 1.06, 96, 3000 * 2 * np.pi / 60  # [m], of BALL, -, [rad/s]


class Machine(NamedTuple):
    scene: dt.Scene
    law: Any
    h: float  # [s]
    steps: int


def revolved(profile: Any) -> dt.Mesh:
    """A closed profile (k, 2) of radius and height [m], counter-clockwise, about z."""
    profile = np.asarray(profile)
    angles = 2 * np.pi * np.arange(RINGS) / RINGS
    rings = [
        np.column_stack((profile[:, 0] * np.cos(a), profile[:, 0] * np.sin(a), profile[:, 1]))
        for a in angles
    ]
    k = len(profile)
    i, s = np.meshgrid(np.arange(k), np.arange(RINGS), indexing="ij")
    here, after = s * k + i, s * k + (i + 1) % k
    there, beyond = (s + 1) % RINGS * k + i, (s + 1) % RINGS * k + (i + 1) % k
    faces = np.concatenate(
        [np.stack([here, there, beyond], -1), np.stack([here, beyond, after], -1)]
    ).reshape(-1, 3)
    return dt.Mesh(np.concatenate(rings), faces=faces)


def raceway(side: float) -> dt.Mesh:
    """The outer (side 1) or inner (-1) ring, with a groove of 1.06 of the balls' radius.

    Facets lie outside of the true groove, or touch it: balls have PLAY or more on each side. With
    corners on it, ball and both rings overlapped by 0.2 um where facets face corners.
    """
    radius, width = GROOVE * BALL, 1.2 * BALL
    centre = PITCH_RADIUS - side * (radius - BALL - PLAY)  # [m] of the groove's circle
    angles = np.linspace(-0.9, 0.9, 19)
    corner = radius / np.cos(0.5 * (angles[1] - angles[0]))  # of a polygon about the circle
    wider = 1 / np.cos(np.pi / RINGS) if side > 0 else 1.0  # likewise, about the axis
    arc = [(wider * (centre + side * corner * np.cos(a)), corner * np.sin(a)) for a in angles]
    edge, back = arc[0][0], PITCH_RADIUS + side * (BALL + 3e-3)
    corners = [(edge, width), (back, width), (back, -width), (edge, -width)]
    ring = [*arc, *corners]
    return revolved(ring if side < 0 else ring[::-1])


def cage() -> dt.Mesh:
    """A crown: a ring below the balls with a finger between any two of them."""
    per, inner, outer = 12, PITCH_RADIUS - 1.5e-3, PITCH_RADIUS + 1.5e-3
    low, base, high = -1.2 * BALL - 1.5e-3, -1.05 * BALL - 5e-4, 0.0
    n = per * BALLS
    angles = 2 * np.pi * (np.arange(n) + 0.5) / n
    half = 1.03 * BALL / PITCH_RADIUS  # [rad] of a pocket, on both sides of its ball
    middle = 2 * np.pi * np.arange(n) / n
    off = np.abs((middle + np.pi / BALLS) % (2 * np.pi / BALLS) - np.pi / BALLS)
    height = np.where(off < half + np.pi / n, base, high)  # of the segment around `middle`
    points: list[Any] = []
    names: dict[tuple[int, int, float], int] = {}

    def point(k: int, ring: int, z: float) -> int:
        key = (k % n, ring, z)
        if key not in names:
            names[key] = len(points)
            r, a = (inner, outer)[ring], angles[k % n]
            points.append((r * np.cos(a), r * np.sin(a), z))
        return names[key]

    faces = []

    def face(*corners: int) -> None:
        for i in range(1, len(corners) - 1):
            if len({corners[0], corners[i], corners[i + 1]}) == 3:
                faces.append((corners[0], corners[i], corners[i + 1]))

    for k in range(n):  # the segment from angle k - 1 to angle k
        top = height[k]
        before, after = height[k - 1], height[(k + 1) % n]
        a, b = k - 1, k
        face(point(a, 0, top), point(a, 1, top), point(b, 1, top), point(b, 0, top))
        face(point(a, 0, low), point(b, 0, low), point(b, 1, low), point(a, 1, low))
        side_a = [low] + ([base] if top == high and before == base else []) + [top]
        side_b = [low] + ([base] if top == high and after == base else []) + [top]
        outer_wall = [point(a, 1, z) for z in side_a[::-1]] + [point(b, 1, z) for z in side_b]
        inner_wall = [point(b, 0, z) for z in side_b[::-1]] + [point(a, 0, z) for z in side_a]
        face(*outer_wall)
        face(*inner_wall)
        if before < top:
            face(point(a, 1, base), point(a, 1, top), point(a, 0, top), point(a, 0, base))
        if after < top:
            face(point(b, 0, base), point(b, 0, top), point(b, 1, top), point(b, 1, base))
    return dt.Mesh(np.array(points), faces=np.array(faces))


def bearing(friction: float = 0.1) -> Machine:
    """8 balls and a cage; the inner ring turns at 3000 rpm, the balls begin as they would roll."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("outer", raceway(1.0), motion="static")
    scene.add_body(
        "inner", raceway(-1.0), motion="kinematic", angular_velocity=(0.0, 0.0, SPEED)
    )  # fmt: skip
    inner = PITCH_RADIUS - BALL
    orbit = SPEED * inner / (2 * PITCH_RADIUS)  # [rad/s]
    spin = orbit - orbit * PITCH_RADIUS / BALL
    for k in range(BALLS):
        angle = 2 * np.pi * k / BALLS
        at = PITCH_RADIUS * np.array([np.cos(angle), np.sin(angle), 0.0])
        scene.add_body(
            f"ball {k}", dt.Sphere(BALL), density=7800, position=at,
            velocity=np.cross([0, 0, orbit], at), angular_velocity=(0, 0, spin),
        )  # fmt: skip
    scene.add_body("cage", cage(), density=1400, angular_velocity=(0, 0, orbit))
    return Machine(scene, contact.IPC(friction=friction), 1e-4, 200)


def of_example(name: str, steps: int) -> Machine:
    example = dt.examples.get(name)
    return Machine(example.build(), example.RUN["contact"], example.RUN["step"], steps)


def nut() -> Machine:
    """NVIDIA's loose M16 nut on its bolt, the meshes as they are; it turns down by its weight."""
    folder = data_folder().parent / "factory"
    scene = dt.Scene(gravity=(0, 0, -9.81))
    bolt = dt.Mesh(folder / "factory_bolt_m16_loose.obj")
    scene.add_body("bolt", bolt, motion="static")
    shape = dt.Mesh(folder / "factory_nut_m16_loose_subdiv_3x.obj")
    scene.add_body(  # the mesh is open: mass and inertia of a hexagonal prism with a bore
        "nut", shape, mass=0.033, inertia=(2.5e-6, 2.5e-6, 4e-6), position=(0, 0, 0.01),
        center_of_mass=(0, 0, 0.0225),
    )  # fmt: skip
    return Machine(scene, contact.IPC(friction=0.0), 1e-2, 30)


def mail(n: int = 20) -> Machine:
    """A net of n by n level rings and the upright ones that link them, over a ball."""
    scene, middle = net(n), 0.5 * (n - 1) * PITCH
    scene.add_body(
        "ball", dt.Sphere(0.5), motion="static", position=(middle, middle, -0.5 - RING - 2 * WIRE)
    )
    return Machine(scene, contact.IPC(friction=0.2), 5e-3, 60)


def from_file(path: Path, steps: int) -> Machine:
    loaded = load_scene(path)
    requested = loaded.run.contact
    law = contact.named(requested.name, requested.options)
    return Machine(loaded.scene, law, loaded.run.step, steps)


def machines(bike: Path | None) -> dict[str, Callable[[], Machine]]:
    """All there is data for."""
    found: dict[str, Callable[[], Machine]] = {
        "bearing": bearing,
        "bearing-dry": lambda: bearing(0.0),
        "bolt": lambda: of_example("bolt", 100),
        "gears": lambda: of_example("gears", 100),
        "geneva": lambda: of_example("geneva", 60),
        "mail": mail,
    }
    if (data_folder().parent / "factory").exists():
        found["nut"] = nut
    net = data_folder() / "fixtures" / "chain/chain-net/chain-net-8x8.json"
    if net.exists():
        found["chain-net"] = lambda: from_file(net, 60)
    if bike is not None:
        found["bike-chain"] = lambda: from_file(bike, 10)
    return found


class Replay:
    """The iterations of the last step again, part by part."""

    def __init__(self, stepper: Any, x: Any, R: Any, h: float) -> None:
        self.solver = stepper._solver.solver  # the arrays the compiled step works on
        self.start, self.h = Poses(x, R), h
        self.spent = dict.fromkeys(("lists", "distances", "derivatives", "solve", "CCD"), np.inf)

    def timed(self, part: dict[str, float], name: str, work: Callable[[], Any]) -> Any:
        began = time.process_time()
        outcome = work()
        part[name] += time.process_time() - began
        return outcome

    def run(self, iterations: int) -> None:
        solver = self.solver
        bodies, lists, bundle, _ = solver._bundles
        workspace, friction = solver._workspace, solver.friction.bundled
        counters = solver._lists.counters[0]
        dhat, dmin = solver._barrier.dhat, solver._barrier.dmin
        barrier, reach = Barrier(dhat, dmin, self.h**2), dmin + dhat
        part = dict.fromkeys(self.spent, 0.0)
        kept = workspace.iterates.x.copy(), workspace.iterates.R.copy()
        workspace.path_length[:] = 0.0
        for k in range(iterations):
            workspace.iterate.x[...], workspace.iterate.R[...] = kept[0][k], kept[1][k]

            def distances() -> Any:
                counters.measured_pose = -1
                return update_distances(bodies, lists, bundle, workspace.iterate, reach, dhat)

            self.timed(part, "lists", distances)  # with lists, where they are made
            before = part["distances"]
            self.timed(part, "distances", distances)
            part["lists"] -= part["distances"] - before
            once = part["derivatives"]
            self.timed(
                part, "derivatives",
                lambda: differentiate(
                    bodies, lists, bundle, friction, self.start, barrier, 1.0, False
                ),
            )  # fmt: skip
            self.timed(
                part, "solve",
                lambda: newton_direction(
                    bodies, lists, bundle, friction, self.start, barrier, EXACT
                ),
            )  # fmt: skip
            part["solve"] -= part["derivatives"] - once
            limit_rotation(solver._bodies.slot, workspace.twist, 0.5)
            self.timed(
                part, "CCD",
                lambda: collision_free_step_size(
                    bodies, lists, bundle, workspace.iterate, workspace.twist, dmin, reach,
                    MIN_GAP_FRACTION,
                ),
            )  # fmt: skip
        for name, seconds in part.items():
            self.spent[name] = min(self.spent[name], max(seconds, 0.0))


def measure(name: str, machine: Machine, steps: int) -> None:
    began = time.process_time()
    model = machine.scene.build()
    stepper = default_for(machine.law, model).start(model, machine.law)
    stepper.step(machine.h)
    set_up = time.process_time() - began
    spent, iterations, contacts = [], [], []
    solver = stepper._solver.solver
    made = int(solver._lists.counters[0].refreshes)
    for k in range(1, steps):
        x, R = stepper.bodies.x.copy(), stepper.bodies.R.copy()
        began = time.process_time()
        report = stepper.step((k + 1) * machine.h)
        spent.append(time.process_time() - began)
        iterations.append(report.iterations)
        contacts.append(len(stepper.observe().contact.contacts.gaps))
    lists = solver._lists
    made, counters = int(lists.counters[0].refreshes) - made, lists.counters[0]
    pairs = int(counters.n_pairs)
    listed = int(lists.start[counters.active_buffer, pairs])
    late = slice(len(spent) // 2, None)
    print(
        f"{name}: {model.n_bodies} bodies, {steps} steps of {machine.h:g} s, first step and set-up "
        f"{set_up:.2f} s; {1e3 * np.mean(spent[late]):.2f} ms a step (least "
        f"{1e3 * np.min(spent):.2f}), {np.mean(iterations[late]):.1f} iterations, "
        f"{np.mean(contacts[late]):.1f} contacts, {pairs} pairs, {listed} candidates, lists made "
        f"{made / len(spent):.2f} times a step"
    )
    replay = Replay(stepper, x, R, machine.h)
    for _ in range(5):
        replay.run(iterations[-1])
    shares = ", ".join(f"{part} {1e3 * took:.3f}" for part, took in replay.spent.items())
    print(f"  last step, {iterations[-1]} iterations again [ms]: {shares}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--bike", type=Path, help="the authors' 227-bike-chain.json")
    options = parser.parse_args()
    found = machines(options.bike)
    for name in options.names or found:
        machine = found[name]()
        measure(name, machine, options.steps or machine.steps)


if __name__ == "__main__":
    main()
