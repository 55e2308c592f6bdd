"""What a scheme says of a step that cannot be made: which body or joint, and which step can."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import RunError
from dovetail.integrators import DH, DL, JointCoordinates, LieVerlet, RATTLie
from dovetail.integrators.joint_coordinates import step as in_joints
from dovetail.integrators.joint_coordinates.failures import failure
from dovetail.integrators.lie_verlet import step as free_step
from dovetail.integrators.shared.divided_steps import UnsolvedError
from dovetail.integrators.variational import stages
from dovetail.integrators.variational.tree import positions
from jointed_scenes import hanging_rod


def chain():
    """A ball joint that carries a hinge: coordinates 0 to 2 and 3."""
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(f"link{k}", mass=1, inertia=(1, 2, 2), position=(0.5 + k, 0, 0))
    scene.add_joint("socket", dt.Spherical((0, 0, 0)), "ground", "link0")
    scene.add_joint("hinge", dt.Revolute((1, 0, 0), (0, 0, 1)), "link0", "link1")
    return scene.build()


def spring_pair(stiffness=50.0, others=0):
    """Two bodies of 2 kg and 3 kg on a spring."""
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(f"b{k}", mass=2 + k, inertia=(1, 1, 1), position=(2 * k, 0, 0))
    scene.add_spring("coil", "b0", "b1", (0, 0, 0), (2, 0, 0), stiffness=stiffness)
    for k in range(others):
        scene.add_body(f"far{k}", mass=2, inertia=(1, 1, 1), position=(0, 9 + k, 0))
        scene.add_spring(f"soft{k}", "ground", f"far{k}", (0, 9, 1), (0, 9 + k, 0), stiffness=0.1)
    return scene.build()


def test_an_explicit_step_beyond_the_frequency_of_a_spring_is_refused():
    """h w < 2 with w^2 = k (1/m + 1/M): beyond, each step multiplies the amplitude."""
    w = np.sqrt(50.0 * (1 / 2 + 1 / 3))
    LieVerlet().start(spring_pair(), None).step(1.999 / w)
    with pytest.raises(RunError, match=rf"spring 'coil' .* {w:.4g} rad/s, too high") as caught:
        LieVerlet().start(spring_pair(), None).step(2.001 / w)
    assert f"a step of {2.001 / w:.3g} s" in str(caught.value)
    assert f"use a step of at most {0.2 / w:.2g} s" in str(caught.value)
    with pytest.raises(RunError, match=r"rad/s \(together with others\), too high"):
        LieVerlet().start(spring_pair(others=1), None).step(2.001 / w)


@pytest.mark.parametrize("scheme", [LieVerlet(), RATTLie(), DH(), DL()])
@pytest.mark.parametrize("spin", [4.0, 40.0])
def test_a_body_turns_by_less_than_half_a_turn_in_a_step(scheme, spin):
    """Rotations of a step are vectors of less than pi; the step advised turns by a part of 1."""
    scene = dt.Scene()
    scene.add_body("slow", mass=1, inertia=(1, 1, 1), position=(3, 0, 0))
    scene.add_body("top", mass=1, inertia=(1, 1, 1), angular_velocity=(0, 0, spin))
    scene.add_body("arm", mass=1, inertia=(1, 1, 1), position=(0, 5, 0))
    if scheme.takes_joints:
        scene.add_joint("hinge", dt.Revolute((0, 5, 0), (0, 0, 1)), "ground", "arm")
    h = 3.3 / spin
    with pytest.raises(
        RunError, match=rf"body 'top' spins at {spin:.4g} rad/s, too fast"
    ) as reported:
        scheme.start(scene.build(), None).step(h)
    assert f"a step of {h:.3g} s" in str(reported.value)
    advised = float(str(reported.value).split("at most ")[1].split(" s")[0])
    assert 0.05 <= advised * spin <= 0.5
    stepper = scheme.start(scene.build(), None)
    stepper.step(advised)
    assert stepper.bodies.omega[1] == pytest.approx([0, 0, spin])


def test_joint_coordinates_name_the_joint_of_a_coordinate():
    mechanism = JointCoordinates().start(chain(), None).mechanism
    for coordinate, name in enumerate(("socket", "socket", "socket", "hinge")):
        reported = failure(mechanism, in_joints.NO_INERTIA, coordinate, 0.0, 0.1, 2.0)
        assert str(reported).startswith(
            f"at t = 2 s: joint '{name}' moves nothing that has inertia"
        )
        assert not isinstance(reported, UnsolvedError)


@pytest.mark.parametrize(
    ("code", "says", "smaller_helps"),
    [
        (in_joints.NOT_FINITE, "velocity that is no finite number", False),
        (in_joints.LOCKED, "equations of the loops contradict each other", True),
        (in_joints.UNSOLVED, r"not solved in \d+ iterations \(relative residual 0.25\)", True),
    ],
)
def test_joint_coordinates_say_what_a_smaller_step_may_solve(code, says, smaller_helps):
    reported = failure(
        JointCoordinates().start(chain(), None).mechanism, code, -1, 0.25, 0.125, 2.0
    )
    with pytest.raises(RunError, match=rf"{says}.*use a smaller step than 0\.125 s"):
        raise reported
    assert isinstance(reported, UnsolvedError) == smaller_helps and reported.time == 2.0


def test_steps_along_a_tree_name_the_joint_of_a_coordinate():
    stepper = RATTLie().start(chain(), None)
    for coordinate, name in enumerate(("socket", "socket", "socket", "hinge")):
        reported = stepper._failure(positions.SINGULAR, coordinate, 0.0, 0.1, 2.0)
        assert f"joint '{name}' moves nothing that has inertia" in str(reported)


@pytest.mark.parametrize(
    ("code", "says", "smaller_helps"),
    [
        (stages.NOT_FINITE, "body 'rod' has a position or velocity that is no finite", False),
        (stages.UNSETTLED, "dry friction in the joints did not settle", False),
        (stages.SINGULAR, "the joints of body 'rod' cannot be solved in this pose", True),
        (stages.NOT_CONVERGED, "at body 'rod', was 0.5 of the scene's length", True),
        (stages.ROTATES_TOO_FAR, "asks body 'rod' to rotate by more than pi rad, though it", True),
    ],
)
def test_constrained_steps_say_what_a_smaller_step_may_solve(code, says, smaller_helps):
    stepper = DH().start(hanging_rod().build(), None)
    reported = stepper._constrained.failure(code, 0, 0.5, 0.25)
    with pytest.raises(RunError, match=says):
        raise reported
    assert isinstance(reported, UnsolvedError) == smaller_helps and reported.time == 0.25
    if code != stages.SINGULAR:
        assert "use a smaller step than 0.25 s" in str(reported)


@pytest.mark.parametrize("scheme", [DH(), DL()])
def test_what_does_not_hold_at_the_initial_pose_is_named_with_how_much(scheme):
    driven = dt.Actuation(motor=("position", lambda t: 0.25 + t))
    with pytest.raises(dt.InputError, match=r"'hinge'.*: its motor must start at .* by 0\.25"):
        scheme.start(hanging_rod([driven]).build(), None)
    beyond = dt.Actuation(lower=0.125, upper=1.0)
    with pytest.warns(UserWarning, match=r"'hinge' starts 0\.125 m or rad beyond its limit"):
        scheme.start(hanging_rod([beyond]).build(), None)
    scheme.start(hanging_rod([dt.Actuation(lower=0.0, upper=1.0)]).build(), None)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (positions.NOT_FINITE, "a body has a position or velocity that is no finite number"),
        (positions.UNSETTLED, "dry friction in the joints did not settle"),
        (positions.NOT_CONVERGED, "did not converge: the last correction was 0.25 of the velocit"),
    ],
)
def test_steps_along_a_tree_say_that_a_smaller_step_may_do(code, says):
    reported = RATTLie().start(chain(), None)._failure(code, 0, 0.25, 0.125, 2.0)
    assert says in str(reported) and "use a smaller step than 0.125 s" in str(reported)
    assert reported.time == 2.0


@pytest.mark.parametrize(
    ("spin", "says"),
    [(7.0, "though it spins at 7 rad/s only: .* smaller step than 0.125 s"),
     (8.0, "'link1' spins at 8 rad/s, too fast .* of 0.125 s: .* a step of at most 0.025 s")],
)  # fmt: skip
def test_steps_along_a_tree_name_the_body_that_rotates_too_far(spin, says):
    stepper = RATTLie().start(chain(), None)
    stepper.bodies.omega[1] = 0.0, 0.0, spin
    label = int(stepper._mechanism.labels[1])
    with pytest.raises(RunError, match=f"body 'link1'.*{says}" if spin < 8 else says):
        raise stepper._failure(positions.ROTATES_TOO_FAR, label, 0.0, 0.125, 2.0)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (free_step.DAMPERS_UNSOLVED, "relative residual 0.25, wanted .* smaller step than 0.125 s"),
        (free_step.NOT_FINITE, "body 'b1' has a position or .* smaller step than 0.125 s"),
        (free_step.ROTATES_TOO_FAR, "body 'b1' spins at 6 rad/s, too fast for a step of 0.125 s"),
    ],
)
def test_steps_of_free_bodies_say_what_failed(code, says):
    stepper = LieVerlet().start(spring_pair(), None)
    stepper._half.L[1] = 0.0, 6.0, 0.0
    with pytest.raises(RunError, match=says) as caught:
        raise stepper._failure(code, 1, 0.25, 0.125)
    assert caught.value.time == 0.125
