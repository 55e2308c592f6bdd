"""A monitor beside a run sees every recorded state, also those before a resume."""

import os
import signal

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.law import ContactRecord
from dovetail.examples import painleve_rod
from dovetail.simulate import simulate
from dovetail.simulate.watching import examine, friction_of, state_at
from known_runs import Chaotic, Touching, two_bodies


class Seen(dt.stability.Monitor):
    """A monitor that only keeps what it is given."""

    def begin(self):
        super().begin()
        self.given = []

    def look(self, model, state, contacts, friction):
        self.given.append((state.t, len(contacts.gaps), friction))
        return []


def test_a_monitor_sees_the_recorded_states_with_their_contacts():
    seen = Seen()
    result = simulate(two_bodies(), 1.0, 0.1, Touching(), Chaotic(), every=2, monitor=seen)
    assert [t for t, _, _ in seen.given] == result.time.tolist()
    assert [count for _, count, _ in seen.given] == result.contacts.count.tolist()
    assert {friction for _, _, friction in seen.given} == {0.0}  # the method has none
    assert result.findings == ()


def stopped_at(when):
    def on_step(t, state):
        if t > when:
            os.kill(os.getpid(), signal.SIGINT)

    return on_step


def test_findings_of_a_resumed_run_are_those_of_a_whole_one(tmp_path):
    def run(out, **options):
        return dt.simulate(
            painleve_rod.build(), 0.01, 1e-3, contact=dt.contact.LCP(friction=1.8), out=out,
            monitor=dt.stability.Monitor(report=False), progress=False, **options,
        )  # fmt: skip

    whole = run(tmp_path / "whole.h5")
    run(tmp_path / "a.h5", on_step=stopped_at(0.004))
    resumed = run(tmp_path / "a.h5", resume=True)
    assert whole.findings and resumed.findings == whole.findings
    assert dt.load(tmp_path / "a.h5").findings == whole.findings


def test_states_and_friction_are_read_back_from_a_result():
    result = dt.simulate(
        painleve_rod.build(), 0.01, 1e-3, contact=dt.contact.LCP(friction=0.3), progress=False
    )
    assert friction_of(result) == 0.3
    state = state_at(result, 4)
    assert state.t == result.time[4]
    assert np.array_equal(state.x[1], result.position("rod")[4])
    assert np.array_equal(state.R[1], result.rotation("rod")[4])
    assert np.array_equal(state.v[1], result.velocity("rod")[4])
    assert state.spin[1] == pytest.approx(result.angular_velocity("rod")[4], abs=1e-14)
    assert np.linalg.norm(state.spin[1]) > 1e-3
    seen = Seen()
    seen.begin()
    assert examine(result, seen, [2, 5]) == []
    assert [t for t, _, _ in seen.given] == [result.time[2], result.time[5]]
    assert {friction for _, _, friction in seen.given} == {0.3}


def test_without_contact_or_its_friction_there_is_none():
    assert friction_of(simulate(two_bodies(), 0.1, 0.1, integrator=Chaotic())) == 0.0
    assert friction_of(simulate(two_bodies(), 0.1, 0.1, Touching(), Chaotic())) == 0.0


def test_the_contacts_a_monitor_sees_are_of_the_frame():
    seen = []

    class Kept(dt.stability.Monitor):
        def look(self, model, state, contacts, friction):
            seen.append(contacts)
            return []

    result = simulate(two_bodies(), 0.3, 0.1, Touching(), Chaotic(), monitor=Kept())
    for frame, contacts in enumerate(seen):
        assert isinstance(contacts, ContactRecord)
        assert np.array_equal(contacts.points, result.contacts.at(frame).points)
