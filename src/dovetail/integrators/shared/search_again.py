"""When contacts of a step are sought again: bodies move farther than expected.

Contacts are sought before the velocities at the end are known, as far as bodies move with those
that they have and with what loads add. A body that another one strikes or pulls within the step may
move farther. If one does, by more than a tolerance, its contacts are sought as far as the solution
moves it, and the step (or the piece of one) is solved again, a few times: each round can set the
next body in motion.
"""

WIDER, LITTLE = 1.01, 1e-4  # by which a motion may be farther: times that, and of the radius
MAX_SEARCHES = 4  # besides the first
