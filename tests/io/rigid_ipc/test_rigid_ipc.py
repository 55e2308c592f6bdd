"""rigid-ipc scenes: what a key means, and what is reported when it is wrong."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail.errors import InputError
from dovetail.io.rigid_ipc import read
from dovetail.io.rigid_ipc.poses import nearest_principal_frame, pose_table
from dovetail.io.safe_paths import MeshFolder
from dovetail.linalg.lie import so3

BRICK = """
v 0 0 0
v 1 0 0
v 1 2 0
v 0 2 0
v 0 0 3
v 1 0 3
v 1 2 3
v 0 2 3
f 1 3 2
f 1 4 3
f 5 6 7
f 5 7 8
f 1 2 6
f 1 6 5
f 3 4 8
f 3 8 7
f 1 5 8
f 1 8 4
f 2 3 7
f 2 7 6
"""


def two_bricks() -> str:
    far = [f"v {x} {y} {z + 10}" for x, y, z in _vertices(BRICK)]
    more = [" ".join(["f", *(str(int(n) + 8) for n in line.split()[1:])]) for line in _faces(BRICK)]
    return "\n".join([BRICK, *far, *more])


def _vertices(text: str) -> list[tuple[float, ...]]:
    return [tuple(map(float, line.split()[1:])) for line in text.split("\n") if line[:1] == "v"]


def _faces(text: str) -> list[str]:
    return [line for line in text.split("\n") if line[:1] == "f"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "brick.obj").write_text(BRICK)
    (tmp_path / "meshes" / "bricks.obj").write_text(two_bricks())
    (tmp_path / "meshes" / "plane.obj").write_text(
        "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nf 1 3 2\nf 1 4 3\n"
    )
    (tmp_path / "fixtures" / "deep").mkdir(parents=True)
    return tmp_path


def load(folder: Path, bodies: list[Any], **top: Any) -> Any:
    problem = {"rigid_bodies": bodies, **top.pop("problem", {})}
    path = folder / "fixtures" / "deep" / "scene.json"
    path.write_text(json.dumps({"rigid_body_problem": problem, **top}))
    return read(path, MeshFolder(path.parent))


def one(folder: Path, **keys: Any) -> Any:
    scene = load(folder, [{"mesh": "brick.obj", **keys}]).scene
    return next(iter(scene.bodies.values()))


def test_a_vertex_is_scaled_then_turned_about_x_y_z_in_degrees_then_moved(folder: Path) -> None:
    body = one(folder, scale=[1, 2, 3], rotation=[90, 0, 90], position=[5, 0, 0])
    # x-turn first: (x, y, z) -> (x, -z, y); then about z: (x, y, z) -> (-y, x, z),
    # which takes the corner (1, 4, 9) of the scaled brick to (9, 1, 4).
    expected = np.array([9.0 + 5.0, 1.0, 4.0])
    world = body.vertices @ body.rotation.T + body.position
    assert np.min(np.linalg.norm(world - expected, axis=1)) < 1e-12


def test_mass_is_volume_times_density_and_the_position_is_the_centre(folder: Path) -> None:
    body = one(folder, density=50, position=[0, 1, 0])
    assert body.mass == pytest.approx(300)
    assert np.allclose(body.position, [0.5, 2, 1.5])
    assert np.allclose(body.inertia, np.diag([13, 10, 5]) * 300 / 12)


def test_dimensions_set_the_extents_and_leave_a_flat_axis_alone(folder: Path) -> None:
    loaded = load(folder, [{"mesh": "plane.obj", "dimensions": [4, 0, 6], "type": "static"}])
    body = loaded.scene.bodies["plane-0"]
    assert np.allclose(np.ptp(body.vertices, axis=0), [4, 0, 6])


def test_angular_velocity_is_in_degrees_and_world_axes(folder: Path) -> None:
    body = one(folder, angular_velocity=[0, 180, 0], linear_velocity=[1, 2, 3], rotation=[90, 0, 0])
    assert np.allclose(body.angular_velocity, [0, np.pi, 0])
    assert np.allclose(body.velocity, [1, 2, 3])


def test_a_torque_is_taken_in_newton_metres(folder: Path) -> None:
    loaded = load(folder, [{"mesh": "brick.obj", "torque": [0, 90, 0], "force": [1, 0, 0]}])
    (load_,) = loaded.scene.loads.values()
    assert np.allclose(load_.torque, [0, 90, 0]) and np.allclose(load_.force, [1, 0, 0])
    assert any("torque" in note for note in loaded.notes)


def test_six_fixed_motions_make_a_body_static_and_fewer_are_kept(folder: Path) -> None:
    bodies = [
        {"mesh": "brick.obj", "is_dof_fixed": True},
        {"mesh": "brick.obj", "is_dof_fixed": [True, False, True, True, True, False]},
        {"mesh": "brick.obj", "type": "static"},
        {"mesh": "brick.obj", "enabled": False},
    ]
    scene = load(folder, bodies).scene
    assert [b.motion for b in scene.bodies.values()] == ["static", "dynamic", "static"]
    assert scene.build().fixed[1].tolist() == [True, False, True, True, True, False]
    assert list(scene.bodies) == ["brick-0", "brick-1", "brick-2"]


def test_a_velocity_along_a_fixed_motion_is_dropped(folder: Path) -> None:
    fixed = [False, True, True, True, True, True]
    loaded = load(
        folder, [{"mesh": "brick.obj", "is_dof_fixed": fixed, "linear_velocity": [1, 2, 3]}]
    )
    assert np.allclose(loaded.scene.bodies["brick-0"].velocity, [1, 0, 0])
    assert any("along fixed motions are dropped" in note for note in loaded.notes)


def test_split_components_become_bodies_of_their_own(folder: Path) -> None:
    entry = {"mesh": "bricks.obj", "rotation": [0, 90, 0], "split_components": True}
    scene = load(folder, [entry]).scene
    assert [b.mass for b in scene.bodies.values()] == pytest.approx([6000, 6000])
    assert np.allclose(
        [b.position for b in scene.bodies.values()], [[1.5, 1, -0.5], [11.5, 1, -0.5]]
    )
    whole = load(folder, [entry | {"split_components": False}]).scene.bodies["bricks-0"]
    assert whole.mass == pytest.approx(12000)


def test_bodies_of_one_group_share_it_and_others_have_none(folder: Path) -> None:
    ids = [0, 0, -1, 3]
    scene = load(folder, [{"mesh": "brick.obj", "group_id": n} for n in ids]).scene
    groups = [body.group for body in scene.build().bodies]
    assert groups[0] == groups[1] != groups[3] and groups[2] is None


def test_a_mesh_in_the_scene_itself_is_read(folder: Path) -> None:
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    scene = load(folder, [{"vertices": corners, "faces": faces, "scale": 2, "density": 6}]).scene
    assert scene.bodies["mesh-0"].mass == pytest.approx(8)


def test_poses_are_reached_at_the_end_of_each_step(folder: Path) -> None:
    poses = [{"position": [0, k, 0], "rotation": [0, 0, 0.1 * k]} for k in (1, 2, 3)]
    entry = {"mesh": "brick.obj", "type": "kinematic", "kinematic_poses": poses}
    scene = load(folder, [entry], timestep=0.5, max_time=5).scene
    (trajectory,) = scene.build().trajectories
    assert trajectory is not None
    assert np.allclose(trajectory.pose(0.0)[0], [0.5, 1, 1.5])
    for k in (1, 2, 3):
        position, rotation = trajectory.pose(0.5 * k)
        assert np.allclose(position, [0, k, 0])
        # moments ascend z, y, x: the principal frame permutes the axes of the brick
        start = trajectory.pose(0.5)[1]
        turn = so3.exp([0, 0, 0.1 * (k - 1)])
        assert np.allclose(rotation, turn @ start)
    assert np.allclose(trajectory.pose(5.0)[0], [0, 3, 0])


def test_after_the_last_pose_the_body_moves_with_its_velocities(folder: Path) -> None:
    entry = {
        "mesh": "brick.obj", "type": "kinematic", "kinematic_poses": [{"position": [0, 0, 7]}],
        "linear_velocity": [1, 0, 0], "angular_velocity": [0, 0, 90],
    }  # fmt: skip
    scene = load(folder, [entry], timestep=0.5, max_time=4).scene
    (trajectory,) = scene.build().trajectories
    assert trajectory is not None
    position, rotation = trajectory.pose(2.5)
    assert np.allclose(position, [2, 0, 7])
    assert np.allclose(rotation @ trajectory.pose(0.5)[1].T, np.diag([-1, -1, 1]))
    stopped = load(folder, [entry | {"kinematic_max_time": 1.5}], timestep=0.5, max_time=4).scene
    (trajectory,) = stopped.build().trajectories
    assert trajectory is not None and np.allclose(trajectory.pose(4.0)[0], [1, 0, 7])


def test_a_kinematic_body_stops_at_its_max_time(folder: Path) -> None:
    entry = {"mesh": "brick.obj", "type": "kinematic", "linear_velocity": [2, 0, 0]}
    scene = load(folder, [entry | {"kinematic_max_time": 3}]).scene
    (trajectory,) = scene.build().trajectories
    assert trajectory is not None and np.allclose(trajectory.pose(9.0)[0], [6.5, 1, 1.5])


@pytest.mark.parametrize("moments", [(1.0, 2.0, 2.5), (1.0, 1.0, 1.5), (1.0, 1.5, 1.5), (1, 1, 1)])
def test_the_nearest_principal_frame_diagonalises_the_inertia(moments: tuple[float, ...]) -> None:
    turn = so3.exp([0.3, -0.9, 1.7])
    inertia = turn @ np.diag(moments) @ turn.T
    hidden = turn @ np.diag([-1.0, 1.0, -1.0])  # a principal frame with other signs
    near = hidden @ so3.exp([0.01, 0.02, -0.015])
    frame = nearest_principal_frame(inertia, near)
    assert np.allclose(frame.T @ inertia @ frame, np.diag(sorted(moments)))
    assert np.linalg.det(frame) == pytest.approx(1)
    assert np.linalg.norm(so3.log(frame.T @ near)) <= np.linalg.norm([0.01, 0.02, 0.015]) + 1e-9


def test_scripted_turns_are_those_of_the_principal_frame() -> None:
    start = so3.exp([0.5, 0.2, -0.3])
    hidden = so3.exp([0.3, -0.9, 1.7])  # principal directions in the body, moments ascending
    inertia = hidden @ np.diag([1.0, 2.0, 2.5]) @ hidden.T
    wanted = [so3.exp([0.01 * k, 0, 0.02 * k]) @ start for k in (1, 2, 3)]
    turns = np.array([so3.log(rotation @ hidden) for rotation in wanted])
    still = (np.zeros(3), np.zeros(3))
    table = pose_table(np.zeros((3, 3)), turns, (np.zeros(3), start), inertia, still, 0.1, 1.0)
    assert np.allclose(table.times, [0, 0.1, 0.2, 0.3])
    assert np.allclose(table.rotations, [start, *wanted])


def test_a_principal_frame_far_away_is_still_a_rotation() -> None:
    random = np.random.default_rng(5)
    for moments in ((1.0, 2.0, 2.5), (1.0, 1.0, 1.5), (1.0, 1.5, 1.5), (1.0, 1.0, 1.0)):
        for _ in range(20):
            inertia_axes, wanted = so3.exp(3 * random.normal(size=(2, 3)))
            inertia = inertia_axes @ np.diag(moments) @ inertia_axes.T
            frame = nearest_principal_frame(inertia, wanted)
            assert np.allclose(frame.T @ frame, np.eye(3)) and np.linalg.det(frame) > 0
            assert np.allclose(frame.T @ inertia @ frame, np.diag(moments))
            signs = [np.diag(s) for s in ((1, -1, -1), (-1, 1, -1), (-1, -1, 1))]
            for sign in signs:  # the other choices of signs are no nearer
                assert np.sum(frame @ sign * wanted) <= np.sum(frame * wanted) + 1e-12


def test_run_settings_follow_the_file(folder: Path) -> None:
    loaded = load(
        folder,
        [],
        timestep=0.03,
        max_time=1.0,
        max_iterations=7,
        problem={"coefficient_friction": 0.3, "gravity": [0, -9.8, 0]},
        distance_barrier_constraint={
            "initial_barrier_activation_distance": 1e-4, "minimum_separation_distance": 0.05,
        },
        friction_constraints={"static_friction_speed_bound": 1e-5, "iterations": -1},
        ipc_solver={"velocity_conv_tol": 1e-6, "is_velocity_conv_tol_abs": True},
    )  # fmt: skip
    assert loaded.run.step == 0.03 and loaded.run.duration == pytest.approx(34 * 0.03)
    assert loaded.run.contact.name == "ipc"
    assert loaded.run.contact.options == {
        "friction": 0.3, "dhat": 1e-4, "min_separation": 0.05, "eps_v": 1e-5,
        "velocity_tolerance": 1e-6,
    }  # fmt: skip
    assert list(loaded.scene.gravity) == [0, -9.8, 0]


@pytest.mark.parametrize("iterations", [1, 5, -1])
def test_friction_is_brought_up_to_date_until_it_converges(folder: Path, iterations: int) -> None:
    problem = {"coefficient_friction": 0.3}
    loaded = load(folder, [], problem=problem, friction_constraints={"iterations": iterations})
    assert loaded.run.contact.options["friction"] == 0.3
    assert "friction_iterations" not in loaded.run.contact.options


def test_a_scene_in_two_dimensions_is_called_so(folder: Path) -> None:
    with pytest.raises(InputError, match=r"2D scene: its `gravity` has two components"):
        load(folder, [], problem={"gravity": [0, -9.8]})
    with pytest.raises(InputError, match=r"2D scene: its `vertices` has two components"):
        load(folder, [{"vertices": [[0, 0], [1, 0], [0, 1]], "edges": [[0, 1]]}])


def test_the_number_of_steps_holds_where_no_time_is_given(folder: Path) -> None:
    assert load(folder, [], max_iterations=7, timestep=0.5).run.duration == 3.5
    assert load(folder, []).run.duration == pytest.approx(10)


def test_comments_and_unknown_keys_are_listed_in_one_note(folder: Path) -> None:
    bodies = [{"mesh": "brick.obj", "#force": [1, 0, 0], "colour": "red"}]
    (note,) = load(folder, bodies, **{"#max_time": 3, "distance_barrier_constraints": {}}).notes
    for key in ("#force", "colour", "#max_time", "distance_barrier_constraints"):
        assert key in note


def test_all_mistakes_are_reported_at_once_with_the_number_of_the_body(folder: Path) -> None:
    bodies = [
        {"mesh": "brick.obj", "density": -1, "position": [0, 0]},
        {"mesh": "missing.obj"},
        {"mesh": "brick.obj", "type": "flying", "is_dof_fixed": [True]},
        {"mesh": "../../../../../etc/hostname"},
        "brick",
    ]
    with pytest.raises(InputError) as error:
        load(folder, bodies, timestep=0, problem={"gravity": "down"})
    reported = "\n".join(error.value.mistakes)
    assert len(error.value.mistakes) >= 9
    for part in ("`density` of rigid_bodies[0]", "`position` of rigid_bodies[0]",
                 "`mesh` of rigid_bodies[1]", "`type` of rigid_bodies[2]",
                 "`is_dof_fixed` of rigid_bodies[2]", "`mesh` of rigid_bodies[3]",
                 "rigid_bodies[4]", "`timestep`", "`gravity`"):  # fmt: skip
        assert part in reported


JUNK: list[Any] = [
    None, True, -1, 0, 1e400, float("nan"), "", "x", [], [1], [[1, 2], 3], {}, {"a": 1},
    [None] * 3, [1e300] * 3, [1e-300] * 3, 1e300, [float("inf")] * 3, 10**400, ["1", "2", "3"],
    [True] * 6,
]  # fmt: skip


@pytest.mark.parametrize("place", ["top", "problem", "body", "sections"])
def test_junk_in_any_field_is_refused_in_words(folder: Path, place: str) -> None:
    keys = {
        "top": ["scene_type", "solver", "timestep", "max_time", "max_iterations",
                "distance_barrier_constraint", "friction_constraints", "ipc_solver"],
        "problem": ["gravity", "coefficient_friction", "coefficient_restitution", "time_stepper",
                    "rigid_bodies"],
        "body": ["mesh", "vertices", "edges", "faces", "position", "rotation", "scale",
                 "dimensions", "linear_velocity", "angular_velocity", "force", "torque", "density",
                 "type", "is_dof_fixed", "group_id", "enabled", "split_components",
                 "kinematic_max_time", "kinematic_poses", "name"],
        "sections": ["initial_barrier_activation_distance", "iterations", "velocity_conv_tol"],
    }[place]  # fmt: skip
    for key in keys:
        for junk in JUNK:
            for kind in ("dynamic", "kinematic") if "kinematic" in key else ("dynamic",):
                body = {"mesh": "brick.obj", "type": kind}
                top: dict[str, Any] = {"problem": {"rigid_bodies": [body]}}
                if place == "body":
                    body[key] = junk
                elif place == "problem":
                    top["problem"][key] = junk
                elif place == "top":
                    top[key] = junk
                else:
                    for name in ("distance_barrier_constraint", "friction_constraints"):
                        top[name] = {key: junk}
                    top["ipc_solver"] = {key: junk}
                with suppress(InputError):  # and nothing else
                    load(folder, [body], **top)
