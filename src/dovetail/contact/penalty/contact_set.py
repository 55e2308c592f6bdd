"""The contacts of one configuration."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.penalty.force import Contacts, room_for


@dataclass(eq=False)
class ContactSet:
    """Rows of contacts, of which the first `count` are in use."""

    rows: Contacts = field(default_factory=lambda: room_for(256))
    count: int = 0

    def make_room(self, more: int) -> None:
        """Space for `more` rows behind those there are."""
        if self.count + more > len(self.rows.depth):
            larger = room_for(2 * (self.count + more))
            for old, new in zip(self.rows, larger):
                new[: self.count] = old[: self.count]
            self.rows = larger

    def points_that_carry(self, n_pairs: int) -> NDArray[np.float64]:
        """(n_pairs,) (sum d)^2 / sum d^2 of each pair: n for n equal depths, 1 for one; >= 1."""
        pair, depth = self.rows.pair[: self.count], self.rows.depth[: self.count]
        total = np.bincount(pair, depth, minlength=n_pairs)
        squares = np.bincount(pair, depth * depth, minlength=n_pairs)
        carrying = np.ones(n_pairs)
        np.divide(total * total, squares, out=carrying, where=squares > 0)
        return np.maximum(carrying, 1.0)


def contact_counts(contacts: ContactSet, n_pairs: int) -> NDArray[np.int64]:
    """(n_pairs,) contacts of each pair."""
    return np.bincount(contacts.rows.pair[: contacts.count], minlength=n_pairs)
