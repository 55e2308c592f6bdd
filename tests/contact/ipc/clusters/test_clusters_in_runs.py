"""Bodies that stay apart in a step are solved apart, and nothing else is different."""

import numpy as np
import pytest

import dovetail as dt
from contact_clusters import cluster_scene
from dovetail.contact.ipc.clusters import solver as clusters
from dovetail.contact.ipc.solver import IpcSolver
from dovetail.integrators import ImplicitEuler
from dovetail.runtime.parallel import VARIABLE
from dovetail.verifier.certificate import certify

H, DHAT, COUNT = 0.005, 2e-4, 8
BODIES = COUNT + 6  # of a pit, its walls among them
FIELDS = ("x", "R", "v", "omega")


def pits(numbers, shift=1.0):
    """Eight boxes that fall on a plate in each of the pits `numbers`, `shift` metres apart."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    for n in numbers:
        rng, x = np.random.default_rng(n), shift * n
        walls = [((0.8, 0.8, 0.2), (0, 0, -0.1))]
        walls += [((0.1, 0.6, 0.6), (s * 0.2, 0, 0.3)) for s in (-1, 1)]
        walls += [((0.6, 0.1, 0.6), (0, s * 0.2, 0.3)) for s in (-1, 1)]
        for k, (size, at) in enumerate(walls):
            place = np.add(at, (x, 0, 0))
            scene.add_body(f"wall {n}.{k}", dt.Box(size), motion="static", position=place)
        for k in range(COUNT):
            turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            turn *= np.linalg.det(turn)
            at = 0.14 * np.array([k % 2 - 0.5, k // 2 % 2 - 0.5, k // 4 + 0.6]) + (x, 0, 0)
            scene.add_body(
                f"box {n}.{k}", dt.Box((0.1, 0.08, 0.07)), density=1000, position=at, rotation=turn
            )
        scene.add_body(  # lies there from the start: a cluster has something that touches
            f"plate {n}", dt.Box((0.02, 0.02, 0.01)), density=1000,
            position=(x - 0.13, -0.13, 0.005 + 0.5 * DHAT),
        )  # fmt: skip
    return scene


def stepper_of(scene, **options):
    options = {"friction": 0.5, "dhat": DHAT, "restitution": None} | options
    return ImplicitEuler().start(scene.build(), dt.contact.IPC(**options))


def problems(stepper):
    return problems_of(stepper._solver.solver)


def problems_of(solver):
    return solver._problems


def states(stepper, steps):
    rows = []
    for k in range(steps):
        stepper.step((k + 1) * H)
        rows.append([getattr(stepper.bodies, name).copy() for name in FIELDS])
    return rows


def same(ours, theirs, part=slice(None)):
    return all(
        np.array_equal(a[part], b) for x, y in zip(ours, theirs) for a, b in zip(x, y)
    )  # fmt: skip


def test_a_pit_beside_others_moves_to_the_bit_as_alone_and_takes_no_more_iterations():
    together, bodies, counts = stepper_of(pits(range(3))), BODIES, []
    rows = []
    for k in range(30):
        together.step((k + 1) * H)
        rows.append([getattr(together.bodies, name).copy() for name in FIELDS])
        counts.append([one.outcome.iterations for one in problems(together)])
    assert np.shape(counts) == (30, 3) and np.max(counts) > 20
    for n in range(3):
        alone, mine = stepper_of(pits([n])), []
        for k in range(30):
            mine.append(alone.step((k + 1) * H).iterations)
            part = slice(bodies * n, bodies * (n + 1))
            now = [getattr(alone.bodies, name) for name in FIELDS]
            assert same([rows[k]], [now], part), (n, k)
        assert mine == [each[n] for each in counts]


@pytest.mark.parametrize("threads", ["2", "4"])
def test_any_number_of_threads_gives_the_same_bits(monkeypatch, threads):
    monkeypatch.setenv(VARIABLE, "1")
    one = states(stepper_of(pits(range(3))), 25)
    monkeypatch.setenv(VARIABLE, threads)
    assert same(states(stepper_of(pits(range(3))), 25), one)


def test_one_pile_is_solved_as_before():
    stepper = stepper_of(pits([0, 1], shift=0.4))  # one wall is between them
    for k in range(20):
        stepper.step((k + 1) * H)
        assert problems(stepper) == []


@pytest.mark.parametrize("restitution", [None, 0.5])
def test_a_restored_run_of_clusters_goes_on_to_the_same_bits(restitution):
    run = stepper_of(pits(range(2)), restitution=restitution)
    states(run, 18)
    kept = run.snapshot()
    other = stepper_of(pits(range(2)), restitution=restitution)
    other.restore(kept)
    for k in range(18, 26):
        run.step((k + 1) * H)
        other.step((k + 1) * H)
        now, then = ([getattr(one.bodies, name) for name in FIELDS] for one in (run, other))
        assert same([now], [then]), k
        np.testing.assert_array_equal(run.waypoints()[0], other.waypoints()[0])
        ours, theirs = run.observe().contact, other.observe().contact
        np.testing.assert_array_equal(ours.contacts.forces, theirs.contacts.forces)
        assert ours.energy == theirs.energy


def test_contacts_of_clusters_are_those_that_all_bodies_together_find():
    stepper = stepper_of(pits(range(3)))
    states(stepper, 25)
    solver = stepper._solver.solver
    ours = solver.contacts(H)
    assert len(problems(stepper)) == 3 and len(ours[0]) > 10
    away = stepper.bodies.x.copy()
    theirs = IpcSolver.contacts(together_again(solver), H)
    for column in (slice(0, 8), slice(11, 12)):  # friction is known to the clusters only
        np.testing.assert_array_equal(ours[0][:, column], theirs[0][:, column])
    assert ours[1] == pytest.approx(theirs[1], rel=1e-12) and ours[2] == theirs[2]
    np.testing.assert_array_equal(away, stepper.bodies.x)


def together_again(solver):
    """The solver, as where bodies have left their clusters."""
    solver._failed = problems_of(solver)[0]
    return solver


def test_the_path_of_a_step_stays_known_when_poses_are_changed_after_it():
    stepper = stepper_of(pits(range(2)))
    stepper.bodies.omega[...] = (60.0, 30.0, -60.0)  # or the direct path would be free
    for k in range(40):
        stepper.step((k + 1) * H)
        passed = stepper.waypoints()
        if len(passed[0]):
            break
    assert len(passed[0]) and len(problems(stepper)) == 2
    solver, x, box = stepper._solver.solver, stepper.bodies.x, BODIES - 2
    before = x[box].copy()
    x[box] += (0, 0, 5.0)  # as an event may
    solver.contacts(H)
    x[box] = before
    for ours, known in zip(stepper.waypoints(), passed):
        np.testing.assert_array_equal(ours, known)


def test_a_pit_beside_another_reports_the_contacts_that_it_has_alone():
    together, alone = stepper_of(pits(range(2))), stepper_of(pits([1]))
    states(together, 25)
    states(alone, 25)
    ours, theirs = (one.observe().contact.contacts for one in (together, alone))
    mine = (ours.bodies >= BODIES).all(axis=1)
    assert len(theirs.gaps) > 5 and np.abs(theirs.forces).max() > 0
    np.testing.assert_array_equal(ours.bodies[mine] - BODIES, theirs.bodies)
    for name in ("points", "normals", "forces", "gaps", "torques"):
        np.testing.assert_array_equal(getattr(ours, name)[mine], getattr(theirs, name))


GAPS = 0.1 + 0.5 * DHAT  # from cube to cube of a row, which touch


def rows_and_striker(way):
    """Two rows of cubes of 0.1 m, 0.3 m apart, and a heavy one that goes `way` [m] in a step."""
    scene = dt.Scene()
    for row, begin in (("near", 0.0), ("far", GAPS * COUNT + 0.3)):
        for k in range(COUNT):
            scene.add_body(
                f"{row} {k}",
                dt.Box((0.1, 0.1, 0.1)),
                density=1.0,
                position=(begin + GAPS * k, 0, 0),
            )
    scene.add_body(
        "striker", dt.Box((0.1, 0.1, 0.1)), density=1e6, position=(-0.12, 0, 0),
        velocity=(way / H, 0, 0),
    )  # fmt: skip
    return scene


@pytest.mark.parametrize(("way", "count"), [(0.05, 2), (0.5, 1)])
def test_a_row_that_is_pushed_into_another_cluster_in_a_step_does_not_pass_through_it(
    way, count, tmp_path
):
    """The striker's own path ends 0.6 m before the far row; the row in front of it does not."""
    scene, options = rows_and_striker(way), {"dhat": DHAT, "restitution": None}
    result = dt.simulate(
        scene, H, H, dt.contact.IPC(**options), progress=False, out=tmp_path / "row.h5"
    )
    assert certify(result).verdict == "free"
    far = [result.position(f"far {k}")[-1][0] for k in range(COUNT)]
    assert (np.diff(far) > 0.1).all() and far[0] - result.position("near 7")[-1][0] > 0.1
    stepper = stepper_of(scene, friction=0.0)
    stepper.step(H)
    assert max(len(problems(stepper)), 1) == count


@pytest.mark.parametrize("seed", [4, 23])
def test_bodies_thrown_out_of_their_cluster_are_solved_again_with_what_they_meet(
    seed, monkeypatch, tmp_path
):
    wider, known = [], clusters.widened

    def counted(balls, moved):
        found = known(balls, moved)
        wider.append(found[1])
        return found

    monkeypatch.setattr(clusters, "widened", counted)
    case = cluster_scene(seed)
    result = dt.simulate(
        case.scene, case.duration, case.step, dt.contact.IPC(**case.options), progress=False,
        out=tmp_path / "run.h5",
    )  # fmt: skip
    assert any(wider) and not all(wider)
    assert certify(result).verdict == "free"


def test_a_step_that_fails_leaves_all_clusters_as_they_were():
    stepper = stepper_of(pits(range(2)), max_newton_iterations=3)
    solver = stepper._solver.solver
    for _ in range(40):
        before = [getattr(stepper.bodies, name).copy() for name in FIELDS]
        pairs = solver.pairs_snapshot()
        outcome = solver.step(H, *stepper._solver._accuracy)
        if outcome.status != 0:
            break
    assert outcome.status != 0
    assert same([before], [[getattr(stepper.bodies, name) for name in FIELDS]])
    np.testing.assert_array_equal(pairs["pairs"], solver.pairs_snapshot()["pairs"])
    a, b = solver.body_pair(max(outcome.limiting_pair, 0))
    assert 0 <= a < b < len(stepper.bodies.x)


def test_a_driven_plane_below_two_heaps_meets_both():
    """It has no size, and everything stands on it: such scenes are one problem."""
    step, dhat = 0.005, 2e-4
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="kinematic", velocity=(0, 0, 0.1))
    for heap in range(2):
        for k in range(8):
            place = (5 + 4 * heap + 0.11 * k, 0, 0.05 + 0.5 * dhat)
            scene.add_body(f"b{heap}.{k}", dt.Box((0.1, 0.1, 0.1)), density=1000, position=place)
    contact = dt.contact.IPC(friction=0.0, dhat=dhat)
    result = dt.simulate(scene, 4 * step, step, contact, progress=False)
    lowest = result.position("b1.7")[:, 2] - 0.05 - result.position("floor")[:, 2]
    assert lowest.min() > 0.0
    assert certify(result).verdict == "free"
