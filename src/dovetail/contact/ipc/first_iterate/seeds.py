"""What the linearised contacts leave: forces by candidate, for friction and for the next pose."""

from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.first_iterate.records import FIRST, NORMAL, SECOND, WIDTH
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def store_seeds(lists, contacts):
    """Normal forces and the duals of friction (`friction.duals`) by candidate."""
    seed, force, candidate, J = contacts.seed, contacts.force, contacts.candidate, contacts.J
    candidates = active_candidates(lists)
    for c in range(candidates.start[candidates.n_pairs]):
        seed[c] = 0.0
    for r in range(contacts.count[0]):
        c, limit = candidate[r], contacts.mu[r] * force[r, NORMAL]
        seed[c] = force[r, NORMAL]
        for k in range(3):
            contacts.seed_dual[c, k] = 0.0
            if limit > 0.0:
                along = J[r, FIRST * WIDTH + k] * force[r, FIRST]
                along += J[r, SECOND * WIDTH + k] * force[r, SECOND]
                contacts.seed_dual[c, k] = -along / limit
