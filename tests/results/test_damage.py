"""A damaged or truncated result opens up to the damage, and says so."""

import h5py
import numpy as np
import pytest

import dovetail as dt
from dovetail.results import stored as stored_module
from dovetail.results.columns import TABLES, Column
from dovetail.results.damage import MOTION, without_lost
from dovetail.results.layout import places_in

FRAMES = 3001
H = 1e-3


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A ball that is thrown for 3 s, 3001 frames: several blocks of checksums per column."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0, velocity=(1, 0, 1), position=(0, 0, 0.2))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    path = tmp_path_factory.mktemp("whole") / "a.h5"
    contact = dt.contact.SDF(stiffness=1e6, exponent=1.0)
    dt.simulate(scene, (FRAMES - 1) * H, H, contact=contact, out=path)
    return path


@pytest.fixture(scope="module")
def places(whole):
    with h5py.File(whole) as file:
        return places_in(file)


def damaged(whole, tmp_path, change):
    data = bytearray(whole.read_bytes())
    data = change(data) or data
    path = tmp_path / "a.h5"
    path.write_bytes(data)
    return path


def flip(place, row):
    def change(data):
        data[place.offset + row * place.row_bytes] ^= 1

    return change


def test_an_untouched_file_is_not_called_damaged(whole):
    assert dt.load(whole).status == "finished"


def test_one_flipped_bit_of_the_motion_ends_the_result_before_its_block(whole, places, tmp_path):
    path = damaged(whole, tmp_path, flip(places["position"], 2500))
    result, good = dt.load(path), dt.load(whole)
    assert result.status == "damaged"
    assert "frames are there; lost is some of `position`" in result.reason
    kept = len(result.time)
    assert 0 < kept <= 2500 and 2500 - kept < 4096 / places["position"].row_bytes + 1
    for name in ("ball", "floor"):
        np.testing.assert_array_equal(result.position(name), good.position(name)[:kept])


def test_a_flipped_bit_of_an_energy_blanks_that_energy_alone(whole, places, tmp_path):
    path = damaged(whole, tmp_path, flip(places["energy/kinetic"], 100))
    result, good = dt.load(path), dt.load(whole)
    assert len(result.time) == FRAMES
    assert np.isnan(result.energy["kinetic"][100])
    np.testing.assert_array_equal(result.energy["potential"], good.energy["potential"])
    np.testing.assert_array_equal(result.position("ball"), good.position("ball"))


def test_lost_contacts_are_left_out_of_their_frames(whole, places, tmp_path):
    good = dt.load(whole)
    assert good.contacts.count.sum() > 10
    result = dt.load(damaged(whole, tmp_path, flip(places["contacts/forces"], 3)))
    kept = result.contacts.count == good.contacts.count
    assert not kept.all() and not result.contacts.count[~kept].any()
    for frame in np.flatnonzero(result.contacts.count)[:5]:
        there, before = result.contacts.at(frame), good.contacts.at(frame)
        np.testing.assert_array_equal(there.forces, before.forces)


def test_events_end_before_the_first_that_is_lost():
    tables = {table: (Column(f"{table}/t", (), "<f8", "s", "time"),) for table in TABLES}
    tables["frames"] += tuple(Column(path, (), "<f8", "s", "motion") for path in MOTION)
    columns = {c.path: np.arange(4.0) for table in tables.values() for c in table}
    lost = {"events/t": np.array([False, False, True, False])}
    kept, rows, sentence = without_lost(tables, columns, lost)
    assert rows == {"frames": 4, "contacts": 4, "events": 2, "waypoints": 4}
    np.testing.assert_array_equal(kept["events/t"], [0.0, 1.0])
    assert "all 4 frames are there; lost is some of `events/t`" in sentence


@pytest.mark.parametrize("keep", [0.3, 0.5, 0.9, 0.9999])
def test_a_file_cut_short_opens_up_to_the_cut(whole, tmp_path, keep):
    path = damaged(whole, tmp_path, lambda data: data[: int(keep * len(data))])
    result, good = dt.load(path), dt.load(whole)
    assert result.status == "damaged" and "the file is damaged" in result.reason
    unsummed = dt.load(path, verify=False)  # what is not there is missed without checksums too
    assert unsummed.status == "damaged" and len(unsummed.time) >= len(result.time)
    frames = len(result.time)
    assert frames > 0.2 * FRAMES
    np.testing.assert_array_equal(result.position("ball"), good.position("ball")[:frames])
    np.testing.assert_array_equal(result.rotation("ball"), good.rotation("ball")[:frames])
    there = np.isfinite(result.energy["total"])
    np.testing.assert_array_equal(
        result.energy["total"][there], good.energy["total"][:frames][there]
    )


def test_any_flipped_byte_of_a_column_is_noticed(whole, places, tmp_path):
    random = np.random.default_rng(2)
    columns = [path for path in places if path in stored_module.StoredInFile(whole)._columns]
    for _ in range(60):
        place = places[columns[random.integers(len(columns))]]
        if place.size:
            at = place.offset + int(random.integers(place.size))
            path = damaged(whole, tmp_path, lambda data, at=at: data.__setitem__(at, data[at] ^ 64))
            try:
                assert dt.load(path).status == "damaged"
            except dt.InputError as error:  # within the first block of a motion
                assert "very first frame is lost" in str(error)  # noqa: PT017


def test_a_large_result_is_trusted_when_opened(whole, places, tmp_path, monkeypatch):
    monkeypatch.setattr(stored_module, "SUMMED_AT_OPENING", 1000)
    path = damaged(whole, tmp_path, flip(places["energy/kinetic"], 100))
    assert dt.load(path).status == "finished"
    assert dt.load(path, verify=True).status == "damaged"


def test_a_run_that_was_stopped_and_resumed_has_new_checksums(tmp_path):
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0, velocity=(1, 0, 5))
    stops = [0.5]

    def stop(t, state):
        if stops and t > stops[0]:
            stops.clear()
            raise KeyboardInterrupt

    path = tmp_path / "a.h5"
    dt.simulate(scene, 1.0, 1e-2, out=path, on_step=stop)
    assert dt.load(path).status == "interrupted"
    dt.simulate(scene, 1.0, 1e-2, out=path, resume=True, on_step=stop)
    assert dt.load(path).status == "finished"
