"""Whether the minimisation still moves a body, see `islands.settled`."""

ACTIVE, SETTLED, SETTLING = range(3)  # the last: with the present search step
