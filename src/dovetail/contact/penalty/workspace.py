"""The workspace for the contacts of one configuration."""

from dataclasses import dataclass, field

import numpy as np

from dovetail.collision.field_contacts.rows import ContactRows, empty_contacts
from dovetail.runtime.records import FloatArray, Int64Array


@dataclass(eq=False)
class ContactWorkspace:
    """Rows of contacts, of which the first `count` are in use."""

    rows: ContactRows = field(default_factory=lambda: empty_contacts(256))
    count: int = 0

    def reserve(self, more: int) -> None:
        """Capacity for `more` rows behind those in use."""
        if self.count + more > len(self.rows.depth):
            larger = empty_contacts(2 * (self.count + more))
            for name in ContactRows._fields:
                getattr(larger, name)[: self.count] = getattr(self.rows, name)[: self.count]
            self.rows = larger

    def copied(self) -> ContactRows:
        """A copy of the rows in use."""
        rows, n = self.rows, self.count
        return ContactRows(
            rows.point_body[:n].copy(), rows.field_body[:n].copy(), rows.pair[:n].copy(),
            rows.depth[:n].copy(), rows.point[:n].copy(), rows.gradient[:n].copy(),
        )  # fmt: skip

    def per_pair(self, n_pairs: int) -> Int64Array:
        """(n_pairs,) contacts of each pair."""
        return np.bincount(self.rows.pair[: self.count], minlength=n_pairs)

    def effective_per_pair(self, n_pairs: int) -> FloatArray:
        """(n_pairs,) (sum d)^2 / sum d^2 of each pair: n for n equal depths, 1 for one; >= 1."""
        pair, depth = self.rows.pair[: self.count], self.rows.depth[: self.count]
        total = np.bincount(pair, depth, minlength=n_pairs)
        squares = np.bincount(pair, depth * depth, minlength=n_pairs)
        effective = np.ones(n_pairs)
        np.divide(total * total, squares, out=effective, where=squares > 0)
        return np.maximum(effective, 1.0)
