"""Nonmonotone line search: by how much a search step may raise the energy, for a while.

Newton's direction does not know of contacts to come. A search step that ends just before one, deep
in its barrier, raises the energy; halved until it does not, it would hardly advance, and hundreds
of contacts would be found one after another. From a pose within the barrier the next direction
knows of the contact and leads out of it. So a step that a contact has limited may end at an energy
as high as that of one of the last iterates (Grippo, Lampariello and Lucidi 1986), so never above
that of the start, as long as the energy is the same function. After MAX_WITHOUT_PROGRESS iterations
without a new least energy, or MAX_INCREASES in all, the search is monotone. Friction, whose
contacts reverse, does not take part.
"""

from dovetail.runtime.jit import jit_in_place

MEMORY = 3  # iterates before the present one that are compared with
MAX_WITHOUT_PROGRESS, MAX_INCREASES = 16, 100
# Entries of the history: MEMORY energies of the last iterates above the present one, the present
# energy above the least one, iterations since the least one, and the number of increases.
ABOVE_LEAST, WITHOUT_PROGRESS, INCREASES = MEMORY, MEMORY + 1, MEMORY + 2
HISTORY = MEMORY + 3


@jit_in_place
def begin_history(history, allowed):
    """A new minimisation; `allowed` says whether the energy may rise at all."""
    forget_energies(history)
    history[WITHOUT_PROGRESS] = 0.0
    history[INCREASES] = 0.0 if allowed else MAX_INCREASES


@jit_in_place
def forget_energies(history):
    """The energy is another function now: its previous values say nothing."""
    for k in range(MEMORY):
        history[k] = 0.0
    history[ABOVE_LEAST] = 0.0


@jit_in_place
def allowed_increase(history):
    """By how much the energy may rise now."""
    most = 0.0
    if history[WITHOUT_PROGRESS] < MAX_WITHOUT_PROGRESS and history[INCREASES] < MAX_INCREASES:
        for k in range(MEMORY):
            most = max(most, history[k])
    return most


@jit_in_place
def record_increase(history, iteration, increase):
    """After an iteration, by how much the energy rose. Differences: islands come and go."""
    for k in range(MEMORY):
        history[k] -= increase
    history[iteration % MEMORY] = -increase
    history[INCREASES] += 1.0 if increase > 0.0 else 0.0
    history[ABOVE_LEAST] += increase
    if history[WITHOUT_PROGRESS] < MAX_WITHOUT_PROGRESS:
        progress = history[ABOVE_LEAST] < 0.0
        history[WITHOUT_PROGRESS] = 0.0 if progress else history[WITHOUT_PROGRESS] + 1.0
    history[ABOVE_LEAST] = max(0.0, history[ABOVE_LEAST])
