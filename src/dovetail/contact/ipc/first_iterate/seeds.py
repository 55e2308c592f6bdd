"""Normal forces of the linearised contacts by candidate: friction is lagged with them."""

from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.first_iterate.records import NORMAL
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def store_seeds(lists, contacts):
    """Normal forces [kg m] by candidate of the lists in use."""
    seed, force, candidate = contacts.seed, contacts.force, contacts.candidate
    candidates = active_candidates(lists)
    for c in range(candidates.start[candidates.n_pairs]):
        seed[c] = 0.0
    for r in range(contacts.count[0]):
        seed[candidate[r]] = force[r, NORMAL]
