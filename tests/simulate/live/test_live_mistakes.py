"""What cannot be set, pushed, placed or read is refused with a sentence, and nothing changes."""

import numpy as np
import pytest
from test_stepping import made

import dovetail as dt
from live_scenes import arm_and_box


@pytest.fixture(scope="module")
def sim():
    return made(arm_and_box(), ("lcp", None))


def setting(owner, name, value):
    return lambda sim: setattr(owner(sim), name, value)


def elbow(sim):
    return sim.joint("elbow")


def box(sim):
    return sim.body("box")


MISTAKES = [
    ("a list of names", lambda sim: sim.joint(["elbow"]), r"there is no joint"),
    ("a list of bodies", lambda sim: sim.body(["box"]), r"there is no body"),
    (
        "efforts in words",
        setting(lambda sim: sim, "efforts", "abc"),
        r"`efforts` must be \d+ finite",
    ),
    ("ragged efforts", setting(lambda sim: sim, "efforts", [[1], [1, 2]]), r"`efforts` must be"),
    ("efforts by name", setting(lambda sim: sim, "efforts", {"elbow": 1.0}), r"`efforts` must be"),
    ("complex efforts", lambda sim: setattr(sim, "efforts", 1j * np.ones(len(sim.v))), "`efforts`"),
    (
        "an angle",
        setting(elbow, "position", 0.1),
        r"`position` of 'elbow' cannot be set; sim.set_s",
    ),
    ("a place", setting(box, "position", (0, 0, 1)), r"`position` of 'box' cannot be set; place"),
    ("a contact force", setting(box, "contact_force", (0, 0, 1)), r"cannot be set"),
    ("a place of nothing", lambda sim: box(sim).place(), r"`place` of body 'box' needs"),
    ("a push of nothing", lambda sim: box(sim).push(), r"needs a `force` \(at a `point`\) or"),
    ("a push at a point", lambda sim: box(sim).push(point=(0, 0, 0)), r"needs a `force`"),
    ("a misspelt push", lambda sim: box(sim).push(forse=(0, 0, 1)), r"did you mean 'force'"),
    ("a misspelt target", lambda sim: elbow(sim).set_target(positon=1), r"did you mean 'position'"),
    ("steps that are true", lambda sim: sim.step(True), r"`count` must be a whole number"),
    ("a reset to a number", lambda sim: sim.reset(5), r"state to reset to must be a snapshot"),
    ("a reset to a word", lambda sim: sim.reset("start"), r"state to reset to must be"),
    ("q in words", lambda sim: sim.set_state(q="abc"), r"`q` must be \d+ finite numbers"),
    ("q of a joint in words", lambda sim: sim.set_state(q={"elbow": "a"}), r"`q` of 'elbow' must"),
    ("ragged v", lambda sim: sim.set_state(v=[[1], [1, 2]]), r"`v` must be"),
    ("ragged accelerations", lambda sim: sim.inverse_dynamics(a=[[0], [0, 1]]), r"`a` must be \d+"),
    ("q of a query in words", lambda sim: sim.forward_kinematics("abc"), r"`q` must be \d+ finite"),
    ("an unknown joint of a query", lambda sim: sim.mass_matrix({"elbo": 1}), "mean 'elbow'"),
    ("no v of a joint", lambda sim: sim.bias_forces(v={"elbow": None}), "`v` of 'elbow' must be 1"),
    ("a long quaternion", lambda sim: sim.mass_matrix({"box": [0, 0, 0, 1, 1, 0, 0]}), "unit quat"),
    ("an effort of all", setting(lambda sim: sim, "effort", 3.0), "did you mean 'efforts'"),
    ("gravity of a run", setting(lambda sim: sim, "gravity", (0, 0, 0)), "begin another one"),
    (
        "another method",
        setting(lambda sim: sim, "contact", "ipc"),
        "`contact` of a Sim.*begin",
    ),
    ("the time", setting(lambda sim: sim, "time", 0.0), r"`time` of a .*reset\(\) returns"),
    ("the state", setting(lambda sim: sim, "state", None), r"set_state\(q=..., v=...\) moves"),
    (
        "a duration",
        lambda _: dt.Simulation(arm_and_box(), 1e-3, duration=1),
        r"^Simulation\(\) has",
    ),
    ("sensors every 0 steps", lambda sim: sim.sense(every=0, a=len), r"`every` must be a whole"),
    ("no sensors", lambda sim: sim.sense(), r"needs at least one sensor"),
    ("a body with itself", lambda sim: sim.contact_wrench("box", "box"), r"of two bodies"),
]


@pytest.mark.parametrize(("act", "says"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_mistakes_are_refused_and_change_nothing(sim, act, says):
    sim.step(2)
    before, time = sim.state.copy(), sim.time
    with pytest.raises(dt.InputError, match=says):
        act(sim)
    assert sim.time == time
    assert np.array_equal(sim.state.x, before.x)
    assert np.array_equal(sim.state.v, before.v)


def test_numbers_of_steps_may_be_those_of_numpy(sim):
    sim.reset()
    sim.step(np.int64(3))
    assert sim.time == pytest.approx(0.003)


def test_efforts_may_be_whole_numbers(sim):
    sim.reset()
    sim.efforts = np.arange(len(sim.v))
    sim.step()
    assert sim.joint("elbow").effort == sim.v_index("elbow")


def test_queries_take_coordinates_by_name(sim):
    q, v = sim.q, sim.v
    q[sim.q_index("elbow")], v[sim.v_index("elbow")] = 0.3, -0.7
    by_name = {"elbow": 0.3}
    assert np.array_equal(sim.mass_matrix(by_name), sim.mass_matrix(q))
    assert np.array_equal(sim.bias_forces(by_name, {"elbow": -0.7}), sim.bias_forces(q, v))
    one = np.zeros(len(v))
    one[sim.v_index("elbow")] = 2.0
    found = sim.inverse_dynamics(q, v, {"elbow": 2.0})  # the others do not accelerate
    assert np.array_equal(found, sim.inverse_dynamics(q, v, one))


def test_a_class_of_ones_own_may_keep_more(sim):
    class Mine(dt.Simulation):
        """With a goal."""

    own = Mine(arm_and_box(), 1e-3)
    own.goal = 3.0
    with pytest.raises(AttributeError, match="no setter"):
        own.time = 1.0
    own.step()
    assert own.goal == 3.0
