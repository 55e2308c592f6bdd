"""The contacts of one configuration."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dovetail.kernels.contact_force import Contacts, room_for


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


def contact_counts(contacts: ContactSet, n_pairs: int) -> NDArray[np.int64]:
    """(n_pairs,) contacts of each pair."""
    return np.bincount(contacts.rows.pair[: contacts.count], minlength=n_pairs)
