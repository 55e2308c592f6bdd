"""The reference's own scenes: all steps made, nothing ever intersects, and the same motion."""

import numpy as np
import pytest

from dovetail.model.frozen import DYNAMIC
from dovetail.multibody.loads.forces import load_forces
from dovetail.multibody.state import initial_state
from dovetail.simulate import simulate
from dovetail.verifier.certificate import certify
from rigid_ipc_fixtures import Trajectory, deviation, reference, run_fixture, speed_tolerance

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


def first_order(result):
    """(steps + 1,) [m] by which implicit Euler, as the reference has it, leads a flight: a h t / 2.

    Ours flies by the exact parabola.
    """
    model = result.scene.build()
    force, _ = load_forces(model).compiled_wrenches(initial_state(model))
    moves = model.motion == DYNAMIC
    a = np.linalg.norm(force[moves], axis=1) / model.mass[moves]
    return a.max() * result.time[1] * result.time / 2


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("name", REGULAR)
def test_regular_motion_agrees_with_the_reference_to_its_tolerance(name):
    """Where it stops, a velocity is off by up to its tolerance: |dx| < dhat + tolerance t.

    In flight it is off by its order.
    """
    peer = reference(name)
    run = run_fixture(name, min(len(peer.x) - 1, 150))
    off = deviation(run.result, peer)
    t = run.result.time[: len(off)]
    touching = 1e-3  # [m] the largest dhat of these scenes
    tolerance = speed_tolerance(name, run.result.scene)
    assert np.all(off <= touching + tolerance * t + first_order(run.result)[: len(off)])


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("name", FALLING)
def test_bodies_fly_as_in_the_reference_but_for_its_order_until_they_meet(name):
    """Newton is exact in one iteration for a body that does not turn, so to round-off."""
    peer = reference(name)
    run = run_fixture(name, 20)
    flying = int(np.argmax(np.append(np.isfinite(run.result.min_distance), True)))
    assert flying > 10
    off = deviation(run.result, peer)[:flying]
    assert off == pytest.approx(first_order(run.result)[:flying], abs=1e-12)


@pytest.mark.usefixtures("shared_data")
def test_a_handle_tumbles_nearer_to_the_exact_motion_than_in_the_reference():
    """Free rotation of second order, against the reference's of first order, which loses spin."""
    name = "unit-tests/rotation/dzhanibekov"
    run = run_fixture(name, 300)
    h, n = run.result.time[1], len(run.result.time) - 1
    exact = simulate(run.result.scene, n * h, h / 16, every=16, progress=False)
    peer = Trajectory(
        np.stack([exact.position(body) for body in exact.names], axis=1),
        np.stack(
            [exact.rotation(body) @ exact.rotation(body)[0].T for body in exact.names], axis=1
        ),
    )
    ours = deviation(run.result, peer)
    theirs = reference(name)
    off = deviation(exact, theirs)
    assert ours.max() < 0.1 * off.max()
    finer = simulate(run.result.scene, n * h, h / 2, "ipc", every=2, progress=False)
    assert deviation(finer, peer).max() < 0.3 * ours.max()
