"""Contact at acceleration level: Newton-Euler and Coulomb's law hold contact by contact."""

import numpy as np
import pytest

import dovetail as dt


def random_system(random, sliding, rolling, n=8, constraints=0):
    p = sliding + rolling
    half = random.normal(size=(n, n))
    slip = np.zeros((p, 2))
    slip[random.permutation(p)[:sliding]] = random.normal(size=(sliding, 2))
    angle = random.uniform(0, np.pi / 2, p)
    return {
        "M": half @ half.T + np.eye(n),
        "force": 3 * random.normal(size=n),
        "N": random.normal(size=(p, n)),
        "T": random.normal(size=(p, n)),
        "O": random.normal(size=(p, n)),
        "friction": random.uniform(0.1, 0.7, p),
        "slip": slip,
        "bias": random.normal(size=(p, 3)),
        "shares": np.column_stack([np.cos(angle), np.sin(angle)]),
        "constraints": random.normal(size=(constraints, n)) if constraints else None,
        "constraint_bias": random.normal(size=constraints) if constraints else None,
    }


def assert_mechanics_holds(system, problem, motion):
    """M qdd = f + N' l_N + T' l_T + O' l_O (+ G' nu), and Coulomb at each contact."""
    N, T, O = system["N"], system["T"], system["O"]
    force = N.T @ motion.normal_force
    force += T.T @ motion.tangent_force[:, 0] + O.T @ motion.tangent_force[:, 1]
    joints = 0.0
    if system["constraints"] is not None:
        G = system["constraints"]
        joints = G.T @ motion.constraint_force
        assert np.allclose(G @ motion.acceleration, -system["constraint_bias"], atol=1e-9)
    residual = system["M"] @ motion.acceleration - system["force"] - force - joints
    assert np.max(np.abs(residual)) < 1e-9 * (1 + np.max(np.abs(force)))
    tolerance = 1e-9 * (1 + np.max(np.abs(motion.acceleration)) + np.max(np.abs(force)))
    for i in range(len(N)):
        pressing, pull = motion.normal_force[i], motion.tangent_force[i]
        a_n = N[i] @ motion.acceleration + system["bias"][i, 0]
        assert pressing >= 0
        assert a_n >= -tolerance
        assert min(pressing, abs(a_n)) < tolerance
        mu = system["friction"][i]
        speed = np.linalg.norm(system["slip"][i])
        assert problem.is_sliding[i] == (speed > 0)
        assert np.linalg.norm(pull) <= mu * pressing * np.sqrt(1 + 1e-9) + tolerance
        if speed > 0:
            assert np.allclose(pull, -mu * pressing * system["slip"][i] / speed, atol=tolerance)
            continue
        for row, bias, share, value in zip(
            (T[i], O[i]), system["bias"][i, 1:], system["shares"][i], pull
        ):
            a_t = row @ motion.acceleration + bias
            limit = mu * share * pressing
            assert abs(value) <= limit + tolerance
            if abs(a_t) > tolerance:  # it starts to slip: full friction against the slip
                assert abs(value + np.sign(a_t) * limit) < tolerance


@pytest.mark.parametrize("constraints", [0, 2])
def test_newton_euler_and_coulomb_hold_for_mixed_sliding_and_rolling_contacts(constraints):
    random = np.random.default_rng(11)
    touching = mixed = 0
    for _ in range(200):
        sliding, rolling = (int(k) for k in random.integers(0, 4, 2))
        if sliding + rolling == 0:
            continue
        system = random_system(random, sliding, rolling, n=14, constraints=constraints)
        problem = dt.lcp.contact_problem(**system)
        found = dt.lcp.solve(problem.A, problem.b)
        if not found.solved:
            assert found.has_none or len(problem.b) > 16
            continue
        motion = problem.motion(found.x)
        assert found.residual < 1e-10
        assert_mechanics_holds(system, problem, motion)
        pressed = motion.normal_force > 0
        touching += int(pressed.any())
        mixed += int((pressed & problem.is_sliding).any() and (pressed & ~problem.is_sliding).any())
    assert touching > 100
    assert mixed > 30


def test_sliding_and_rolling_contacts_feel_each_other():
    """The printed matrix of eq. 16 has zeros here; only a diagonal inertia could make them so."""
    system = random_system(np.random.default_rng(0), 1, 1)
    A = dt.lcp.contact_problem(**system).A
    W = np.linalg.inv(system["M"])
    slides = int(np.flatnonzero(system["slip"].any(axis=1))[0])
    rolls = 1 - slides
    mu_t, mu_o = system["friction"][rolls] * system["shares"][rolls]
    pressed = system["N"][rolls] - mu_t * system["T"][rolls] - mu_o * system["O"][rolls]
    assert A[0, 1] == pytest.approx(system["N"][slides] @ W @ pressed, abs=1e-14)
    assert A[1, 0] != 0
    assert np.array_equal(A[2:4, 4:6], np.eye(2))  # each tangent its own slack acceleration


@pytest.mark.parametrize("slope", [0.2, 0.5, 0.9, 1.2])
def test_a_ball_on_a_slope_rolls_up_to_the_limit_of_friction_and_slips_beyond(slope):
    """5/7 g sin(a) while tan(a) <= 7/2 mu, else g (sin(a) - mu cos(a))."""
    g, mu, radius, mass = 9.81, 0.4, 0.1, 2.0
    inertia = 0.4 * mass * radius**2
    contacts = dt.stability.body_contacts(
        mass, (inertia,) * 3, (0, 0, -radius), (0, 0, 1), tangents=(1, 0, 0)
    )
    pull = mass * g * np.array([np.sin(slope), 0, -np.cos(slope), 0, 0, 0])
    problem = dt.lcp.contact_problem(
        contacts.M, pull, contacts.N, contacts.T, contacts.O, friction=mu, shares=[[1, 0]]
    )
    motion = problem.motion(dt.lcp.solve(problem.A, problem.b).x)
    rolls = np.tan(slope) <= 3.5 * mu
    slipping = g * (np.sin(slope) - mu * np.cos(slope))
    expected = 5 / 7 * g * np.sin(slope) if rolls else slipping
    assert motion.acceleration[0] == pytest.approx(expected, rel=1e-12)
    assert motion.normal_force[0] == pytest.approx(mass * g * np.cos(slope), rel=1e-12)
    assert (abs(motion.contact_acceleration[0, 1]) < 1e-12) == rolls


def test_a_plane_mechanism_needs_one_tangent_only():
    problem = dt.lcp.contact_problem(
        np.eye(2), [0.3, -9.81], [[0.0, 1.0]], [[1.0, 0.0]], friction=0.5
    )
    motion = problem.motion(dt.lcp.solve(problem.A, problem.b).x)
    assert motion.normal_force == pytest.approx([9.81])
    assert motion.tangent_force == pytest.approx(np.array([[-0.3]]))
    assert np.allclose(motion.acceleration, 0.0, atol=1e-14)


MASS, LOAD, ROW = np.eye(3), np.zeros(3), np.array([[0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"friction": -0.1}, r"`friction` of contact 0 must be >= 0, got -0\.1"),
        ({"friction": [0.1, 0.2]}, r"`friction` must be one number or 1, got shape \(2,\)"),
        ({"M": np.diag([1.0, 0.0, 1.0])}, "`M` must be positive definite, got 0 .* at 1"),
        ({"M": np.ones((3, 3))}, "singular or indefinite"),
        ({"M": np.triu(np.ones((3, 3)))}, "`M` must be symmetric"),
        ({"T": np.ones((2, 3))}, r"`T` must have shape \(1, 3\), got shape \(2, 3\)"),
        ({"force": [0, np.nan, 0]}, "`force` must be finite"),
        ({"shares": [[1.0, 1.0]]}, "squares that add up to at most 1"),
        (
            {"constraints": [[1, 0, 0], [1, 0, 0]], "constraint_bias": [0.0, 1.0]},
            "must not contradict each other",
        ),
    ],
)
def test_mistakes_are_reported_in_a_sentence(changes, sentence):
    given = {"M": MASS, "force": LOAD, "N": ROW, "T": ROW, "O": ROW} | changes
    with pytest.raises(dt.InputError, match=sentence):
        dt.lcp.contact_problem(**given)


def test_constraints_that_repeat_each_other_are_accepted():
    once = dt.lcp.contact_problem(MASS, LOAD, ROW, ROW, constraints=[[1, 0, 0]])
    twice = dt.lcp.contact_problem(MASS, LOAD, ROW, ROW, constraints=[[1, 0, 0], [2, 0, 0]])
    assert np.allclose(once.A, twice.A, atol=1e-14)
