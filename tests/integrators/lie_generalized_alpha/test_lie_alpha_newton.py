"""Newton's matrix of Lie generalized-alpha: complete, and the iteration quadratic."""

import numpy as np
import pytest

from dovetail.integrators import LieGeneralizedAlpha, RATTLie
from dovetail.integrators.lie_generalized_alpha import step as alpha
from dovetail.linalg.kkt.rows import HARD, SOFT
from dovetail.model import Actuation, Revolute, Scene, Spherical
from dovetail.multibody.constraints.bodies import JOINT, MOTOR
from jointed_scenes import (
    AXIS,
    EVERY_JOINT,
    GRAVITY,
    POINT,
    chain,
    four_bar,
    hanging_rod,
    two_bodies_joined_by,
)

H = 0.02


def loaded(joint):
    """Two joined bodies with every kind of force on them: springs, dampers, turning loads."""
    scene = two_bodies_joined_by(joint)
    scene.add_spring("cord", "a", "b", (0.3, 0.1, 0), (0.5, 0.9, 0.2), stiffness=300, damping=2)
    scene.add_spring("tie", "ground", "b", (1, 1, 1), (0.5, 0.5, 0.2), 500.0, rest_length=0.2)
    scene.add_force("wind", "a", (3.0, -2.0, 1.0), point=(0.2, 0.4, 0.3))
    scene.add_force("jet", "b", (5.0, 1.0, 2.0), (0.3, 0.1, 0.2), frame="body")
    scene.add_force("twist", "b", torque=(1.0, 2.0, -1.0))
    return scene


def hinge(**actuation):
    return Revolute(POINT, AXIS, actuation=(Actuation(**actuation),))


def moving(scene, steps=20, h=H):
    stepper = LieGeneralizedAlpha().start(scene.build(), None)
    for k in range(1, steps + 1):
        stepper.step(k * h)
    return stepper


def residuals(stepper, h):
    """M w + gyroscopic - force + G^T lambda of all bodies, and phi / c_q of hard rows."""
    constrained, bundle = stepper._constrained, stepper._bundle
    assert alpha.evaluate_end(h, stepper._numbers, bundle, constrained.parts)[0] == 0
    system, after, G = constrained.system.constants, constrained.after, constrained.after.G
    spun = np.einsum("nij,nj->ni", system.inertia, after.omega)
    w, left = stepper._memory.w_next, np.zeros((len(after.x), 6))
    left[:, :3] = system.mass[:, None] * w[:, :3] - after.force
    left[:, 3:] = np.einsum("nij,nj->ni", system.inertia, w[:, 3:]) + np.cross(after.omega, spun)
    left[:, 3:] -= np.einsum("nji,nj->ni", after.R, after.torque)
    hard = np.isin(system.role, (JOINT, MOTOR))
    for r in np.flatnonzero(hard):
        for side, i in enumerate(constrained.system.rows.body[r]):
            if i >= 0:
                left[i] += G[r, side] * constrained.work.lam[r]
    c_pose, _ = alpha.weights(h, stepper._numbers)
    return np.concatenate([left.ravel(), constrained.after.phi[hard] / c_pose])


def matrix(stepper, h):
    """The same by the kernel's blocks, soft rows eliminated: columns of the accelerations."""
    constrained, n = stepper._constrained, stepper._constrained.model.n_bodies
    alpha.evaluate_end(h, stepper._numbers, stepper._bundle, constrained.parts)
    alpha.linearise(9, h, stepper._numbers, stepper._bundle, constrained.parts)
    kkt, G0, G1 = constrained.kkt, constrained.after.G, constrained.work.G
    K, rows = np.zeros((6 * n, 6 * n)), []
    for i in range(n):
        K[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = kkt.A[i]
    for r, pair in enumerate(constrained.system.rows.body):
        spread = [np.zeros(6 * n), np.zeros(6 * n)]
        for side, i in enumerate(pair):
            if i >= 0:
                spread[0][6 * i : 6 * i + 6] += G0[r, side]
                spread[1][6 * i : 6 * i + 6] += G1[r, side]
        if min(pair) >= 0:
            a, b = 6 * pair
            K[a : a + 6, b : b + 6] += kkt.coupling[r, 0]
            K[b : b + 6, a : a + 6] += kkt.coupling[r, 1]
        if kkt.mode[r] == SOFT:
            K += np.outer(spread[0], spread[1]) / kkt.D[r]
        elif kkt.mode[r] == HARD:
            rows.append(spread[1])
    return np.vstack([K, *rows])


CASES = {kind: loaded(joint) for kind, joint in EVERY_JOINT.items()}
CASES["hinge with spring and motor"] = loaded(hinge(stiffness=40.0, rest=0.2, motor=3.0))
CASES["hinge with damper"] = loaded(hinge(damping=20.0))
CASES["hinge with friction"] = loaded(hinge(friction=4.0))
CASES["ball with torque and damper"] = loaded(
    Spherical(POINT, actuation=(Actuation(motor=2.0, damping=3.0), Actuation(friction=1.0)))
)
CASES["driven hinge"] = loaded(hinge(motor=("velocity", 0.5)))
CASES["loop"] = four_bar()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:the starting velocities")
def test_matrix_is_the_derivative_of_the_equations(name):
    """Central differences of fourth order in every acceleration, at an iterate off the solution."""
    stepper = moving(CASES[name], steps=5)
    constrained, bundle = stepper._constrained, stepper._bundle
    constrained.place_others(constrained.bodies.t + H)
    alpha.begin(bundle, constrained.parts)
    rng = np.random.default_rng(0)
    stepper._memory.w_next[...] += rng.normal(size=stepper._memory.w_next.shape)
    constrained.work.lam[...] += rng.normal(size=len(constrained.work.lam))
    analytic = matrix(stepper, H)
    d, w = 0.2, stepper._memory.w_next
    numeric = np.zeros_like(analytic)
    for column in range(w.size):
        at = np.unravel_index(column, w.shape)
        middle, values = w[at], {}
        for m in (-2, -1, 1, 2):
            w[at] = middle + m * d
            values[m] = residuals(stepper, H)
        w[at] = middle
        numeric[:, column] = (8 * (values[1] - values[-1]) - (values[2] - values[-2])) / (12 * d)
    size = np.abs(analytic).max()
    assert np.abs(analytic - numeric).max() < 2e-9 * size


def corrections(stepper, t_next):
    """Relative sizes of Newton's corrections in one step."""
    constrained, bundle, numbers = stepper._constrained, stepper._bundle, stepper._numbers
    h = t_next - constrained.bodies.t
    constrained.place_others(t_next)
    alpha.begin(bundle, constrained.parts)
    sizes = []
    for iteration in range(1, 9):
        assert alpha.evaluate_end(h, numbers, bundle, constrained.parts)[0] == 0
        alpha.linearise(iteration, h, numbers, bundle, constrained.parts)
        unsolved, size, _ = alpha.correct(h, numbers, bundle, constrained.parts)
        assert unsolved < 0
        sizes.append(size)
        if size < 1e-14:
            break
    return np.array(sizes)


@pytest.mark.parametrize("name", ["spherical", "screw", "universal", "hinge with damper", "loop"])
def test_iteration_converges_quadratically(name):
    """Each correction is below a constant times the square of the one before, to round-off."""
    stepper = moving(CASES[name], steps=5)
    sizes = corrections(stepper, 5 * H + 0.1)  # five times the step, far from the first guess
    assert sizes[0] > 1e-4 and sizes.min() < 1e-13 and len(sizes) <= 7, sizes
    resolved = sizes[1:][sizes[1:] > 1e-13]
    squares = resolved / sizes[: len(resolved)] ** 2
    assert squares.max() < 20.0, sizes


@pytest.mark.parametrize("damping", [1e3, 1e5, 1e7])
def test_stiff_damper_stops_a_spinning_rod_and_lets_it_creep(damping):
    """h c / J up to 1e5 from a start at 2 rad/s: it creeps, c q' = -m g l sin q, and no more."""
    scene = hanging_rod((Actuation(damping=damping),), angular_velocity=(0, 2, 0),
                        velocity=(-1, 0, 0))  # fmt: skip
    stepper = LieGeneralizedAlpha().start(scene.build(), None)
    most = max(stepper.step(k * 0.01).iterations for k in range(1, 301))
    R, omega = stepper.bodies.R[0], stepper.bodies.omega[0, 1]
    q = np.arctan2(R[0, 2], R[2, 2])
    assert most <= 5
    assert omega == pytest.approx(-2 * GRAVITY * 0.5 * np.sin(q) / damping, rel=1e-3)


def test_stiff_damper_of_a_hinge_makes_two_swinging_bodies_one():
    """1e5 N m s/rad at h = 0.01 s between bodies that spin against each other at 4 rad/s."""
    ends = []
    for scheme in (LieGeneralizedAlpha(), RATTLie()):
        scene = Scene(gravity=(0, 0, -GRAVITY))
        J = (0.3, 0.5, 0.6)
        scene.add_body("a", mass=2, inertia=J, position=(0.5, 0, 0), velocity=(0, 0, -1),
                       angular_velocity=(0, 2, 0))  # fmt: skip
        scene.add_body("b", mass=1, inertia=J, position=(1.5, 0, 0), velocity=(0, 0, -1),
                       angular_velocity=(0, -2, 0))  # fmt: skip
        scene.add_joint("anchor", Spherical((0, 0, 0)), "ground", "a")
        damped = Revolute((1, 0, 0), (0, 1, 0), actuation=(Actuation(damping=1e5),))
        scene.add_joint("hinge", damped, "a", "b")
        stepper = scheme.start(scene.build(), None)
        most = max(stepper.step(k * 0.01).iterations for k in range(1, 101))
        assert most <= 6
        spins = np.einsum("nij,nj->ni", stepper.bodies.R, stepper.bodies.omega)
        assert np.abs(spins[0]).max() > 1.0 and np.abs(spins[0] - spins[1]).max() < 0.05
        ends.append(stepper.bodies.x.copy())
    assert np.abs(ends[0] - ends[1]).max() < 0.03


def test_long_chain_settles_at_round_off():
    """1000 links reach 100 m: positions are known to 1e-14 m, 3e-13 of half a link, no better."""
    stepper = LieGeneralizedAlpha().start(chain(1000).build(), None)
    assert max(stepper.step(k * 1e-4).iterations for k in range(1, 11)) <= 6
    assert stepper.observe().constraint_position < 1e-12


def test_stiff_spring_between_bodies_is_stepped_over():
    """A bead on a cord of 1e7 N/m, h w = 22: it hangs where the stretched cord holds it."""
    scene = Scene(gravity=(0, 0, -GRAVITY))
    scene.add_body("bead", mass=2, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1))
    scene.add_body("ring", mass=1, inertia=(0.1, 0.1, 0.1))
    scene.add_joint("hook", Spherical((0, 0, 0.1)), "ground", "ring")
    scene.add_spring("cord", "ring", "bead", (0, 0, 0), (0, 0, -1), stiffness=1e7, rest_length=1.0)
    stepper = LieGeneralizedAlpha(spectral_radius=0.5).start(scene.build(), None)
    most = max(stepper.step(k * 0.01).iterations for k in range(1, 201))
    assert most <= 6
    assert stepper.bodies.x[0, 2] == pytest.approx(-1 - 2 * GRAVITY / 1e7, abs=1e-9)
