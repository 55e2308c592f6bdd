"""The reference's own scenes: all steps made, nothing ever intersects, and the same motion."""

import numpy as np
import pytest

from dovetail.verifier.certificate import certify
from rigid_ipc_fixtures import deviation, reference, run_fixture, speed_tolerance

QUICK = [
    "unit-tests/edge-edge-parallel",
    "unit-tests/erleben/sliding-wedge",
    "unit-tests/erleben/spike-and-wedge",
    "unit-tests/erleben/spike-in-crack",
    "unit-tests/erleben/spikes",
    "unit-tests/erleben/wedges",
    "unit-tests/tet-corner",
    "unit-tests/tunneling",
]
SLOW = [
    "examples/concave",
    "examples/split-components",
    "unit-tests/5-cubes",
    "unit-tests/cube-falling-on-edge",
    "unit-tests/edge-edge",
    "unit-tests/erleben/internal-edges",
    "unit-tests/face-vertex",
    "unit-tests/large-mass-ratio",
    "unit-tests/spinning-cube-over-plane",
    "unit-tests/tessellated-plane/8K-triangles",
    "unit-tests/tessellated-plane/two-triangles",
    "unit-tests/tessellated-plane/two-triangles-tet",
    "unit-tests/tunnel/2-walls",
    "unit-tests/tunnel/4-walls",
    "unit-tests/vertex-face",
    "unit-tests/vertex-vertex",
]
# Regular: bodies land, slide or are led, none bounces at a corner or an edge.
REGULAR = [
    "examples/concave",
    "examples/kinematic",
    "mechanisms/gears/single-kinematic",
    "unit-tests/cube-falling-on-edge",
    "unit-tests/erleben/internal-edges",
    "unit-tests/erleben/sliding-spike",
    "unit-tests/erleben/sliding-wedge",
    "unit-tests/large-mass-ratio",
    "unit-tests/spinning-cube-over-plane",
    "unit-tests/tessellated-plane/8K-triangles",
    "unit-tests/tessellated-plane/two-triangles",
    "unit-tests/tet-corner",
]
# Scenes whose bodies fly before they meet, without spin.
FALLING = [
    "examples/concave",
    "unit-tests/5-cubes",
    "unit-tests/cube-falling-on-edge",
    "unit-tests/edge-edge",
    "unit-tests/edge-edge-parallel",
    "unit-tests/face-vertex",
    "unit-tests/tessellated-plane/two-triangles",
    "unit-tests/tet-corner",
    "unit-tests/vertex-face",
]


def made_free(name):
    run = run_fixture(name)
    assert run.failure == ""
    found = certify(run.result)
    assert found.verdict == "free", found.paths or found.states.crossings
    assert np.all(run.result.min_distance > 0)


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("name", QUICK)
def test_scene_of_the_reference_is_run_to_its_end_free_of_intersections(name):
    made_free(name)


@pytest.mark.slow
@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("name", SLOW)
def test_longer_scene_of_the_reference_is_run_to_its_end_free_of_intersections(name):
    made_free(name)


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("name", REGULAR)
def test_regular_motion_agrees_with_the_reference_to_its_tolerance(name):
    """Where it stops, a velocity is off by up to its tolerance: |dx| < dhat + tolerance t."""
    peer = reference(name)
    run = run_fixture(name, min(len(peer.x) - 1, 150))
    off = deviation(run.result, peer)
    t = run.result.time[: len(off)]
    touching = 1e-3  # [m] the largest dhat of these scenes
    assert np.all(off <= touching + speed_tolerance(name, run.result.scene) * t)


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("name", FALLING)
def test_bodies_fly_as_in_the_reference_until_they_meet(name):
    """Newton is exact in one iteration for a body that does not turn, so to round-off."""
    peer = reference(name)
    run = run_fixture(name, 20)
    flying = int(np.argmax(np.append(np.isfinite(run.result.min_distance), True)))
    assert flying > 10
    assert np.max(deviation(run.result, peer)[:flying]) < 1e-12


@pytest.mark.usefixtures("shared_data")
def test_a_handle_tumbles_as_in_the_reference():
    """Each step may change its spin by the tolerance: |dx| < tolerance h n^2 / 2."""
    name = "unit-tests/rotation/dzhanibekov"
    run = run_fixture(name, 300)
    off = deviation(run.result, reference(name))
    n = np.arange(len(off))
    h = run.result.time[1]
    allowed = speed_tolerance(name, run.result.scene) * h * n**2 / 2
    assert np.all(off <= allowed + 1e-12)
