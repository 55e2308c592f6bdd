"""Round points that pass a face along the shortest direction: only those that its CCD lets pass."""

import numpy as np

from dovetail.contact.ipc.feature_pair import PlacedFeatures
from dovetail.contact.ipc.line_search.impact import Twists, impact, passes_along
from dovetail.contact.ipc.records import POINT_FACE

RADIUS, KEPT = 4e-3, 7e-6  # [m]


def features(point, face):
    """A point and three corners [m] from the centres of bodies 0 and 1, placed."""
    r = np.vstack((point, face))
    none = np.zeros(0, np.int32)
    return PlacedFeatures(
        1, np.broadcast_to(np.eye(3), (2, 3, 3)).copy(), r, np.array([0, 1, 1, 1], np.int32),
        none.reshape(0, 2), np.array([[1, 2, 3]], np.int32), np.array([RADIUS, 0.0, 0.0, 0.0]),
        r.copy(), np.ones(4, np.int64), np.zeros((2, 3)), np.zeros((0, 6)), none,
        np.zeros(0, np.uint8), np.zeros(2, np.int32), np.zeros((0, 4)),
    )  # fmt: skip


def test_only_what_its_ccd_lets_pass_passes_along_a_direction():
    """Balls slide by 0.2 mm along faces 1 um to 0.2 mm away, which turn about a far centre."""
    rng, passed, stopped = np.random.default_rng(0), 0, 0
    for _ in range(3000):
        point = rng.normal(size=3) * rng.choice([0.0, 1e-3])
        corners = 1e-3 * rng.normal(size=(3, 3))
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        normal /= np.linalg.norm(normal)
        gap = 10 ** rng.uniform(-6, np.log10(2e-4))
        middle = rng.dirichlet(np.ones(3)) @ corners
        corners += (RADIUS + gap) * normal - middle + point
        D = 0.02 * rng.normal(size=3)
        twist = rng.normal(size=(2, 6)) * np.repeat([1e-4, rng.choice([0.0, 1e-2])], 3)
        motion = Twists(np.array([np.zeros(3), D]), twist, 0.0, 0.1, KEPT)
        placed, t = features(point, corners - D), rng.uniform(0.2, 1.0)
        ds, w_a, w_b = twist[1, :3] - twist[0, :3], twist[0, 3:], twist[1, 3:]
        passes = passes_along(0, 0, *map(tuple, (D, ds, w_a, w_b)), placed, motion, t)
        flat = placed._replace(vertex_radius=np.zeros(0))  # without the first look
        thick = motion._replace(dmin=RADIUS)
        exact = impact(POINT_FACE, 0, 0, 0, 1, flat, thick, -1.0, t)
        assert not passes or exact == t
        assert impact(POINT_FACE, 0, 0, 0, 1, placed, motion, -1.0, t) == exact
        passed, stopped = passed + passes, stopped + (exact < t)
    assert passed > 600
    assert stopped > 600
