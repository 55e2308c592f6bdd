"""The monitor reports contacts whose rigid model is inconsistent, not unique or unstable."""

from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner

import dovetail as dt
from dovetail.cli.main import group, main
from dovetail.contact.law import ContactRecord
from dovetail.examples import painleve_rod
from dovetail.linalg.lie import so3
from dovetail.multibody.state import initial_state
from dovetail.simulate.watching import examine

THETA = painleve_rod.THETA


def layer_of_the_scene(theta, mu):
    """D of a rod that is an ordinary body of a scene, its end sliding to -x."""
    model = painleve_rod.build(theta).build()
    state = initial_state(model)
    end = state.x[1] - painleve_rod.HALF_LENGTH * painleve_rod.along(theta)
    (island,) = dt.stability.scene_contacts(model, state, [(1, 0)], [end], [(0, 0, 1)], mu)
    return island.problem().D


def test_painleve_tip_of_a_rod_in_a_scene_is_at_four_thirds():
    tip = dt.stability.painleve_tip(layer_of_the_scene, 0.0, 0.5 * np.pi)
    assert tip.friction == pytest.approx(4 / 3, abs=1e-6)
    assert np.tan(tip.parameter) == pytest.approx(2.0, abs=1e-6)


def test_the_sign_of_mu_is_that_of_minus_the_sliding_direction():
    """mu_s = -mu sgn(xc_dot): the end that slides to -x has mu_s = +mu."""
    for speed, sign in ((1.0, 1.0), (-1.0, -1.0)):
        model = painleve_rod.build(1.0, speed).build()
        state = initial_state(model)
        end = state.x[1] - painleve_rod.along(1.0)
        assert np.sign(state.v[1, 0]) == -sign
        (island,) = dt.stability.scene_contacts(model, state, [(1, 0)], [end], [(0, 0, 1)], 0.8)
        expected = dt.stability.rod(1.0, sign * 0.8).D
        assert island.problem().D[0, 0] == pytest.approx(float(expected), rel=1e-10)


def run(scene, duration=0.02, step=1e-3, monitor=None, **law):
    monitor = monitor or dt.stability.Monitor(report=False)
    return dt.simulate(
        scene, duration, step, contact=dt.contact.LCP(**law), monitor=monitor, progress=False
    )


def test_a_jamming_rod_is_inconsistent_at_its_start_and_a_slippery_one_is_not():
    found = run(painleve_rod.build(), friction=1.8).findings
    assert [(f.time, f.kind, set(f.bodies)) for f in found] == [
        (0.0, "inconsistent", {"floor", "rod"})
    ]
    assert "A < 0, B < 0: none" in found[0].message
    assert run(painleve_rod.build(), friction=1.2).findings == ()


def test_a_jamming_rod_that_turns_fast_has_two_answers():
    scene = painleve_rod.build()
    rate = -4.0  # [rad/s] about y: theta grows, so B = l theta_dot^2 sin(theta) - g > 0
    spun = dt.Scene(gravity=(0, 0, -9.81))
    spun.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    body = scene.bodies["rod"]
    arm = painleve_rod.HALF_LENGTH * painleve_rod.along()
    spun.add_body(
        "rod", dt.Capsule(1e-3, 2.0), mass=1, inertia=np.array(body.inertia),
        position=body.position, rotation=body.rotation, angular_velocity=(0, rate, 0),
        velocity=np.array([-1.0, 0, 0]) + np.cross((0, rate, 0), arm),
    )  # fmt: skip
    first = run(spun, friction=1.8).findings[0]
    assert (first.time, first.kind) == (0.0, "non-unique")
    assert "A < 0, B > 0: two solutions" in first.message


def test_a_stack_and_a_sliding_block_have_sound_answers():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k in range(2):
        scene.add_body(f"cube{k}", dt.Box((1, 1, 1)), mass=1, position=(0, 0, 0.5 + k))
    scene.add_body("slider", dt.Box((1, 1, 0.2)), mass=1, position=(5, 0, 0.1),
                   velocity=(1, 0.3, 0))  # fmt: skip
    result = run(scene, friction=0.6)
    assert result.contacts.count[-1] >= 12
    assert result.findings == ()


def test_joints_and_held_directions_enter_the_effective_mass():
    """A rod that may only slide along z has A = 1/m whatever the friction."""
    scene = dt.Scene()
    R = so3.exp([0, 0.4, 0])
    scene.add_body("held", mass=2.0, inertia=(1, 2, 3), rotation=R,
                   fixed=(True, True, False, True, True, True))  # fmt: skip
    scene.add_body("guided", mass=4.0, inertia=(1, 2, 3), position=(3, 0, 0), rotation=R)
    scene.add_joint("rail", dt.Prismatic((3, 0, 0), (0, 0, 1)), "ground", "guided")
    model = scene.build()
    state = initial_state(model)
    islands = dt.stability.scene_contacts(
        model, state, [(0, -1), (1, -1)], [(0.3, 0.1, -1), (3.2, 0, -1)], [(0, 0, 1)] * 2, 0.5
    )
    masses = [island.problem().A[0, 0] for island in islands]
    np.testing.assert_allclose(masses, [1 / 2, 1 / 4], rtol=1e-12)


def test_findings_are_kept_beside_the_file_and_are_the_same_looked_for_again(tmp_path):
    out = tmp_path / "rod.h5"
    result = dt.simulate(
        painleve_rod.build(), 0.01, 1e-3, contact=dt.contact.LCP(friction=1.8), out=out,
        monitor=dt.stability.Monitor(report=False), progress=False,
    )  # fmt: skip
    assert result.findings
    assert dt.load(out).findings == result.findings
    again = examine(dt.load(out), dt.stability.Monitor(report=False))
    assert tuple(again) == result.findings


def test_command_analyses_a_scene_and_a_result(tmp_path):
    said = CliRunner().invoke(group, ["stability", "painleve-rod"], catch_exceptions=False).output
    assert "t = 0 s: inconsistent contact of rod and floor" in said
    said = (
        CliRunner()
        .invoke(group, ["stability", "painleve-rod", "--friction", "0.3"], catch_exceptions=False)
        .output
    )
    assert "every contact has one answer" in said
    out = tmp_path / "rod.h5"
    ran = CliRunner().invoke(
        group, ["run", "painleve-rod", "--duration", "0.01", "--out", str(out), "--monitor"],
        catch_exceptions=False,
    )  # fmt: skip
    assert "contacts that are inconsistent, not unique or unstable: 1 inconsistent" in ran.output
    said = CliRunner().invoke(group, ["stability", str(out), "--time", "0"], catch_exceptions=False)
    assert "inconsistent contact of rod and floor" in said.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["painleve-rod", "--time", "-1"], "--time must be >= 0 s"),
        (["flying-pig"], "neither a file nor a built-in example"),
        (["painleve-rod", "--damping", "-1"], "`c` of the monitor must be a number > 0"),
        (["painleve-rod", "--friction", "-1"], "`friction` must be"),
    ],
)
def test_bad_requests_are_reported_in_a_sentence(arguments, sentence, capsys):
    with pytest.raises(SystemExit) as end:
        main(["stability", *arguments])
    assert end.value.code == 2
    assert sentence in capsys.readouterr().err


def test_only_a_monitor_is_taken_as_one():
    with pytest.raises(dt.InputError, match=r"`monitor` must be a dt\.stability\.Monitor"):
        run(painleve_rod.build(), monitor=True)


@pytest.mark.slow  # kernels of three contact methods
@pytest.mark.parametrize(
    ("law", "step"),
    [
        (dt.contact.LCP, 1e-3),
        (dt.contact.IPC, 1e-3),
        (partial(dt.contact.SDF, restitution=0.1, stiffness=1e5), 1e-4),
    ],
    ids=["lcp", "ipc", "sdf"],
)
def test_the_paradox_is_found_under_every_contact_method(law, step):
    def findings(mu):
        watched = dt.stability.Monitor()
        scene = painleve_rod.build()
        return dt.simulate(scene, 0.01, step, contact=law(friction=mu), monitor=watched).findings

    first = findings(painleve_rod.FRICTION)[0]
    assert first.kind == "inconsistent" and set(first.bodies) == {"floor", "rod"}
    assert first.time <= step
    assert findings(0.9 * 4 / 3) == ()  # below the tip no angle is paradoxical


def test_many_contacts_at_one_place_are_analysed_as_one():
    """Twenty points of a rounded end, 1e-4 of the rod apart, do not hold it from turning."""
    model = painleve_rod.build().build()
    state = initial_state(model)
    end = state.x[1] - painleve_rod.HALF_LENGTH * painleve_rod.along()
    random = np.random.default_rng(0)
    points = end + 2e-4 * np.column_stack([random.uniform(-1, 1, (20, 2)), np.zeros(20)])
    record = ContactRecord(
        np.tile([1, 0], (20, 1)).astype(np.int32), points, np.tile([0.0, 0, 1], (20, 1)),
        random.uniform(1, 2, (20, 1)) * [0, 0, 1], np.zeros(20),
    )  # fmt: skip
    (island,) = dt.stability.scene_contacts(
        model, state, record.bodies, points, record.normals, 1.2
    )
    assert np.linalg.eigvals(island.problem().D).real.min() < -1e-4  # as they are: "unstable"
    assert dt.stability.Monitor(report=False).look(model, state, record, 1.2) == []
    (found,) = dt.stability.Monitor(report=False).look(model, state, record, 1.8)
    assert found.kind == "inconsistent"
