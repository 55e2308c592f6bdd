"""Results that break a law of their scene, column by column, are found with time and bodies."""

import numpy as np
import pytest
from click.testing import CliRunner

import dovetail as dt
from dovetail.cli.main import group
from dovetail.results.result import Result
from dovetail.simulate import simulate
from dovetail.verifier.certificate import certify
from dovetail.verifier.joint_gaps import joint_gaps

G, H = 9.81, 0.01


def forged(result, **columns):
    """The result with other values in some columns, and the rest made to agree with them."""
    stored = result.stored
    for name, change in columns.items():
        values = stored.column(name)
        values[...] = change(values.copy())
    moves = np.array([how == "dynamic" for how in stored.header.motion])
    mass, inertia, g = (
        stored.header.mass[moves],
        stored.header.inertia[moves],
        stored.header.gravity,
    )
    x, R, v, spin = (
        stored.column(name)[:, moves]
        for name in ("position", "rotation", "velocity", "angular_velocity")
    )
    own = np.einsum("fnij,njk,fnlk,fnl->fni", R, inertia, R, spin)
    kinetic = 0.5 * (np.einsum("n,fni,fni->f", mass, v, v) + np.einsum("fni,fni->f", own, spin))
    potential = -(x @ g) @ mass
    stored.column("momentum/linear")[...] = np.einsum("n,fni->fi", mass, v)
    stored.column("momentum/angular")[...] = (own + mass[:, None] * np.cross(x, v)).sum(axis=1)
    stored.column("energy/kinetic")[...] = kinetic
    stored.column("energy/potential")[...] = potential
    stored.column("energy/total")[...] = kinetic + potential + stored.column("energy/contact")
    return Result(stored, scene=result.scene)


def found(result, name):
    """The invariant of that name, if it is broken."""
    return next((one for one in certify(result).broken if one.name == name), None)


def over_a_floor(contact=None, height=3.0, duration=0.3):
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("far", dt.Box((1, 1, 1)), mass=3, position=(5, 0, 8))
    scene.add_body("box", dt.Box((1, 1, 1)), mass=2, position=(0, 0, height), velocity=(0.5, 0, 0))
    return dt.simulate(scene, duration, H, contact=contact, progress=False)


METHODS = [None, dt.contact.IPC(), dt.contact.LCP(), dt.contact.SDF()]


@pytest.mark.parametrize("contact", METHODS, ids=["none", "ipc", "lcp", "sdf"])
def test_a_body_that_hovers_over_a_floor_is_found(contact):
    """Its energy does not rise, and the floor might act: only its own momentum tells."""
    sound = over_a_floor(contact)
    assert certify(sound).trusted
    hovers = forged(
        sound,
        position=lambda x: np.where(np.arange(3) == 2, x[:1], x),
        velocity=lambda v: v * (1, 1, 0),
    )
    one = found(hovers, "Newton's law")
    assert one.bodies in [("box",), ("far",)]
    assert one.time == pytest.approx(H)


def test_a_body_that_is_stopped_in_flight_is_found_where_it_stops():
    stop = 12

    def stopped(v):
        v[stop:, 2] -= v[stop, 2]
        return v

    one = found(forged(over_a_floor(dt.contact.LCP()), velocity=stopped), "Newton's law")
    assert (one.bodies, one.time) == (("box",), pytest.approx(stop * H))


@pytest.mark.parametrize("contact", [dt.contact.LCP(friction=0.3), dt.contact.SDF(friction=0.3)])
def test_contact_forces_that_do_not_carry_a_body_are_found(contact):
    sound = over_a_floor(contact, height=0.5)
    assert found(sound, "Newton's law") is None
    one = found(forged(sound, **{"contacts/forces": lambda f: 0.9 * f}), "Newton's law")
    assert one.bodies == ("box",)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_body_that_stops_on_a_floor_under_ipc_without_a_force_is_found(friction):
    """Or that is stopped by less friction than there is; its weight is carried all along."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.Box((9, 9, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("puck", dt.Box((1, 1, 0.2)), mass=2, position=(0, 0, 0.101), velocity=(2, 0, 0))
    contact = dt.contact.IPC(friction=friction)
    sound = dt.simulate(scene, 0.3, H, contact=contact, progress=False, check=False)
    assert sound.stored.header.settings.count("ImplicitEuler") == 1
    assert found(sound, "Newton's law") is None
    one = found(forged(sound, velocity=from_frame_10(0.5, 1)), "Newton's law")
    assert (one.bodies, one.time) == (("puck",), pytest.approx(10 * H))


def swing():
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("upper", dt.Box((0.1, 0.1, 1)), mass=1, position=(0.0, 0, -0.5))
    scene.add_body("lower", dt.Box((0.1, 0.1, 1)), mass=1, position=(0.6, 0, -1.0),
                   rotation=[[0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # fmt: skip
    scene.add_joint("top", dt.Revolute(point=(0, 0, 0), axis=(0, 1, 0)), "ground", "upper")
    scene.add_joint("knee", dt.Revolute(point=(0, 0, -1), axis=(0, 1, 0)), "upper", "lower")
    return simulate(scene, 0.3, H)


def test_bodies_that_leave_their_joint_are_found_whatever_the_run_says_of_its_joints():
    sound = swing()
    assert certify(sound).broken == ()
    away = forged(sound, position=lambda x: x + np.array([[0, 0, 0], [0.01, 0, 0]]))
    assert found(away, "joints").bodies == ("upper", "lower")
    later = forged(swing(), position=lambda x: x + 0.01 * (np.arange(len(x)) >= 20)[:, None, None])
    one = found(later, "joints")
    assert (one.bodies, one.time) == (("upper",), pytest.approx(0.2))


JOINTS = {
    "revolute": dt.Revolute(axis=(1, 2, 3)),
    "prismatic": dt.Prismatic(axis=(1, 2, 3)),
    "cylindrical": dt.Cylindrical(axis=(1, 2, 3)),
    "spherical": dt.Spherical(),
    "universal": dt.Universal(axis=(0, 0, 1), axis2=(0, 1, 0)),
    "planar": dt.Planar(axis=(1, 2, 3)),
    "fixed": dt.Fixed(),
    "screw": dt.Screw(axis=(1, 2, 3), pitch=0.3),
}


@pytest.mark.filterwarnings("ignore:the starting velocities")
@pytest.mark.parametrize("kind", JOINTS)
def test_joints_of_every_kind_are_closed_in_a_sound_run_and_open_in_a_spoiled_one(kind):
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("a", mass=1, inertia=(1, 1, 1), position=(0.3, 0, 0), velocity=(1, 0.5, 0.2))
    spin = (1, 2, 0.5)
    scene.add_body("b", mass=1, inertia=(1, 2, 3), position=(0.3, 0.4, 0), angular_velocity=spin)
    scene.add_joint("j", JOINTS[kind], "a", "b")
    result = simulate(scene, 1.0, H)
    (one,) = joint_gaps(result)
    assert np.max(one.off) < 1e-9
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    result.stored.column("rotation")[5, 0] = turn @ result.stored.column("rotation")[5, 0]
    (one,) = joint_gaps(Result(result.stored, scene=result.scene))
    assert np.argmax(one.off) == 5 and one.off[5] > 0.01


@pytest.mark.parametrize(
    ("column", "what"),
    [("energy/potential", "potential energy"), ("momentum/angular", "angular momentum")],
)
def test_potential_energy_and_angular_momentum_follow_from_the_motion(column, what):
    scene = dt.Scene(gravity=(0, 0, -G))
    for k in range(2):
        scene.add_body(
            f"b{k}", mass=1 + k, inertia=(1, 1, 1), position=(k, 0, 2), velocity=(1, 0, 0)
        )
    scene.add_spring("s", "b0", "b1", point_a=(0, 0, 2.5), point_b=(1, 0, 2), stiffness=30,
                     rest_length=0.5)  # fmt: skip
    scene.add_spring("g", "ground", "b0", point_a=(0, 0, 3), point_b=(0, 0, 2.5), stiffness=10)
    scene.add_force("f", body="b1", force=(0, 3, 1))
    result = simulate(scene, 0.5, H)
    assert certify(result).broken == ()
    values = result.stored.column(column)
    total = result.stored.column("energy/total")
    total += (column == "energy/potential") * 1e-6
    values += 1e-6
    one = found(Result(result.stored, scene=result.scene), "columns")
    assert what in one.note


def test_momentum_that_vanishes_is_found_with_its_body():
    scene = dt.Scene()
    scene.add_body("a", dt.Box((1, 1, 1)), mass=2, velocity=(1, 0, 0))
    scene.add_body("b", dt.Box((1, 1, 1)), mass=2, position=(0, 5, 0), velocity=(1, 0, 0))

    def stopped(v):
        v[10:, 1] = 0.0
        return v

    one = found(forged(simulate(scene, 0.3, H), velocity=stopped), "linear momentum")
    assert (one.bodies, one.time) == (("b",), pytest.approx(0.1))


def test_a_step_that_the_impulse_solver_does_not_solve_is_counted(monkeypatch):
    """The run goes on with the best impulses, and its result is not trusted."""
    monkeypatch.setattr("dovetail.integrators.stewart_trinkle.piece_stepper.ACCEPTED", 1e-30)
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.Box((4, 4, 1)), motion="static", position=(0, 0, -0.5))
    for k in range(3):
        scene.add_body(f"b{k}", dt.Box((1, 1, 1)), mass=1, position=(0.1 * k, 0, 0.5 + k))
    contact = dt.contact.LCP(friction=0.4)
    with pytest.warns(match="best impulses"):
        result = dt.simulate(scene, 0.03, H, contact=contact, progress=False, check=False)
    assert result.stats["unconverged"].sum() > 0
    one = found(result, "convergence")
    assert one.time > 0 and {"b0", "b1"} <= {*one.bodies}


def sliding():
    """A puck that slides on a floor, and one that floats."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.Box((9, 9, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("puck", dt.Box((1, 1, 0.2)), mass=2, position=(0, 0, 0.101), velocity=(2, 0, 0))
    return dt.simulate(scene, 0.3, H, contact=dt.contact.IPC(friction=0.1), progress=False)


def drifting():
    scene = dt.Scene()
    scene.add_body("a", dt.Box((1, 1, 1)), mass=2, velocity=(1, 0, 0))
    scene.add_body("b", dt.Box((1, 1, 1)), mass=2, position=(0, 5, 0), velocity=(1, 0, 0))
    return simulate(scene, 0.3, H)


def from_frame_10(factor, body):
    def change(v):
        v[10:, body] *= factor
        return v

    return change


def one_at_frame_20(counts):
    counts[20] += 1
    return counts


FORGERIES = {
    "energy": (drifting, {"velocity": from_frame_10(1.2, 1)}, "t = 0.1 s (b)"),
    "linear momentum": (drifting, {"velocity": from_frame_10(0.0, 0)}, "t = 0.1 s (a)"),
    "Newton's law": (drifting, {"velocity": from_frame_10(0.5, 0)}, "t = 0.1 s (a)"),
    "convergence": (sliding, {"stats/unconverged": one_at_frame_20}, "t = 0.2 s (floor, puck)"),
    "friction": (sliding, {"stats/unsettled": one_at_frame_20}, "t = 0.2 s (floor, puck)"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_file_is_not_trusted_and_the_report_says_when_and_who(name, tmp_path):
    make, columns, where = FORGERIES[name]
    path = tmp_path / "forged.h5"
    sound = make()
    sound.save(path)
    assert CliRunner().invoke(group, ["check", str(path)]).exit_code == 0
    forged(sound, **columns).save(path)
    said = CliRunner().invoke(group, ["check", str(path)])
    assert said.exit_code == 4, said.output
    (line,) = [one for one in said.output.splitlines() if one.startswith(f"error: {name}:")]
    assert line.endswith(where)
