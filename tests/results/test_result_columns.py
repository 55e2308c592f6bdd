"""What a result answers by name, and which questions it refuses."""

import dataclasses
import json

import h5py
import numpy as np
import pytest

import dovetail as dt
from dovetail.results import bounded_file
from dovetail.results.bounded_file import refuse_unbounded
from dovetail.results.findings import read_findings, write_findings
from dovetail.results.scene_text import scene_from
from dovetail.simulate import simulate
from dovetail.stability.finding import Finding
from jointed_scenes import hanging_rod
from known_runs import Chaotic, Touching, falling_scene, two_bodies


def with_kinematic_bodies():
    scene = two_bodies()
    scene.add_body("cam", motion="kinematic", moves_until=1.0)
    scene.add_body("lid", motion="kinematic", moves_until=1.0)
    return simulate(scene, 0.2, 0.1, integrator=Chaotic())


def test_a_kinematic_body_is_behind_by_its_own_column():
    result = with_kinematic_bodies()
    result.stored.column("kinematic/behind")[:] = [[0, 0], [0.5, 0.25], [0.125, 0]]
    assert result.behind("cam").tolist() == [0, 0.5, 0.125]
    assert result.behind("lid").tolist() == [0, 0.25, 0]
    with pytest.raises(
        dt.InputError, match=r"'hammer' must be a kinematic body .* kind are 'cam', 'lid'; `pos"
    ):
        result.behind("hammer")
    with pytest.raises(dt.InputError, match="bodies of that kind are none"):
        simulate(falling_scene(), 0.1, 0.1).behind("stone")


def test_forces_of_a_joint_are_found_by_its_name():
    scene = hanging_rod()
    result = simulate(scene, 0.02, 0.01, integrator="RATTLie")
    (name,) = scene.joints
    assert result.joint_force(name).shape == result.joint_torque(name).shape == (3, 3)
    assert np.isfinite(result.joint_force(name)).all()
    with pytest.raises(dt.InputError, match=f"no joint 'x' in this result; it has: {name}$"):
        result.joint_force("x")
    with pytest.raises(dt.InputError, match="no joint 'x' in this result; it has: none"):
        simulate(falling_scene(), 0.1, 0.1).joint_torque("x")
    result.stored.column("joints/force")[:] = np.nan
    with pytest.raises(dt.InputError, match="were not recorded by the integrator of this run"):
        result.joint_force(name)


def test_of_many_names_twenty_are_listed():
    scene = dt.Scene()
    for k in range(22):
        scene.add_body(f"b{k}", mass=1, inertia=(1, 1, 1))
    result = simulate(scene, 0.1, 0.1, integrator=Chaotic())
    with pytest.raises(dt.InputError, match=r"it has: b0, .*, b19, \.\.\.$"):
        result.position("x")
    header = result.stored.header
    for count, end in ((20, "j19"), (21, r"j19, \.\.\.")):
        names = tuple(f"j{k}" for k in range(count))
        result.stored.header = dataclasses.replace(header, joint_names=names)
        with pytest.raises(dt.InputError, match=rf"it has: j0, .*, {end}$"):
            result.joint_force("x")
    result.stored.header = header
    assert repr(result).startswith("<Result: 22 bodies, 2 frames to t = 0.1 s, finished")
    assert repr(simulate(falling_scene(), 0.1, 0.1)).startswith("<Result: 1 body, 2 frames")


def test_statistics_have_the_columns_there_are():
    result = simulate(two_bodies(), 0.2, 0.1, Touching(), Chaotic())
    names = {"iterations", "rejected", "residual", "creep", "unsettled", "unconverged", "wall_time"}
    assert set(result.stats) == names
    assert result.stats["residual"].max() > 0
    assert dt.results.Result(result.stored).stats.keys() == names - {"wall_time"}


def test_findings_come_back_and_junk_is_none(tmp_path):
    path = tmp_path / "a.h5"
    found = (Finding(0.5, "inconsistent", ("a", "b"), "why"), Finding(1.0, "unstable", ("c",), ""))
    assert read_findings(path) is None
    write_findings(path, found)
    assert read_findings(path) == found
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5.findings.json"]
    for junk in ("[{}]", "3", "[", '[{"time": 1}]'):
        (tmp_path / "a.h5.findings.json").write_text(junk)
        assert read_findings(path) is None
    (tmp_path / "a.h5.findings.json").write_text(" " * ((1 << 26) + 1))
    assert read_findings(path) is None


def test_a_scene_whose_mesh_or_text_is_lost_says_so():
    scene = dt.Scene()
    ball = dt.Sphere(1.0).surface()
    scene.add_body("ball", dt.Mesh(ball.vertices, ball.faces))
    header = simulate(scene, 0.1, 0.1).stored.header
    assert scene_from(header, "a.h5").bodies["ball"].mass > 0
    ((key, mesh),) = header.meshes.items()
    header.meshes.clear()
    with pytest.raises(dt.InputError, match=f"a.h5: the mesh '{key}' of the scene is missing"):
        scene_from(header, "a.h5")
    header.meshes[key] = mesh
    object.__setattr__(header, "document", json.dumps({"version": 1})[:-1])
    with pytest.raises(dt.InputError, match=r"a\.h5: the scene in it cannot be read"):
        scene_from(header, "a.h5")


@pytest.fixture
def file(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as made:
        yield made


def test_a_file_may_not_announce_far_more_than_its_size(file, monkeypatch):
    monkeypatch.setattr(bounded_file, "SMALL", 8000)
    file.create_dataset("a/b", (500,), "f8", chunks=(10,))
    file.create_dataset("c", (500,), "f8", chunks=(10,))
    refuse_unbounded(file, 0)
    file.create_dataset("d", (1,), "i1")
    with pytest.raises(dt.InputError, match="0 bytes announce more than 8,001 bytes of data"):
        refuse_unbounded(file, 0)
    refuse_unbounded(file, 81)  # 100 times as much


def test_a_file_may_not_have_too_many_or_too_deep_groups(file, monkeypatch):
    file.create_group("/".join("abcdefgh"))
    refuse_unbounded(file, 10**9)
    file.create_group("/".join("abcdefghi"))
    with pytest.raises(dt.InputError, match="nested deeper than 8"):
        refuse_unbounded(file, 10**9)
    del file["a"]
    monkeypatch.setattr(bounded_file, "MAX_OBJECTS", 4)
    for name in "abc":
        file.create_group(name)
    refuse_unbounded(file, 10**9)
    file["again"] = file["a"]  # counted once
    refuse_unbounded(file, 10**9)
    file.create_group("d")
    with pytest.raises(dt.InputError, match="more than 4 groups and datasets"):
        refuse_unbounded(file, 10**9)


def test_links_other_files_and_texts_of_any_length_are_refused(file, tmp_path):
    file["soft"] = h5py.SoftLink("/nowhere")
    with pytest.raises(dt.InputError, match="'soft' is a link"):
        refuse_unbounded(file, 10**9)
    del file["soft"]
    file["text"] = "any length"
    with pytest.raises(dt.InputError, match="'text' has entries of any length"):
        refuse_unbounded(file, 10**9)
    del file["text"]
    file.create_dataset("x", (3,), "f8", external=[(str(tmp_path / "raw"), 0, 24)])
    with pytest.raises(dt.InputError, match="'x' lies in another file"):
        refuse_unbounded(file, 10**9)
