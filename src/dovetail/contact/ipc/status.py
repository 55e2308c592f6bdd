"""How a step ended, and what to do about it."""

from enum import IntEnum


class StepStatus(IntEnum):
    """Outcome of the minimisation of a step; `advice` says what happened."""

    advice: str

    def __new__(cls, value: int, advice: str) -> "StepStatus":
        member = int.__new__(cls, value)
        member._value_ = value
        member.advice = advice
        return member

    CONVERGED = 0, "the step converged"
    OK = CONVERGED  # of what is part of a step: nothing prevents it
    # A workspace is too small: `contact.ipc.solver` makes it larger and takes the step again.
    LISTS_FULL = 1, "more memory for candidate lists is needed"
    ITERATES_FULL = 2, "more memory for iterates is needed"
    FACTOR_FULL = 3, "more memory for the Cholesky factor is needed"
    FRICTION_FULL = 4, "more memory for lagged contacts is needed"
    # The step failed.
    TOUCHING = 5, "the distance of two bodies is 0 to rounding, less than 1e-13 of their size"
    NO_DESCENT = 6, "no step along Newton's direction lowers the energy"
    TOO_MANY_ITERATIONS = 7, "the step did not converge"
    REFUSED = 8, "a mechanism must make the step by implicit Euler"  # see `newton.two_step`
    NOT_FINITE = 9, "the step's equations have no finite solution"
