"""Energy in the springs of contacts: by pairs, forgotten by a restored run that did not have it."""

import numpy as np
import pytest

from dovetail.contact.penalty.compliant.records import STORED
from dovetail.integrators.compliant_euler.elastic_energies import ElasticEnergies


class Pairs:
    """Pairs (0, 1), (0, 2), ... numbered as they come."""

    def __init__(self, *bodies):
        self.bodies = np.array(bodies)

    def __len__(self):
        return len(self.bodies)

    def rows_of(self, bodies):
        return np.array([self.bodies.tolist().index(pair) for pair in bodies.tolist()], np.int64)


def test_energies_are_restored_by_bodies_and_nothing_of_before_is_left():
    first = ElasticEnergies()
    first.of(3)[STORED, :3] = 1.0, 0.0, 4.0
    assert first.total == pytest.approx(5.0)
    kept = first.snapshot(Pairs([0, 1], [0, 2], [1, 2]))
    other, numbered = ElasticEnergies(), Pairs([1, 2], [0, 2], [0, 1])
    other.of(3)[STORED, :3] = 7.0, 8.0, 9.0
    other.restore(kept, numbered)
    assert other.of(3)[STORED, :3].tolist() == [4.0, 0.0, 1.0]
    assert other.total == pytest.approx(5.0)


def test_energies_stay_when_more_pairs_come_near():
    energies = ElasticEnergies()
    energies.of(2)[STORED, :2] = 1.0, 2.0
    assert energies.of(50)[STORED, :2].tolist() == [1.0, 2.0]
    assert energies.of(50).shape[1] >= 50 and energies.total == pytest.approx(3.0)
    energies.clear()
    assert energies.total == 0.0
