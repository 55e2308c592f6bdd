"""A potential of one's own: quadratic springs between spheres and planes, under ImplicitEuler.

    V = sum of k/2 min(gap, 0)^2 over all pairs of a sphere with a sphere or a half-space.
A sphere of mass m comes to rest at the depth m g / k. Implicit Euler loses energy, never gains it.
"""

import numpy as np

import dovetail as dt
from dovetail.extend import ContactRecord, ContactReport


class QuadraticPenalty:
    """Springs of `stiffness` [N/m] where spheres overlap each other or a half-space."""

    name = "quadratic-penalty"
    kind = "potential"

    def __init__(self, stiffness: float = 1e5) -> None:
        self.stiffness = float(stiffness)

    def prepare(self, model):
        return SphereSprings(model, self.stiffness)


class SphereSprings:
    """The potential of one model."""

    def __init__(self, model, stiffness):
        self.k, self.n = stiffness, model.n_bodies
        shapes = [body.shape for body in model.bodies]
        self.radii = {i: float(s.radius) for i, s in enumerate(shapes) if isinstance(s, dt.Sphere)}
        self.planes = {
            i: s.unit_normal for i, s in enumerate(shapes) if isinstance(s, dt.HalfSpace)
        }

    def overlaps(self, x, R):
        """(body a, body b, gap < 0, normal from b to a) of all pairs that overlap."""
        spheres = list(self.radii.items())
        for k, (a, radius) in enumerate(spheres):
            for b, normal in self.planes.items():
                n = R[b] @ normal
                yield from self._inside(a, b, (x[a] - x[b]) @ n - radius, n)
            for b, other in spheres[:k]:
                apart = x[a] - x[b]
                distance = np.linalg.norm(apart)
                yield from self._inside(a, b, distance - radius - other, apart / distance)

    @staticmethod
    def _inside(a, b, gap, n):
        if gap < 0:
            yield a, b, gap, n

    def value(self, x, R):
        return sum(0.5 * self.k * gap**2 for _, _, gap, _ in self.overlaps(x, R))

    def gradient(self, x, R):
        gradient = np.zeros((self.n, 6))  # spheres feel no torque
        for a, b, gap, n in self.overlaps(x, R):
            gradient[a, :3] += self.k * gap * n
            gradient[b, :3] -= self.k * gap * n
        return gradient

    def hessian(self, x, R):
        hessian = np.zeros((self.n, 6, self.n, 6))
        for a, b, gap, n in self.overlaps(x, R):
            block = self.k * np.outer(n, n)
            if b in self.radii:  # the normal rotates as the spheres move
                distance = np.linalg.norm(x[a] - x[b])
                block += self.k * gap / distance * (np.eye(3) - np.outer(n, n))
            for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                hessian[i, :3, j, :3] += sign * block
        return hessian

    def report(self, x, R):
        found = list(self.overlaps(x, R))
        if not found:
            return ContactReport()
        bodies = np.array([(a, b) for a, b, _, _ in found], np.int32)
        gaps, normals = (np.array([row[k] for row in found]) for k in (2, 3))
        surface = [self.radii[a] for a, _, _, _ in found]
        points = x[bodies[:, 0]] - (np.array(surface) + 0.5 * gaps)[:, None] * normals
        record = ContactRecord(bodies, points, normals, -self.k * gaps[:, None] * normals, gaps)
        return ContactReport(record, self.value(x, R), float(gaps.min()))


dt.extend.register("contact_methods", QuadraticPenalty.name, QuadraticPenalty)


def settled_depth(stiffness=1e4, mass=2.0):
    """[m] at which a sphere comes to rest, and m g / k."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("ball", dt.Sphere(0.1), mass=mass, position=(0, 0, 0.1))
    result = dt.simulate(scene, 2.0, 0.01, contact=QuadraticPenalty(stiffness))
    return 0.1 - result.position("ball")[-1, 2], mass * 9.81 / stiffness, result


if __name__ == "__main__":
    depth, expected, _ = settled_depth()
    print(f"depth {depth:.9f} m, m g / k = {expected:.9f} m")
