"""What a study sends to its workers."""

import pickle
from dataclasses import dataclass, field

from dovetail.studies import workers


@dataclass(frozen=True)
class Promise:
    key: str


@dataclass
class Client:
    """Takes calls and makes none."""

    sent: list[tuple] = field(default_factory=list)

    def submit(self, function, *arguments, pure):
        self.sent.append((function, *arguments))
        return Promise(f"call-{len(self.sent)}")


def test_the_scene_is_sent_once_and_a_run_is_a_few_bytes(monkeypatch):
    monkeypatch.setattr("distributed.as_completed", lambda futures, raise_errors: iter(()))
    client, scene = Client(), b"mesh" * 100_000
    calls = [(run, (run, {"gap": 0.1 * run})) for run in range(50)]
    workers._on_cluster(client, print, scene, calls, print)
    first, *rest = (len(pickle.dumps(call)) for call in client.sent)
    assert first > len(scene)
    assert len(rest) == 50 and max(rest) < 200
    assert {call[1] for call in client.sent[1:]} == {Promise("call-1")}
