"""What a study sends to its workers."""

import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest
from distributed import KilledWorker

from dovetail.errors import InputError
from dovetail.studies import workers


@dataclass
class Promise:
    key: str
    answer: Any = None
    error: Any = None

    @property
    def status(self):
        return "error" if self.error else "finished"

    def result(self):
        return self.answer

    def exception(self):
        return self.error


@dataclass
class Client:
    """Makes each call when it is given; a batch of more than one kills its worker on demand."""

    sent: list[tuple] = field(default_factory=list)
    deadly: set[int] = field(default_factory=set)

    def nthreads(self):
        return {"one": 1, "two": 1}

    def submit(self, function, *arguments, pure):
        self.sent.append((function, *arguments))
        made = Promise(f"call-{len(self.sent)}")
        given = [a.answer if isinstance(a, Promise) else a for a in arguments]
        if self.deadly & {n for n, _ in given[-1]} if len(given) == 3 else False:
            made.error = KilledWorker("call", None, 10)
        else:
            made.answer = function(*given)
        return made


class Finished(list):
    """Promises in the order of their calls, while more come in."""

    def __init__(self, promises, raise_errors):
        super().__init__(promises)

    def update(self, promises):
        self.extend(promises)


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setattr("distributed.as_completed", Finished)
    return Client()


def doubled(shared, run, values):
    if values["gap"] == 7:
        raise InputError("seven")
    return 2 * values["gap"]


CALLS = [(run, (run, {"gap": run})) for run in range(400)]


def test_the_scene_is_sent_once_and_a_run_is_a_few_bytes(client):
    scene, found = b"mesh" * 100_000, {}
    workers._on_cluster(client, doubled, scene, CALLS, lambda n, a, e: found.update({n: (a, e)}))
    first, *rest = client.sent
    assert len(pickle.dumps(first)) > len(scene)
    assert all(sent[2].key == "call-1" for sent in rest)
    sizes = [len(pickle.dumps(sent[3])) for sent in rest]
    assert sum(sizes) < 30 * len(CALLS) and len(rest) < 100
    assert sorted(found) == list(range(400))
    assert all(found[n][0] == 2 * n for n in found if n != 7)
    assert found[7][0] is None and isinstance(found[7][1], InputError)


def test_runs_of_a_batch_under_which_workers_died_go_out_alone(client):
    client.deadly, found = {300}, {}
    workers._on_cluster(client, doubled, None, CALLS, lambda n, a, e: found.update({n: (a, e)}))
    assert sorted(found) == list(range(400))
    assert [n for n in found if found[n][1] is not None] == [7, 300]
    assert isinstance(found[300][1], workers.KilledWorkerError)


def test_batches_take_half_a_second_and_leave_each_process_several():
    assert workers.batch_size(2.0, 1000, 2) == 1
    assert workers.batch_size(0.05, 1000, 2) == 10
    assert workers.batch_size(1e-6, 10_000, 2) == workers.LARGEST_BATCH
    assert workers.batch_size(1e-6, 80, 2) == 10
    assert workers.batch_size(0.0, 0, 2) == 1


class OddError(Exception):
    def __init__(self, one, two):
        super().__init__(one)


def test_errors_that_cannot_be_made_again_are_sent_by_what_they_say():
    assert str(workers._sendable(OddError("what", 2))) == "OddError: what"
    assert isinstance(workers._sendable(InputError("x")), InputError)
