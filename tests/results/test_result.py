"""What a result contains, in memory and from its file."""

import hashlib

import h5py
import numpy as np
import pytest

import dovetail as dt
from dovetail.results import EventRecord
from dovetail.simulate import Event, simulate
from known_runs import Chaotic, Touching, falling_scene, two_bodies
from rounding import rounding


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def touching_run(**options):
    return simulate(two_bodies(), 1.0, 0.01, Touching(), Chaotic(), **options)


def test_saving_a_run_from_memory_gives_the_bytes_of_a_run_to_a_file(tmp_path):
    event = Event("half", lambda t, s: t - 0.5)
    touching_run(events=event).save(tmp_path / "saved.h5")
    touching_run(events=event, out=tmp_path / "run.h5")
    assert digest(tmp_path / "saved.h5") == digest(tmp_path / "run.h5")


def test_the_same_scene_gives_the_same_bytes(tmp_path):
    for name in ("one.h5", "two.h5"):
        simulate(falling_scene(), 1.0, 0.01, out=tmp_path / name)
    assert digest(tmp_path / "one.h5") == digest(tmp_path / "two.h5")


def test_a_file_gives_back_what_the_run_had(tmp_path):
    ran = touching_run(events=Event("half", lambda t, s: t - 0.5))
    ran.save(tmp_path / "a.h5")
    read = dt.load(tmp_path / "a.h5")
    assert read.names == ran.names == ("anvil", "hammer")
    assert np.array_equal(read.time, ran.time)
    for what in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(read, what)("hammer"), getattr(ran, what)("hammer"))
    for table in ("energy", "momentum", "constraint_violation"):
        old, new = getattr(ran, table), getattr(read, table)
        assert all(np.array_equal(old[k], new[k]) for k in old) and old.keys() == new.keys()
    assert np.array_equal(read.min_distance, ran.min_distance)
    assert read.events == ran.events == (EventRecord("half", 0.5),)
    assert read.scene.bodies["hammer"].mass == 1.0
    assert np.array_equal(read.scene.bodies["hammer"].position, [0.3, 0.2, 0.4])
    assert repr(read) == "<Result: 2 bodies, 101 frames to t = 1 s, finished>"


def test_contacts_belong_to_their_frame(tmp_path):
    ran = touching_run()
    ran.save(tmp_path / "a.h5")
    for result in (ran, dt.load(tmp_path / "a.h5")):
        count = result.contacts.count
        assert count.max() == 5 and count.min() == 0
        for frame in (0, 17, 100, -1):
            found = result.contacts.at(frame)
            m = count[frame]
            assert found.bodies.shape == (m, 2) and found.forces.shape == (m, 3)
            assert np.array_equal(found.normals, -found.points)
            assert result.energy["contact"][frame] == 0.25 * m
        with pytest.raises(dt.InputError, match="`frame` must be from 0 to 100, got 101"):
            result.contacts.at(101)


def test_total_energy_is_the_sum_of_its_parts():
    energy = touching_run().energy
    parts = energy["kinetic"] + energy["potential"] + energy["contact"]
    assert np.allclose(
        energy["total"], parts, rtol=0, atol=rounding(3, max(map(np.ptp, energy.values())))
    )


def test_orthogonality_is_that_of_the_worst_body_at_each_frame():
    result = touching_run()
    errors = [
        [np.abs(R.T @ R - np.eye(3)).max() for R in result.rotation(name)] for name in result.names
    ]
    assert np.allclose(result.orthogonality, np.max(errors, axis=0), rtol=0, atol=rounding(6))


def test_an_unknown_body_is_answered_with_the_known_ones():
    with pytest.raises(dt.InputError, match=r"no body 'sickle'.*it has: anvil, hammer"):
        touching_run().position("sickle")


def test_the_file_reads_without_the_package(tmp_path):
    result = touching_run(out=tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        assert file.attrs["format"] == b"dovetail result"
        assert file["run/rows"][0] == len(file["time"]) == 101
        assert file["run/status"][()] == b"finished"
        assert [n.decode() for n in file["bodies/name"]] == ["anvil", "hammer"]
        assert file["position"].attrs["unit"] == b"m"
        assert np.array_equal(file["position"][:, 1], result.position("hammer"))
        assert file["contacts/count"][:].sum() == len(file["contacts/gaps"])


def test_meshes_travel_inside_the_file(tmp_path):
    box = dt.Box((1, 2, 3)).surface()
    scene = dt.Scene()
    for name in ("a", "b"):
        scene.add_body(name, dt.Mesh(box.vertices, box.faces), density=1000)
    simulate(scene, 0.1, 0.1, out=tmp_path / "a.h5")
    read = dt.load(tmp_path / "a.h5")
    assert np.array_equal(read.scene.bodies["b"].faces, scene.bodies["b"].faces)
    assert np.array_equal(read.scene.bodies["b"].vertices, scene.bodies["b"].vertices)
    assert len(read.stored.header.meshes) == 1  # equal meshes are kept once


def test_functions_are_left_out_of_the_stored_scene_and_named(tmp_path):
    scene = falling_scene()
    scene.add_load("wind", lambda t, s: {"stone": ((1, 0, 0), (0, 0, 0))})
    simulate(scene, 0.1, 0.1, out=tmp_path / "a.h5")
    read = dt.load(tmp_path / "a.h5")
    assert list(read.scene.loads) == []
    assert "load 'wind'" in read.stored.header.settings


def test_couplings_stay_in_a_stored_scene_whose_functions_are_left_out(tmp_path):
    scene = dt.Scene(gravity=(0, 0, 0))
    for k, name in enumerate(("a", "b")):
        scene.add_body(name, dt.Box((0.1, 0.1, 0.1)), density=1000, position=(k, 0, 0))
        scene.add_joint(name, dt.Revolute(point=(k, 0, 0.2), axis=(0, 1, 0)), "ground", name)
    scene.add_coupling("gear", dt.Coupling({"a": 2.0, "b": 1.0}))
    driven = dt.Actuation(motor=lambda t: t)
    scene.add_coupling("tendon", dt.Coupling({"a": 1.0}, actuation=driven))
    simulate(scene, 0.1, 0.1, out=tmp_path / "a.h5")
    read = dt.load(tmp_path / "a.h5")
    assert read.scene.couplings["gear"].terms == {"a": 2.0, "b": 1.0}
    assert read.scene.couplings["tendon"].actuation.motor is None
    assert "motor of coupling 'tendon'" in read.stored.header.settings


@pytest.mark.parametrize("keep", [0.0, 0.01])
def test_a_file_without_its_description_is_refused_with_a_sentence(tmp_path, keep):
    path = tmp_path / "a.h5"
    touching_run(out=path)
    data = path.read_bytes()
    path.write_bytes(data[: int(keep * len(data))])
    with pytest.raises(dt.InputError, match=r"a\.h5 must be a dovetail result file"):
        dt.load(path)


def test_what_is_no_result_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(dt.InputError, match="there is no result file"):
        dt.load(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("not HDF5")
    with pytest.raises(dt.InputError, match="cannot be read"):
        dt.load(tmp_path / "text.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1.0
    with pytest.raises(dt.InputError, match="not a dovetail result"):
        dt.load(tmp_path / "other.h5")
    with pytest.raises(dt.InputError, match=r"cannot be (opened|read)"):
        dt.load(tmp_path)


def test_damaged_bytes_never_give_anything_but_a_result_or_an_input_error(tmp_path):
    path = tmp_path / "a.h5"
    simulate(two_bodies(), 0.05, 0.01, Touching(), Chaotic(), out=path)
    data = bytearray(path.read_bytes())
    random = np.random.default_rng(1)
    refused = 0
    for _ in range(60):
        damaged = bytearray(data)
        for at in random.integers(0, len(data), 20):
            damaged[at] = random.integers(0, 256)
        path.write_bytes(damaged)
        try:
            result = dt.load(path)
            result.position(result.names[0])
        except dt.InputError:
            refused += 1
    assert refused > 10


def test_a_file_repacked_by_other_tools_still_reads(tmp_path):
    ran = touching_run(out=tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as old, h5py.File(tmp_path / "b.h5", "w") as new:
        for key, value in old.attrs.items():
            new.attrs[key] = value

        def copy(name, item):
            if isinstance(item, h5py.Dataset):
                packed = {"chunks": True, "compression": "gzip"} if item.size > 100 else {}
                new.create_dataset(name, data=item[()], dtype=item.dtype, **packed)

        old.visititems(copy)
    read = dt.load(tmp_path / "b.h5")
    assert np.array_equal(read.position("hammer"), ran.position("hammer"))


def test_an_opened_result_is_not_disturbed_by_a_new_run(tmp_path):
    first = simulate(falling_scene(5.0), 1.0, 0.01, out=tmp_path / "a.h5")
    simulate(falling_scene(9.0), 2.0, 0.01, out=tmp_path / "a.h5")
    assert first.position("stone")[0, 2] == 5.0
    assert dt.load(tmp_path / "a.h5").position("stone")[0, 2] == 9.0


def test_a_result_is_exported_and_plotted_by_name(tmp_path):
    result = touching_run()
    first = result.export(tmp_path / "a.csv")
    second = result.export(tmp_path / "table", format="csv", every=50)
    assert (first, second) == (tmp_path / "a.csv", tmp_path / "table")
    assert len(first.read_text().splitlines()) - len(second.read_text().splitlines()) == 98
    assert len(result.plot().axes[0].lines) == len(result.energy)
    result.plot("momentum", tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes()[1:4] == b"PNG"
    assert "finished" in result._repr_html_()
