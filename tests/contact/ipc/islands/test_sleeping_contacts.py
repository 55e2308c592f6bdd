"""Contacts of bodies that sleep: which are kept, and until when."""

from types import SimpleNamespace

import numpy as np

from dovetail.contact.ipc.islands.sleeping import FELL, NEWLY, WOKE
from dovetail.contact.ipc.islands.sleeping_contacts import SleepingContacts
from dovetail.contact.ipc.report import BODY_A, COLUMNS, ENERGY, GAP

FLOOR = 3  # which cannot move


def rows(*pairs):
    """Contacts of pairs of bodies; the k-th has the gap 0.1 k and the energy 10 k."""
    found = np.zeros((len(pairs), COLUMNS))
    for k, pair in enumerate(pairs, start=1):
        found[k - 1, BODY_A : BODY_A + 2] = pair
        found[k - 1, GAP], found[k - 1, ENERGY] = 0.1 * k, 10.0 * k
    return found


def pairs_of(contacts):
    return [tuple(map(int, row[BODY_A : BODY_A + 2])) for row in contacts.rows]


def test_contacts_are_kept_while_both_bodies_sleep_or_cannot_move():
    motion = SimpleNamespace(asleep=np.zeros(4, np.int8), sleep_counts=np.zeros(3, np.int64))
    contacts = SleepingContacts(motion, np.array([0, 1, 2, -1], np.int32))
    assert (contacts.energy, contacts.least_gap, contacts.changed) == (0.0, np.inf, False)
    motion.asleep[[0, 1]], motion.sleep_counts[FELL] = NEWLY, 2
    assert contacts.changed
    contacts.update(rows((2, FLOOR), (0, FLOOR), (0, 1), (1, 2)))
    assert pairs_of(contacts) == [(0, FLOOR), (0, 1)]
    assert (contacts.energy, contacts.least_gap) == (50.0, 0.2)
    assert motion.asleep.tolist() == [1, 1, 0, 0] and not contacts.changed
    motion.asleep[2], motion.sleep_counts[FELL] = NEWLY, 1  # the others are on the list no more
    contacts.update(rows((2, FLOOR), (1, 2)))
    assert pairs_of(contacts) == [(0, FLOOR), (0, 1), (2, FLOOR), (1, 2)]
    motion.asleep[0], motion.sleep_counts[WOKE] = 0, 1
    assert contacts.changed
    contacts.update(rows())
    assert pairs_of(contacts) == [(2, FLOOR), (1, 2)] and not contacts.changed
    assert (contacts.energy, contacts.least_gap) == (30.0, 0.1)
