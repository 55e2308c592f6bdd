"""Forces and couples of the recorded contacts are those that moved the bodies."""

import h5py
import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.verifier.impulse_balance import impulse_defect
from rigid_ipc_fixtures import run_fixture

WEDGE = np.array(
    [[-1, 0, 0], [1, 0, 0], [-1, 0.5, -1], [1, 0.5, -1], [-1, -0.5, -1], [1, -0.5, -1.0]]
)


def wedge():
    made = ConvexHull(WEDGE)
    a, b, c = (WEDGE[made.simplices[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - WEDGE.mean(axis=0)) < 0
    faces = np.where(inward[:, None], made.simplices[:, ::-1], made.simplices)
    return dt.Mesh(WEDGE, faces=faces)


def moment_defect(result, name, with_couples=True):
    """(frames - 2, 3) [N m]: what turned a body in each step less the moment of its contacts.

    Implicit Euler on R: 2 vee(R J R^T) = h^2 moment, R^ = R_0 + h R'_0 (Ferguson et al., eq. 9).
    R'_0 is (R_0 - R_-1)/h, or that of the recorded spin where an impact has changed it; the change
    is I (spin after - spin before), with the spin log(R_1 R_0^T)/h before.
    """
    k = result.names.index(name)
    inertia = result.stored.header.inertia[k]
    J = np.trace(inertia) / 2 * np.eye(3) - inertia
    R, x, spin = result.rotation(name), result.position(name), result.angular_velocity(name)
    h = np.diff(result.time)
    before = Rotation.from_matrix(R[1:] @ R[:-1].transpose(0, 2, 1)).as_rotvec() / h[:, None]
    changed = np.abs(spin[1:] - before).max(axis=1) > 1e-12 * np.abs(spin).max()
    defect = []
    for f in range(2, len(R)):
        rate = (R[f - 1] - R[f - 2]) / h[f - 2]
        if changed[f - 2]:
            rate = np.cross(spin[f - 1], R[f - 1], axisb=0).T
        S = R[f] @ J @ (R[f - 1] + h[f - 1] * rate).T
        turned = np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / h[f - 1] ** 2
        turned += R[f] @ inertia @ R[f].T @ (spin[f] - before[f - 1]) / h[f - 1]
        seen, moment = result.contacts.at(f), np.zeros(3)
        for side, sign in ((0, 1.0), (1, -1.0)):
            mine = seen.bodies[:, side] == k
            arms = seen.points[mine] - x[f]
            moment += sign * np.cross(arms, seen.forces[mine]).sum(axis=0)
            if with_couples:
                moment += sign * seen.torques[mine].sum(axis=0)
        defect.append(turned - moment)
    return np.array(defect)


def test_nearly_parallel_edges_turn_each_other_by_the_couples_that_are_recorded():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("lower", wedge(), motion="static")
    over = Rotation.from_euler("xz", [np.pi, 0.02]).as_matrix()  # mollified below 0.032 rad
    scene.add_body("upper", wedge(), density=1000, position=(0, 0, 2e-3), rotation=over)
    result = dt.simulate(scene, 0.05, 0.002, dt.contact.IPC(dhat=1e-3, velocity_tolerance=1e-9))
    couples = max(np.abs(result.contacts.at(f).torques).max(initial=0) for f in range(26))
    assert couples > 1.0
    assert np.abs(moment_defect(result, "upper", with_couples=False)).max() > 0.1 * couples
    assert np.abs(moment_defect(result, "upper")).max() < 1e-4 * couples


def slope(mu, tolerance=1e-8):
    scene = dt.Scene(gravity=(9.81 * np.sin(0.3), 0, -9.81 * np.cos(0.3)))
    scene.add_body("floor", dt.Box((20, 4, 0.2)), position=(0, 0, -0.1), motion="static")
    scene.add_body("block", dt.Box((0.4, 0.4, 0.4)), mass=2, position=(0, 0, 0.2009))
    law = dt.contact.IPC(friction=mu, dhat=1e-3, velocity_tolerance=tolerance)
    return dt.simulate(scene, 0.4, 0.01, law)


@pytest.mark.parametrize("mu", [0.2, 0.5])
def test_recorded_forces_include_friction_and_make_the_change_of_momentum(mu):
    result = slope(mu)
    assert np.abs(impulse_defect(result)[5:]).max() < 1e-4 * 2 * 9.81 * 0.01
    last = result.contacts.at(-1)
    along = (last.forces * last.normals).sum(axis=1)
    friction = last.forces - along[:, None] * last.normals
    total, pressed = np.linalg.norm(friction.sum(axis=0)), along.sum()
    expected = min(mu * pressed, 2 * 9.81 * np.sin(0.3))  # slides, or is held
    assert total == pytest.approx(expected, rel=1e-3)
    assert np.all(np.linalg.norm(friction, axis=1) <= (1 + 1e-6) * mu * along)


def test_creep_and_unsettled_friction_are_recorded_with_each_frame(tmp_path):
    held = slope(0.5)
    assert held.stats["creep"].shape == held.time.shape
    assert held.stats["creep"][1:6].max() > 1e-9  # while its contacts bend
    assert held.stats["creep"][-1] < 1e-9  # at rest
    assert held.stats["unsettled"].sum() == 0
    held.save(tmp_path / "held.h5")
    again = dt.load(tmp_path / "held.h5")
    np.testing.assert_array_equal(again.stats["creep"], held.stats["creep"])
    np.testing.assert_array_equal(again.contacts.at(-1).torques, held.contacts.at(-1).torques)


def test_a_file_from_before_these_columns_is_still_read(tmp_path):
    slope(0.5).save(tmp_path / "old.h5")
    with h5py.File(tmp_path / "old.h5", "r+") as file:
        for path in ("contacts/torques", "stats/creep", "stats/unsettled", "run/checksums"):
            del file[path]
    result = dt.load(tmp_path / "old.h5")
    assert set(result.stats) >= {"iterations", "residual"}
    assert "creep" not in result.stats
    assert not result.contacts.at(-1).torques.any()
    assert result.contacts.at(-1).torques.shape == result.contacts.at(-1).forces.shape


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("restitution", [None, 0.0])
def test_gears_are_turned_by_the_forces_and_couples_that_are_recorded(restitution):
    fine = {"ipc_solver": {"is_velocity_conv_tol_abs": True, "velocity_conv_tol": 1e-8}}
    fine["restitution"] = restitution
    result = run_fixture("mechanisms/gears/single", 60, patch=fine).result
    axis = 2  # the only direction in which these gears can move
    moments, defects = [], []
    for name in ("gear-2", "gear-4"):
        assert result.scene.bodies[name].checked.fixed == (True,) * 5 + (False,)
        defects.append(moment_defect(result, name)[:, axis])
        k, x = result.names.index(name), result.position(name)[0]
        for f in range(2, len(result.time)):
            seen = result.contacts.at(f)
            mine = np.any(seen.bodies == k, axis=1)
            moments.append(np.abs(np.cross(seen.points[mine] - x, seen.forces[mine])).sum())
    assert max(moments) > 10.0
    assert np.abs(defects).max() < 1e-5 * max(moments)
