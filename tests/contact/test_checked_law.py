"""What a contact law from outside the package may return, value by value."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact import checked_law
from dovetail.contact.checked_law import finite_array, prepared
from dovetail.extend import ContactGeometry, ContactReport

N = 3  # bodies


def guarded(kind, **methods):
    """A law of these methods, each of which returns its value, as integrators see it."""
    scene = dt.Scene()
    for k in range(N):
        scene.add_body(f"body {k}", dt.Sphere(0.1), position=(k, 0, 0))
    needed = {
        "force": {"wrenches": 1, "report": 1},
        "potential": {"value": 2, "gradient": 2, "hessian": 2, "report": 2},
        "impulse": {"contacts": 3, "impulses": 1},
    }[kind]

    class Law:
        keeps = 7

        def _hidden(self):
            return "hidden"

    for name in needed:
        setattr(Law, name, lambda self, *given: None)
    for name, value in methods.items():
        setattr(Law, name, lambda self, *given, value=value: value)

    class Method:
        name = "mine"

        def prepare(self, model):
            return Law()

    Method.kind = kind
    return prepared(Method(), scene.build())


def geometry(m=2, bodies=None, length=1.0, **replaced):
    """m contacts of bodies 0 and 2."""
    normals = np.tile([0.0, 0.0, 1.0], (m, 1))
    normals[-1:] *= length
    given = ContactGeometry(
        np.tile([0, 2], (m, 1)) if bodies is None else np.array(bodies),
        np.arange(3.0 * m).reshape(m, 3),
        normals,
        np.linspace(-0.1, 0.2, m),
    )
    return given._replace(**replaced)


def test_force_and_torque_stay_apart_and_become_floats():
    force, torque = guarded("force", wrenches=[[[1, 2, 3]] * N, [[4, 5, 6]] * N]).wrenches(None)
    assert force.dtype == torque.dtype == np.float64
    assert force.tolist() == [[1, 2, 3]] * N and torque.tolist() == [[4, 5, 6]] * N


@pytest.mark.parametrize("which", [0, 1])
def test_the_place_of_a_number_that_is_not_finite_is_named(which):
    parts = np.zeros((2, N, 3))
    parts[which, 2, 1] = np.inf
    with pytest.raises(dt.RunError, match=r"`wrenches` .*finite numbers, got inf at \[2, 1\]"):
        guarded("force", wrenches=parts).wrenches(None)
    three = [np.zeros((N, 3))] * 3
    with pytest.raises(dt.RunError, match=r"must return \(force, torque\)"):
        guarded("force", wrenches=three).wrenches(None)


def test_an_array_is_taken_as_it_is_and_text_is_refused():
    assert finite_array([[1, 2]], (1, 2)).tolist() == [[1.0, 2.0]]
    with pytest.raises(ValueError, match=r"numbers of shape \(2,\), got 'ab'"):
        finite_array("ab", (2,))
    with pytest.raises(ValueError, match=r"got -inf at \[0\]"):
        finite_array([-np.inf, np.nan], (2,))


def test_an_energy_may_be_infinite_but_not_minus_infinite():
    assert guarded("potential", value=np.inf).value(0, 0) == np.inf
    energy = guarded("potential", value=np.array(2.5)).value(0, 0)
    assert energy == 2.5 and type(energy) is float
    with pytest.raises(dt.RunError, match=r"energy \[J\] or inf, got -inf"):
        guarded("potential", value=-np.inf).value(0, 0)


def test_a_hessian_may_be_flat_and_is_symmetric_to_rounding():
    rng = np.random.default_rng(4)
    a = rng.normal(size=(6 * N, 6 * N))
    symmetric = a + a.T
    for given in (symmetric, symmetric.reshape(N, 6, N, 6)):
        found = guarded("potential", hessian=given).hessian(0, 0)
        assert found.shape == (N, 6, N, 6)
        assert np.array_equal(found.reshape(6 * N, 6 * N), symmetric)
    largest = np.abs(symmetric).max()
    for off, taken in ((0.5e-6, True), (2e-6, False)):
        nearly = symmetric.copy()
        nearly[0, 5] += off * largest
        law = guarded("potential", hessian=nearly)
        if taken:
            law.hessian(0, 0)
        else:
            with pytest.raises(dt.RunError, match=f"entries differ by {off * largest:.3g}"):
                law.hessian(0, 0)
    guarded("potential", hessian=np.zeros((6 * N, 6 * N))).hessian(0, 0)


@pytest.mark.parametrize("share", [1e-300, 0.5, 1.0, 1])
def test_a_share_of_the_step_is_taken_as_a_float(share):
    law = guarded("potential", collision_free_step_size=share)
    found = law.collision_free_step_size(0, 0, 0)
    assert found == share and type(found) is float


@pytest.mark.parametrize(
    ("share", "got"), [(0.0, "0"), (1.5, "1.5"), (-1.0, "-1"), (np.nan, "nan"), ("all", "'all'")]
)
def test_what_is_no_share_of_a_step_is_refused(share, got):
    law = guarded("potential", collision_free_step_size=share)
    with pytest.raises(dt.RunError, match=rf"number in \(0, 1\], got {got}"):
        law.collision_free_step_size(0, 0, 0)


def test_a_report_is_passed_on():
    report = ContactReport(energy=3.0)
    assert guarded("force", report=report).report(None) is report


@pytest.mark.parametrize("m", [0, 1, 2])
def test_contacts_keep_their_rows(m):
    given = geometry(m)
    found = guarded("impulse", contacts=list(given)).contacts(0, 0, 0)
    assert isinstance(found, ContactGeometry) and found.bodies.dtype == np.int32
    for got, put in zip(found, given):
        assert np.array_equal(got, put) and got.shape == put.shape


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (geometry()[:3], "dt.extend.ContactGeometry"),
        (geometry(bodies=[[0, 2], [0, 3]]), r"numbers of bodies from 0 to 2"),
        (geometry(bodies=[[0, 2], [-1, 1]]), r"numbers of bodies from 0 to 2"),
        (geometry(length=1.00001), "normals of length 1, got one of length"),
        (geometry(length=0.99999), "normals of length 1"),
        (geometry(points=np.zeros((1, 3))), r"shape \(2, 3\), got shape \(1, 3\)"),
        (geometry(gaps=np.zeros((2, 1))), r"shape \(0, 2\), got shape \(2, 2\)"),
        (geometry(gaps=np.array([0.1, np.nan])), r"finite numbers, got nan at \[1\]"),
    ],
)
def test_contacts_that_cannot_be_are_refused(given, sentence):
    with pytest.raises(dt.RunError, match=f"`contacts` of contact method 'mine' .*{sentence}"):
        guarded("impulse", contacts=given).contacts(0, 0, 0)


def test_normals_may_be_off_by_rounding():
    given = geometry(length=1.0 + 5e-7)
    found = guarded("impulse", contacts=given).contacts(0, 0, 0)
    assert found.normals[1, 2] == 1.0 + 5e-7


def test_a_law_shows_what_it_has_and_nothing_more():
    law = guarded("force", forget="forgotten")
    assert law.forget() == "forgotten" and not hasattr(law, "_hidden")
    assert not hasattr(law, "keeps") and law.law.keeps == 7
    assert not hasattr(guarded("force"), "forget")


def test_errors_of_the_package_pass_and_others_become_sentences():
    class Fails:
        name, kind = "fails", "force"

        def prepare(self, model):
            raise self.error

    method = Fails()
    method.error = dt.InputError("its own sentence")
    with pytest.raises(dt.InputError, match=r"^its own sentence$"):
        prepared(method, None)
    method.error = KeyError("depth")
    with pytest.raises(dt.InputError, match="'fails' could not be prepared: KeyError"):
        prepared(method, None)


def test_a_method_written_in_c_is_taken_at_its_word():
    class Written:
        wrenches = report = dict.fromkeys  # says nothing of its arguments
        name, kind = "c", "force"

        def prepare(self, model):
            return Written()

    assert prepared(Written(), dt.Scene().build()).law is not None


class Push:
    """A force law of one's own that may be wrong in one way or another."""

    name, kind = "push", "force"

    def __init__(self, **members):
        self.members = members

    def prepare(self, model):
        return type("Pushed", (), self.members)()


def wrenches(self, state):
    return np.zeros((2, 1, 3)), np.zeros(1)


def report(self, state):
    return ContactReport()


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"wrenches": wrenches}, r"must have wrenches\(.*; Pushed lacks report"),
        ({"report": report, "wrenches": 3}, "Pushed lacks wrenches"),
        (
            {"wrenches": wrenches, "report": lambda self: None},
            r"must have report\(\w+\), but `report` of Pushed takes \(\)",
        ),
    ],
)
def test_a_law_that_lacks_what_its_kind_needs_is_refused_before_the_run(members, says):
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0)
    with pytest.raises(dt.InputError, match=says):
        prepared(Push(**members), scene.build())


def test_what_a_law_raises_is_named_with_its_method():
    def broken(self, state):
        raise ZeroDivisionError("by nothing")

    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0)
    law = prepared(Push(wrenches=broken, report=lambda self, state: 3), scene.build())
    with pytest.raises(dt.RunError, match=r"`wrenches` of contact method 'push' failed: .*nothing"):
        law.wrenches(None)
    with pytest.raises(dt.RunError, match=r"must return a dt.extend.ContactReport, got 3"):
        law.report(None)


@pytest.mark.parametrize("energy", ["much", None, [1.0, 2.0]])
def test_an_energy_is_a_number(energy):
    with pytest.raises(ValueError, match=r"must return an energy \[J\], got"):
        checked_law._energy(energy)
