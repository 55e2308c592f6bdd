"""Files that were changed on purpose and sealed again: what no longer agrees is found."""

import json
import shutil
from contextlib import suppress

import h5py
import numpy as np
import pytest

import dovetail as dt
from dovetail.cli.main import main
from dovetail.results.integrity import slices, sum_of_rows
from dovetail.results.sealing import put_seal
from dovetail.verifier.certificate import certify


@pytest.fixture(scope="module")
def fallen(tmp_path_factory):
    """A box that falls beside a post, and a floor far below."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static", position=(0, 0, -5))
    scene.add_body("post", dt.Box((0.1, 0.1, 4)), motion="static", position=(0.5, 0, 0))
    scene.add_body("box", dt.Box((0.2, 0.2, 0.2)), density=1000)
    path = tmp_path_factory.mktemp("sealed") / "fallen.h5"
    dt.simulate(scene, 0.1, 0.01, out=path, progress=False)
    return path


def changed(source, path, change):
    """A copy that was changed, and its checksums and its seal recomputed."""
    header = dt.load(source).stored.header
    shutil.copyfile(source, path)
    with h5py.File(path, "r+") as file:
        change(file)
        rows = dict(zip(header.tables, file["run/rows"][:].tolist(), strict=True))
        capacity = {name: len(file[columns[0].path]) for name, columns in header.tables.items()}
        for table, column, where in slices(header.tables, capacity, rows):
            file["run/checksums"][where] = sum_of_rows(file[column.path][: rows[table]])
    with path.open("r+b") as file:
        put_seal(file.fileno())
    return dt.load(path)


def rewrite(old, new):
    def change(file):
        text = file["scene/document"][()].replace(old, new)
        assert text != file["scene/document"][()]
        del file["scene/document"]
        file["scene/document"] = np.array(text)

    return change


def put(path, where, value):
    return lambda file: file[path].__setitem__(where, value)


def resettled(**settings):
    def change(file):
        text = json.dumps(json.loads(file["run/settings"][()]) | settings)
        del file["run/settings"]
        file["run/settings"] = np.array(text.encode())

    return change


def move(column, by):
    """The box in all frames."""
    column[:, 2] += by


def test_the_file_as_it_was_made_is_trusted(fallen, tmp_path):
    assert certify(changed(fallen, tmp_path / "same.h5", lambda file: None)).trusted


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (rewrite(b"0.2,0.2,0.2", b"0.1,0.1,0.1"), "the mass of 'box' does not follow"),
        (rewrite(b'"version"', b'"units":{"length":"mm"},"version"'), "does not follow"),
        (put("bodies/mass", 2, 2.0), "the mass of 'box' does not follow"),
        (put("bodies/motion", 2, b"static"), "'box' is static in the header"),
        (put("gravity", 2, -1.0), "gravity is not that of the scene"),
        (put("position", (slice(None), 1, 0), 9.0), "'post' is static, and not where"),
        (put("position", (slice(5, None), 0, 2), -6.0), "'floor' is static, and not where"),
        (lambda f: move(f["position"], (1.0, 0, 0)), "the place of 'box' at t = 0 s is not"),
        (lambda f: move(f["velocity"], (1e-3, 0, 0)), "the velocity of 'box' at t = 0 s is not"),
        (put("run/rows", 0, 6), "was to last 0.1 s, the frames end at 0.05 s"),
        (put("run/settings", (), b"{}"), "the settings do not say `contact`"),
        (resettled(step=0.005), "1 step of 0.005 s between two frames were to be recorded, 0.01"),
    ],
    ids=[
        "shape",
        "units",
        "mass",
        "motion",
        "gravity",
        "post",
        "floor",
        "moved aside",
        "pushed",
        "cut short",
        "settings",
        "frames left out",
    ],
)
def test_what_does_not_follow_from_the_scene_is_not_trusted(change, expected, fallen, tmp_path):
    found = certify(changed(fallen, tmp_path / "changed.h5", change))
    assert not found.trusted
    assert expected in next(one.note for one in found.broken if one.name == "file")


def test_bodies_that_touch_at_the_start_are_trusted_where_contact_opened_them(tmp_path):
    """A tower drawn without gaps, away from the origin by less than its size."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k in range(4):
        scene.add_body(
            f"box {k}", dt.Box((1, 1, 0.5)), density=500, position=(0, 0, 0.25 + 0.5 * k)
        )
    out = tmp_path / "tower.h5"
    result = dt.simulate(scene, 0.02, 0.01, contact="ipc", out=out, progress=False)
    assert np.abs(result.position("box 3")[0] - (0, 0, 1.75)).max() > 1e-6
    assert certify(dt.load(out)).trusted
    found = certify(changed(out, tmp_path / "raised.h5", lambda f: move(f["position"], 1e-3)))
    assert not found.trusted


@pytest.mark.parametrize("table", [True, False], ids=["table", "constant velocity"])
def test_a_kinematic_body_that_was_moved_aside_is_found(table, tmp_path):
    scene = dt.Scene()
    driven = {"motion": "kinematic", "velocity": (1, 0, 0), "angular_velocity": (0, 0, 1)}
    if table:
        rows = dt.PoseTable([0.0, 0.05, 0.2], [(0, 0, 0), (0.1, 0, 0), (0.1, 0.2, 0)])
        driven = {"motion": "kinematic", "trajectory": rows}
    scene.add_body("arm", dt.Box((0.2, 0.2, 0.2)), density=1000, **driven)
    scene.add_body("rests", dt.Box((0.1, 0.1, 0.1)), density=1000, position=(0, 2, 0))
    out = tmp_path / "made.h5"
    dt.simulate(scene, 0.1, 0.01, out=out, progress=False)
    assert certify(dt.load(out)).trusted

    def aside(file):
        file["position"][:, 0] += (0, -1.0, 0)

    found = certify(changed(out, tmp_path / "changed.h5", aside))
    assert [one.name for one in found.broken] == ["trajectories"]


@pytest.mark.parametrize("size", [1.0, 1e-6])
def test_a_static_body_that_was_moved_by_a_part_of_its_size_is_found(size, tmp_path):
    """A millionth of the scene; at a micrometre it was within a bound of 1e-9 m."""
    scene = dt.Scene()
    post = np.array([0.1, 0.1, 4.0]) * size
    scene.add_body("post", dt.Box(post), motion="static", position=(0.5 * size, 0, 0))
    scene.add_body("box", dt.Box(np.full(3, 0.2 * size)), mass=1.0, velocity=(0, size, 0))
    path = tmp_path / "run.h5"
    dt.simulate(scene, 0.03, 0.01, out=path, progress=False)
    aside = put("position", (slice(None), 0, 0), 0.5 * size * (1.0 + 1e-6))
    found = certify(changed(path, tmp_path / "changed.h5", aside))
    assert not found.trusted


@pytest.mark.parametrize("time", [0.03, 0.04], ids=["backwards", "twice"])
def test_times_that_do_not_rise_are_refused(time, fallen, tmp_path):
    result = changed(fallen, tmp_path / "changed.h5", put("time", 5, time))
    with pytest.raises(dt.InputError, match="times must rise, frame 5"):
        certify(result)


COLUMNS = ("position", "rotation", "velocity", "angular_velocity", "energy", "momentum")


def repeat(frame, bodies=slice(None)):
    """A frame in place of the next one: of some bodies, or of all with their energies."""

    def change(file):
        for name in COLUMNS[:4]:
            file[name][frame + 1, bodies] = file[name][frame, bodies]
        if bodies == slice(None):
            for name in COLUMNS[4:]:
                for column in file[name].values():
                    column[frame + 1] = column[frame]

    return change


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("bodies", [slice(None), 2], ids=["whole frame", "one body"])
def test_a_frame_that_repeats_the_one_before_is_found(bodies, every, tmp_path):
    """Without gravity nothing else would contradict it: velocities stay, so do energies."""
    scene = dt.Scene()
    scene.add_body("post", dt.Box((0.1, 0.1, 4)), motion="static", position=(0.5, 0, 0))
    scene.add_body("rests", dt.Box((0.1, 0.1, 0.1)), density=1000, position=(0, 2, 0))
    scene.add_body("flies", dt.Box((0.2, 0.2, 0.2)), density=1000, velocity=(0, 0, 0.1))
    out = tmp_path / "made.h5"
    dt.simulate(scene, 0.24, 0.01, every=every, out=out, progress=False)
    assert certify(dt.load(out)).trusted
    found = certify(changed(out, tmp_path / "changed.h5", repeat(3, bodies)))
    assert not found.trusted
    note = next(one.note for one in found.broken if one.name == "velocities")
    assert note.startswith("'flies' moves, and its frame at t = ")


@pytest.mark.parametrize("mass", [0.0, -1.0, 1e-320, 1e308, np.inf, np.nan])
@pytest.mark.filterwarnings("error")
def test_forged_masses_are_a_finding_and_no_warnings_of_arithmetic(mass, fallen, tmp_path):
    try:
        found = certify(changed(fallen, tmp_path / "changed.h5", put("bodies/mass", 2, mass)))
    except dt.InputError:
        return  # refused with a sentence
    assert not found.trusted


@pytest.mark.parametrize("inertia", [0.0, -1.0, 1e308, np.inf, np.nan])
@pytest.mark.filterwarnings("error")
def test_forged_inertias_are_a_finding_and_no_warnings_of_arithmetic(inertia, fallen, tmp_path):
    try:
        found = certify(changed(fallen, tmp_path / "changed.h5", put("bodies/inertia", 2, inertia)))
    except dt.InputError:
        return
    assert not found.trusted


def replaced(path, change):
    """A dataset in place of another, as any program can write it."""

    def put_in_place(file):
        values = file[path][()]
        del file[path]
        file[path] = change(values)

    return put_in_place


def checked(path):
    """The exit code of `dovetail check` and what it says."""
    with pytest.raises(SystemExit) as ended:
        main(["check", str(path)])
    return ended.value.code


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (put("run/settings", (), b"{"), "its settings are no JSON"),
        (put("run/settings", (), b"[]"), "its settings are no JSON object"),
        (put("run/settings", (), b'{"contact":3}'), "its setting `contact` is 3"),
        (replaced("bodies/mass", lambda m: m[:-1]), "bodies/mass has (2,) instead of (3,)"),
        (replaced("bodies/mass", lambda m: m.astype("c16")), "bodies/mass holds complex128"),
        (replaced("bodies/inertia", np.ravel), "bodies/inertia has (27,)"),
        (replaced("gravity", lambda g: g.astype("S8")), "gravity holds |S8 instead of float64"),
        (replaced("bodies/motion", lambda m: m[1:]), "it says of 2 bodies how they move"),
        (replaced("min_distance", lambda d: d.astype("c16")), "min_distance holds complex128"),
        (replaced("time", lambda t: t.astype("S8")), "time holds |S8 instead of float64"),
        (put("time", 10, np.inf), "the recorded times must rise, frame 10"),
        (put("time", 0, -np.inf), "the recorded times must be finite"),
        (put("position", (5, 2, 0), np.nan), "pose of body 'box' at t = 0.05 s has numbers that"),
        (put("rotation", (5, 2, 0, 0), np.inf), "pose of body 'box' at t = 0.05 s has numbers"),
    ],
)  # fmt: skip
def test_what_no_run_writes_is_refused_with_a_sentence(change, expected, fallen, tmp_path, capsys):
    path = tmp_path / "changed.h5"
    with suppress(dt.InputError, TypeError):
        changed(fallen, path, change)
    with path.open("r+b") as file:
        put_seal(file.fileno())
    assert checked(path) == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("column", ["unconverged", "unsettled"])
def test_a_count_below_zero_is_not_trusted(column, fallen, tmp_path):
    found = certify(changed(fallen, tmp_path / "changed.h5", put(f"stats/{column}", 3, -1)))
    assert not found.trusted


def test_a_verifier_that_fails_has_not_the_exit_code_of_bodies_that_meet(fallen, monkeypatch):
    monkeypatch.setattr("dovetail.verifier.certificate.check_states", lambda *of: 1 / 0)
    assert checked(fallen) == 3
