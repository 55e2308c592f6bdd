"""Running intersection-free steps on small scenes, and verifying what they did."""

from dataclasses import dataclass, field

import numpy as np

from dovetail.collision.intersection.surfaces import intersecting_pairs
from dovetail.contact import IPC
from dovetail.integrators import ImplicitEuler
from dovetail.verifier.path_clearance import path_between
from dovetail.verifier.recorded_motion import BodyMotion
from dovetail.verifier.records import CLEAR, Limits, RelativeMotion
from dovetail.verifier.verified_surface import verified_surface, verified_surfaces


@dataclass
class Run:
    model: object
    stepper: object
    states: list = field(default_factory=list)
    reports: list = field(default_factory=list)
    paths: list = field(default_factory=list)  # poses along each step, its end the last

    def motion(self, k, poses):
        """Body k through the poses (x, R)."""
        body = self.model.bodies[k]
        return BodyMotion(
            body.name, body, verified_surface(body, "IPC"), np.arange(len(poses), dtype=float),
            np.array([x[k] for x, _ in poses]), np.array([R[k] for _, R in poses]),
            np.zeros((len(poses), 3)),
        )  # fmt: skip

    def intersections(self):
        """States and paths on which two bodies meet, by the verifier."""
        poses = [(self.states[0].x, self.states[0].R)]
        poses += [pose for path in self.paths for pose in path]
        found = []
        bodies = [self.motion(k, poses) for k in range(self.model.n_bodies)]
        for j, b in enumerate(bodies):
            for a in bodies[:j]:
                surfaces = verified_surfaces([a.verified, b.verified])
                for f in range(len(poses)):
                    if len(intersecting_pairs(a.placed(f), b.placed(f))):
                        found.append((a.name, b.name, f))
                for f in range(len(poses) - 1):
                    motion = RelativeMotion(
                        tuple(b.x[f] - a.x[f]), tuple(b.v[f] - a.v[f]),
                        rows(a.R[f]), tuple(a.w[f]), rows(b.R[f]), tuple(b.w[f]),
                    )  # fmt: skip
                    limits = Limits(1e-14, 0.0, 1_000_000, 0.0)
                    code = path_between(surfaces, 0, 1, motion, limits).code
                    if code != CLEAR:
                        found.append((a.name, b.name, f, f + 1, code))
        return found


def rows(R):
    return tuple(map(tuple, R.tolist()))


def run(scene, steps, h, **options):
    """Steps of the scene under IPC(**options)."""
    model = scene.build()
    ran = Run(model, ImplicitEuler().start(model, IPC(**options)))
    ran.states.append(ran.stepper.bodies.copy())
    for k in range(steps):
        ran.reports.append(ran.stepper.step((k + 1) * h))
        state = ran.stepper.bodies.copy()
        ran.states.append(state)
        ran.paths.append([*zip(*ran.stepper.waypoints()), (state.x, state.R)])
    return ran
