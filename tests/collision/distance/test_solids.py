"""The distance of two solids of revolution, against projections in turn from one to the other."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dovetail.collision.distance.revolution import Solid, nearest_on
from dovetail.collision.distance.solids import certain_distance


def solid(axis, profile, height, centre):
    """Of a profile (r0, r1), its centre of mass `centre` above its middle."""
    r0, r1 = profile
    axis = tuple(float(x) for x in axis)
    return Solid(axis, -height / 2 - centre, r0, height / 2 - centre, r1, 0.0)


def by_projections(a, b, D):
    """[m] the distance of two convex sets, from above (von Neumann's method)."""
    D = np.array(D)
    q, last = D, np.inf
    for _ in range(20_000):
        p = np.array(nearest_on(a, tuple(q)))
        q = D + np.array(nearest_on(b, tuple(p - D)))
        distance = np.linalg.norm(p - q)
        if not distance < last:
            break
        last = distance
    return last


PROFILES = {"cylinder": (1.0, 1.0), "cone": (1.0, 0.0), "tip down": (0.0, 1.0)}


@pytest.mark.parametrize("low", PROFILES)
@pytest.mark.parametrize("high", PROFILES)
@pytest.mark.parametrize("height", [1e-2, 0.8, 30.0])
@pytest.mark.parametrize("gap", [1e-6, 1e-2])
def test_one_on_the_other_wherever_their_centres_of_mass_are(low, high, height, gap):
    rng = np.random.default_rng(5)
    for turn in Rotation.random(5, rng=rng).as_matrix():
        flat = PROFILES[low][1] + PROFILES[high][0] > 0.0  # one of them; not tip on tip
        aside = 0.3 * rng.random() * flat
        for of_a in (-0.5, 0.0, 0.5, 3.0):
            for of_b in (-0.5, 0.0, 0.5, 3.0):
                a = solid(turn[:, 2], PROFILES[low], height, of_a * height)
                b = solid(turn[:, 2], PROFILES[high], height, of_b * height)
                D = tuple(turn @ (aside, 0.0, a.z1 - b.z0 + gap))
                assert certain_distance(a, b, D)[0] == pytest.approx(gap, abs=2e-8)


def test_any_two_at_any_place():
    rng, least = np.random.default_rng(2), np.inf
    compared = 0
    for _ in range(400):
        sizes = 10.0 ** rng.uniform(-1, 0.5, (2, 2))
        centres = sizes[:, 1] * rng.uniform(-2, 2, 2)
        axes = Rotation.random(2, rng=rng).as_matrix()[:, :, 2]
        kinds = rng.choice(list(PROFILES.values()), 2) * sizes[:, :1]
        a, b = (solid(axes[k], tuple(kinds[k]), sizes[k, 1], centres[k]) for k in range(2))
        D = tuple(rng.normal(size=3) * 10.0 ** rng.uniform(-0.3, 0.8))
        apart, found = by_projections(a, b, D), certain_distance(a, b, D)[0]
        if apart > 1e-3:
            compared += 1
            least = min(least, found - apart)
        assert found <= apart + 1e-12
    assert compared > 200
    assert least > -1e-6
