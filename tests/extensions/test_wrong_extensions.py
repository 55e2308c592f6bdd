"""An extension that is wrong gets a sentence that names it."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.extend import ContactGeometry, ContactReport


def ball_on_floor():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("ball", dt.Sphere(0.1), mass=1, position=(0, 0, 0.2))
    return scene


def run(law, kind, **replaced):
    """A short run with the law's methods replaced by functions."""

    class Law(law):
        pass

    for name, function in replaced.items():
        setattr(Law, name, function)

    class Method:
        name = "mine"

        def prepare(self, model):
            return Law()

    Method.kind = kind
    return dt.simulate(ball_on_floor(), 0.1, 0.01, contact=Method())


class NoForce:
    def wrenches(self, state):
        return np.zeros((2, 3)), np.zeros((2, 3))

    def report(self, state):
        return ContactReport()


class NoPotential:
    def value(self, x, R):
        return 0.0

    def gradient(self, x, R):
        return np.zeros((2, 6))

    def hessian(self, x, R):
        return np.zeros((12, 12))

    def report(self, x, R):
        return ContactReport()


class NoImpulses:
    def contacts(self, x, R, reach):
        return ContactGeometry(np.array([[1, 0]]), x[1:], np.array([[0.0, 0, 1]]), np.ones(1))

    def impulses(self, problem):
        return np.zeros((1, 3))


RIGHT = [(NoForce, "force"), (NoPotential, "potential"), (NoImpulses, "impulse")]


@pytest.mark.parametrize(("law", "kind"), RIGHT, ids=[kind for _, kind in RIGHT])
def test_law_that_does_nothing_lets_a_ball_fall(law, kind):
    height = run(law, kind).position("ball")[-1, 2]
    assert height == pytest.approx(0.2 - 9.81 * 0.1**2 / 2, rel=0.05)


@pytest.mark.parametrize(("law", "kind"), RIGHT, ids=[kind for _, kind in RIGHT])
def test_a_body_that_is_placed_goes_on_from_there(law, kind):
    class Method:
        name = "mine"

        def prepare(self, model):
            return law()

    Method.kind = kind
    sim = dt.Simulation(ball_on_floor(), 0.01, contact=Method(), check=False)
    sim.step(2)
    sim.body("ball").place(position=(1, 2, 3), velocity=(0.5, 0, 0))
    sim.step(10)
    assert sim.time == pytest.approx(0.12)
    assert sim.body("ball").position[:2] == pytest.approx([1.05, 2.0])
    assert sim.body("ball").velocity == pytest.approx([0.5, 0, -0.981])


@pytest.mark.parametrize(
    ("law", "kind", "replaced", "sentence"),
    [
        (
            NoForce,
            "force",
            {"wrenches": None},
            r"must have wrenches\(state\), report\(state\); Law lacks wrenches",
        ),
        (NoPotential, "potential", {"hessian": None}, r"hessian\(x, R\).* Law lacks hessian"),
        (NoImpulses, "impulse", {"impulses": None}, r"impulses\(problem\); Law lacks impulses"),
        (
            NoForce,
            "force",
            {"wrenches": lambda self: 0},
            r"must have wrenches\(state\), but .* takes",
        ),
    ],
)
def test_missing_or_misshapen_method_is_named(law, kind, replaced, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        run(law, kind, **replaced)


@pytest.mark.parametrize(
    ("law", "kind", "method", "value", "sentence"),
    [
        (NoForce, "force", "wrenches", np.zeros((3, 2)), r"must return \(force, torque\)"),
        (
            NoForce,
            "force",
            "wrenches",
            (np.zeros((3, 2)), 0),
            r"shape \(2, 3\), got shape \(3, 2\)",
        ),
        (NoForce, "force", "wrenches", np.full((2, 2, 3), np.nan), "finite numbers, got nan at"),
        (NoForce, "force", "report", None, "must return a dt.extend.ContactReport, got None"),
        (NoPotential, "potential", "value", "much", r"must return an energy \[J\], got 'much'"),
        (NoPotential, "potential", "value", np.nan, r"energy \[J\] or inf, got nan"),
        (NoPotential, "potential", "gradient", np.zeros(12), r"shape \(2, 6\), got shape \(12,\)"),
        (NoPotential, "potential", "hessian", np.triu(np.ones((12, 12))), "symmetric matrix"),
        (NoImpulses, "impulse", "contacts", 3, "must return a dt.extend.ContactGeometry"),
        (NoImpulses, "impulse", "impulses", np.zeros(3), r"shape \(1, 3\), got shape \(3,\)"),
    ],
)
def test_wrong_value_of_a_law_is_named_with_its_method(law, kind, method, value, sentence):
    with pytest.raises(dt.RunError, match=f"`{method}` of contact method 'mine' .*{sentence}"):
        run(law, kind, **{method: lambda self, *arguments: value})


def test_exception_inside_a_law_is_named_with_its_place_and_the_time():
    def wrenches(self, state):
        if state.t > 0.045:
            raise KeyError("stiffness")
        return np.zeros((2, 3)), np.zeros((2, 3))

    with pytest.raises(dt.RunError) as caught:
        run(NoForce, "force", wrenches=wrenches)
    text = str(caught.value)
    assert text.startswith("at t = 0.04 s: `wrenches` of contact method 'mine' failed: KeyError")
    assert "test_wrong_extensions.py, line" in text
    assert len(caught.value.result.time) == 5  # what was computed is kept


def test_collision_free_step_size_must_be_a_share():
    class Bounded(NoPotential):
        def collision_free_step_size(self, x, R, displacement):
            return 2.0

    with pytest.raises(dt.RunError, match=r"must return a number in \(0, 1\], got 2"):
        run(Bounded, "potential")


def test_potential_that_is_infinite_at_the_start_says_so():
    with pytest.raises(dt.InputError, match="infinite at the initial poses"):
        run(NoPotential, "potential", value=lambda self, x, R: np.inf)


def test_law_from_outside_says_that_it_takes_no_joints():
    for law, kind in RIGHT[1:]:

        class Method:
            name = "mine"

            def prepare(self, model, law=law):
                return law()

        Method.kind = kind
        scene = ball_on_floor()
        scene.add_joint("pin", dt.Spherical(point=(0, 0, 0.5)), "ground", "ball")
        with pytest.raises(dt.InputError, match=r"without joints only.*\('pin'\)"):
            dt.simulate(scene, 0.1, 0.01, contact=Method())


def test_kind_must_be_one_of_three():
    class Method:
        name, kind, prepare = "glue", "adhesion", None

    with pytest.raises(dt.InputError, match="`kind` must be one of force, potential, impulse"):
        dt.simulate(ball_on_floor(), 0.1, 0.01, contact=Method())
    with pytest.raises(dt.InputError, match="contact method 'glue': `kind` must be one of"):
        dt.extend.register("contact_methods", "glue", Method)


def test_barrier_verlet_says_that_it_steps_ipc_only():
    class Method:
        name, kind = "mine", "potential"

        def prepare(self, model):
            return NoPotential()

    with pytest.raises(dt.InputError, match="steps the barriers of IPC only; use ImplicitEuler"):
        dt.simulate(ball_on_floor(), 0.1, 0.01, contact=Method(), integrator="BarrierVerlet")


@pytest.mark.parametrize(
    ("kind", "entry", "sentence"),
    [
        ("shapes", int, "shape 'x': must be a subclass of dt.extend.Shape"),
        ("integrators", int, "integrator 'x': must have `name`, `takes`, `takes_joints`, `start`"),
        ("exporters", 3, r"exporter 'x': must be a function write\(result, path\), got 3"),
        ("exporters", lambda result: 0, r"callable as write\(result, path\), but takes \(result\)"),
        ("scene_readers", 3, r"must be a function read\(path, files\), got 3"),
        ("friction_curves", int, r"friction curve 'x': must have `coefficient\(speed\)`"),
        ("normal_forces", 3, "normal force 'x': must be a class whose objects are called with"),
    ],
)
def test_what_cannot_be_registered_is_refused(kind, entry, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        dt.extend.register(kind, "x", entry)
    assert "x" not in dt.extend.names(kind)


def test_names_of_the_package_cannot_be_taken():
    with pytest.raises(dt.InputError, match="shape 'box' is one of the package's own"):
        dt.extend.register("shapes", "box", dt.Box)
    with pytest.raises(dt.InputError, match=r"no kind of extension 'shape' .*mean 'shapes'"):
        dt.extend.register("shape", "x", dt.Box)


def test_abstract_shape_is_refused_by_what_it_lacks():
    class Half(dt.extend.Shape):
        def mistakes(self):
            return []

    with pytest.raises(dt.InputError, match="must have `mass_properties`, `surface`"):
        dt.extend.register("shapes", "half", Half)


def test_shape_that_is_not_registered_says_how_to_add_it():
    class Cube(dt.Box):
        pass

    scene = dt.Scene()
    scene.add_body("a", Cube((1, 1, 1)))
    with pytest.raises(dt.InputError, match=r'dt.extend.register\("shapes", "cube", Cube\)'):
        dt.simulate(scene, 0.1, 0.1)


def test_exporter_that_fails_is_named(tmp_path):
    def broken(result, path):
        raise ValueError("no disk today")

    dt.extend.register("exporters", "broken", broken)
    scene = dt.Scene()
    scene.add_body("a", dt.Box((1, 1, 1)))
    result = dt.simulate(scene, 0.1, 0.1)
    with pytest.raises(dt.RunError, match="exporter 'broken' failed: ValueError: no disk today"):
        result.export(tmp_path / "a.broken")
    with pytest.raises(
        dt.InputError, match=r"a \.csv export has no option 'fps' \(options: every\)"
    ):
        result.export(tmp_path / "a.csv", fps=3)
    with pytest.raises(dt.InputError, match=r"an export must end in \.html.*got '.*a\.doc'"):
        result.export(tmp_path / "a.doc")
    with pytest.raises(dt.InputError, match=r"there is no exporter 'glbs' .*mean 'glb'"):
        result.export(tmp_path / "a.doc", format="glbs")


def test_reader_that_returns_something_else_is_named(tmp_path):
    dt.extend.register("scene_readers", "odd", lambda path, files: 3)
    (tmp_path / "a.odd").touch()
    with pytest.raises(dt.InputError, match=r"a\.odd: scene reader 'odd' must return a dt.Scene"):
        dt.Scene.load(tmp_path / "a.odd")
    dt.extend.register("scene_readers", "bad", lambda path, files: 1 / 0)
    (tmp_path / "a.bad").touch()
    with pytest.raises(dt.InputError, match=r"scene reader 'bad' failed: ZeroDivisionError"):
        dt.Scene.load(tmp_path / "a.bad")


def test_normal_force_that_is_not_finite_is_named_with_gap_and_time():
    contact = dt.contact.SDF(normal_force=lambda gap, rate, speed: np.log(gap))
    with pytest.raises(
        dt.RunError, match=r"at t = .*normal force .*must be finite, got nan at a gap"
    ):
        dt.simulate(ball_on_floor(), 0.3, 1e-3, contact=contact)
    with pytest.raises(dt.InputError, match="give `normal_force` or `stiffness`, not both"):
        dt.contact.SDF(normal_force="hertz", stiffness=3)


def test_friction_curve_must_give_coefficients():
    class Negative:
        def coefficient(self, speed):
            return -speed

    with pytest.raises(dt.InputError, match="`friction`: `coefficient` must return one mu >= 0"):
        dt.contact.LCP(friction=Negative())
    contact = dt.contact.IPC(friction={"smooth-coulomb": {"mu_s": 0.3, "mu_d": 0.2}})
    with pytest.raises(dt.InputError, match="'ipc' takes friction as a number"):
        dt.simulate(ball_on_floor(), 0.1, 0.1, contact=contact)


def test_integrator_whose_start_gives_no_stepper_is_named():
    class Idle:
        name, takes, takes_joints = "Idle", frozenset(), False

        def start(self, model, contact):
            return 3

    with pytest.raises(
        dt.InputError, match=r"`start` of integrator Idle returns must have `bodies`"
    ):
        dt.simulate(ball_on_floor(), 0.1, 0.1, integrator=Idle())
