"""The sliding and the rolling rod: closed forms, the general machinery, bad input."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.validation.reproduce.xu.figure_3 import rod_layer
from rounding import rounding


def test_the_formula_is_that_of_a_rod_as_an_ordinary_body():
    """Also for friction in the opposite direction, where the end slides towards the centre."""
    for theta in np.linspace(0.05, 1.5, 15):
        for mu in (0.0, 0.4, 1.3, 3.0):
            assert float(dt.stability.rod(theta, mu).D) == pytest.approx(
                rod_layer(theta, mu)[0, 0], rel=1e-13, abs=1e-13
            )


def test_mass_length_and_inertia_enter_as_in_the_paper():
    theta, mu, m, l, J1 = 0.7, 1.1, 2.5, 0.3, 0.05
    expected = 1 / m + l**2 * np.cos(theta) * (np.cos(theta) - mu * np.sin(theta)) / J1
    assert float(dt.stability.rod(theta, mu, m, l, J1).A) == pytest.approx(expected, rel=1e-14)
    B = dt.stability.rod_drive(theta, 1.7, -3.0, 0.2, m, l, J1)
    expected = l * 1.7**2 * np.sin(theta) - 3.0 / m - l * np.cos(theta) * 0.2 / J1
    assert float(B) == pytest.approx(expected, rel=1e-14)


def test_arrays_give_maps():
    theta, mu = np.linspace(0.1, 1.5, 7)[:, None], np.linspace(-3, 3, 5)
    found = dt.stability.rod(theta, mu)
    assert found.A.shape == found.stable.shape == (7, 5)
    assert found.D[2, 3] == dt.stability.rod(theta[2, 0], mu[3]).D


def test_the_painleve_tip_of_a_free_body_is_found_numerically():
    tip = dt.stability.painleve_tip(rod_layer, 0.0, 0.5 * np.pi)
    assert tip.friction == pytest.approx(4 / 3, abs=1e-6)
    assert np.tan(tip.parameter) == pytest.approx(2.0, abs=1e-6)
    assert dt.stability.rod_tip() == pytest.approx((np.arctan(2.0), 4 / 3), rel=1e-14)


def test_the_tip_moves_with_the_inertia_as_the_closed_form_says():
    theta, mu = dt.stability.rod_tip(m=2.0, l=0.5, J1=0.1)
    assert float(dt.stability.rod(theta, mu, 2.0, 0.5, 0.1).A) == pytest.approx(0.0, abs=1e-14)
    angles = np.linspace(0.01, 1.56, 2000)
    assert np.all(dt.stability.rod(angles, 0.999 * mu, 2.0, 0.5, 0.1).stable)


def test_a_rod_from_a_scene_gives_the_same_layer():
    scene = dt.Scene()
    body = scene.add_body("rod", mass=1.0, inertia=(1 / 3, 1 / 3, 1e-4))  # axis along z
    theta = 1.0
    along = np.array([np.cos(theta), 0, np.sin(theta)])
    rotation = np.column_stack([np.cross([0, 1, 0], along), [0, 1, 0], along])
    contacts = dt.stability.body_contacts(
        body.mass, body.inertia, -along, rotation=rotation, velocity=(-0.2, 0, 0)
    )
    problem = dt.lcp.contact_problem(
        contacts.M, np.zeros(6), contacts.N, contacts.T, contacts.O,
        friction=0.8, slip=contacts.slip,
    )  # fmt: skip
    assert problem.D[0, 0] == pytest.approx(dt.stability.rod(theta, 0.8).D, rel=1e-13)


def test_eigenvalues_of_the_rolling_rod_are_those_of_eq_40():
    angles = np.linspace(0.02, 1.55, 40)
    for m, l, J1, J2 in ((1.0, 1.0, 1 / 3, 1 / 3), (2.0, 0.5, 0.3, 0.2), (0.7, 1.4, 1.0, 0.4)):
        found = dt.stability.rolling_rod(angles[:, None], angles, m, l, J1, J2)
        expected = np.sort(found.published, axis=-1)
        assert np.max(np.abs(found.eigenvalues - expected)) < 1e-12
        cosine = np.cos(angles[:, None]) ** 2 + 0 * angles
        assert np.allclose(
            found.published[..., 2], 1 / m + l**2 * cosine / J2, rtol=rounding(8), atol=0
        )


def test_the_rolling_layer_is_that_of_the_general_contact_problem():
    from dovetail.stability.rod import rolling_jacobian

    rows = rolling_jacobian(0.8, 0.5, 1.2)
    M = np.diag([1.5, 1.5, 1.5, 0.4, 0.3])
    problem = dt.lcp.contact_problem(M, np.zeros(5), rows[:1], rows[1:2], rows[2:], friction=0.6)
    assert np.allclose(
        problem.D, dt.stability.rolling_rod(0.8, 0.5, 1.5, 1.2, 0.4, 0.3).D, rtol=0, atol=1e-13
    )


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: dt.stability.rod(0.5, 0.1, m=0), "`m` of the rod must be > 0 kg, got 0"),
        (lambda: dt.stability.rod(0.5, 0.1, J1=-1.0), r"`J1` .* > 0 kg m\^2, got -1\.0"),
        (lambda: dt.stability.rod(np.nan, 0.1), "`theta` must be finite numbers in rad"),
        (lambda: dt.stability.rod([1, 2, 3], [1, 2]), r"theta\[:, None\]"),
        (lambda: dt.stability.body_contacts(-1.0, (1, 1, 1), (0, 0, 1)), "`mass` must be"),
        (lambda: dt.stability.body_contacts(1.0, (1, 1, 0), (0, 0, 1)), "thin rod needs"),
        (lambda: dt.stability.body_contacts(1.0, (1, 1, 1), (0, 1)), "`points` must be 3"),
        (lambda: dt.stability.body_contacts(1, (1, 1, 1), (0, 0, 1), (0, 0, 0)), "direction"),
        (lambda: dt.stability.contact_case(np.nan, 1.0), "finite"),
    ],
)
def test_mistakes_are_reported_in_a_sentence(call, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        call()
