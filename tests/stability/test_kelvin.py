"""The stiff Kelvin contact follows the rigid model exactly where the verdict is stable."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.stability.wedged_body import WEIGHT, sliding_force_rows, wedged_body

STIFFER = (1e-4, 1e-5, 1e-6)


@pytest.mark.parametrize(("theta", "mu"), [(1.1, 0.5), (0.6, 1.3), (np.arctan(2.0), -2.0)])
def test_the_compliant_rod_tends_to_the_rigid_one_where_contact_is_stable(theta, mu):
    """The distance shrinks like eps, down to the spring's own compression."""
    assert dt.stability.boundary_layer(dt.stability.rod(theta, mu).D).stable
    runs = [dt.stability.kelvin_rod(theta, mu, eps, 0.05) for eps in STIFFER]
    distances = np.array([run.deviation for run in runs])
    assert np.all(distances[1:] < 0.2 * distances[:-1])
    assert runs[-1].force_error < 1e-3 * abs(runs[-1].rigid_force[-1, 0])


def test_the_compliant_rod_leaves_the_rigid_one_where_contact_is_unstable():
    """Two solutions: the contact one, unstable, is left the sooner the stiffer the spring.

    A force that starts 1 % off grows like the layer's own motion,
    0.01 (s1 e^(s2 tau) (1 + s2) - s2 e^(s1 tau) (1 + s1)) / (s1 - s2), tau = t / sqrt(eps).
    """
    theta, mu, rate = np.arctan(2.0), 1.8, 4.0
    layer = dt.stability.boundary_layer(dt.stability.rod(theta, mu).D)
    assert not layer.stable
    s2, s1 = np.sort(layer.rates.real)
    tau = np.linspace(0, 6, 6001)
    grown = s1 * np.exp(s2 * tau) * (1 + s2) - s2 * np.exp(s1 * tau) * (1 + s1)
    expected = tau[np.argmax(0.01 * grown / (s1 - s2) > 1)]
    away = []
    for eps in (1e-5, 1e-6, 1e-8, 1e-10):
        run = dt.stability.kelvin_rod(theta, mu, eps, 6 * np.sqrt(eps), rate, frames=200)
        far = np.abs(run.force - run.rigid_force)[:, 0] > run.rigid_force[0, 0]
        assert far.any()
        away.append(run.time[np.argmax(far)])
    assert away == sorted(away, reverse=True)
    assert away[-1] / 1e-5 == pytest.approx(expected, rel=0.02)


def test_compliant_contacts_of_a_wedged_body_converge_where_the_paper_denies_it():
    """Complex eigenvalues and enough damping: exact stable, the paper's test not."""
    contacts, problem = wedged_body()
    pressed = dt.lcp.solve(problem.A, problem.b).x
    assert np.all(pressed > 1.0)
    layer = dt.stability.boundary_layer(problem.D, c=2.0)
    assert layer.stable and not layer.positive_definite and not layer.agree
    runs = [run_wedged(contacts, eps, 2.0) for eps in STIFFER]
    distances = np.array([run.deviation for run in runs])
    assert np.all(distances[1:] < 0.12 * distances[:-1])
    assert np.allclose(runs[-1].force[-1], pressed, rtol=1e-6)
    assert np.allclose(runs[-1].rigid_force[-1], pressed, rtol=1e-10)


def test_the_same_body_with_less_damping_leaves_although_its_matrix_is_positive():
    """x.D x > 0 for all x, which the paper's theorem 1 would have be enough; it is not."""
    contacts, problem = wedged_body()
    layer = dt.stability.boundary_layer(problem.D, c=0.5)
    assert layer.symmetric_part_positive_definite
    assert not layer.stable
    runs = [run_wedged(contacts, eps, 0.5) for eps in STIFFER]
    growth = np.max(layer.rates.real)
    for run in runs:
        errors = np.max(np.abs(run.force - run.rigid_force), axis=1)
        late = errors[-1] / errors[len(errors) // 2]
        expected = growth * 0.5 * run.time[-1] / np.sqrt(run.eps)
        assert np.log(late) == pytest.approx(expected, rel=0.15, abs=1.0)
    assert runs[0].deviation < runs[1].deviation < runs[2].deviation


def run_wedged(contacts, eps, c):
    rows = sliding_force_rows(contacts)
    return dt.stability.kelvin_run(contacts.M, contacts.N, rows, WEIGHT, eps, 0.5, c=c)


def test_a_mistake_is_reported_in_a_sentence():
    with pytest.raises(dt.InputError, match=r"`eps` must be a number > 0, got -1\.0"):
        dt.stability.kelvin_rod(1.0, 0.1, -1.0, 1.0)
    with pytest.raises(dt.InputError, match="must have a contact force -B/A > 0"):
        dt.stability.kelvin_rod(np.arctan(2.0), 2.0, 1e-4, 1.0)
