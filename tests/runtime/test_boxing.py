"""A signal that arrives while a kernel runs ends in an exception, not in a segmentation fault."""

import os
import signal
from enum import IntEnum
from typing import NamedTuple

import pytest

from dovetail.runtime.jit import jit


class Status(IntEnum):
    SOLVED = 0
    FAILED = 1


class Outcome(NamedTuple):
    status: Status
    steps: int
    residual: float


class Pair(NamedTuple):
    """Numba has another type for records whose fields are all of one type."""

    first: float
    second: float


@jit
def _busy(count):
    x = 0.0
    for k in range(count):
        x = 0.5 * x + 1.0 / (1.0 + k * x)
    return x


@jit
def outcome(count):
    return Outcome(Status.FAILED, count, _busy(count))


@jit
def pair(count):
    return Pair(_busy(count), 1.0)


@jit
def nested(count):
    return count, outcome(count), pair(3)


def test_records_and_their_status_come_back_as_they_were_made():
    assert outcome(0) == Outcome(Status.FAILED, 0, 0.0)
    assert type(outcome(0)) is Outcome and outcome(0).status is Status.FAILED
    assert type(pair(0)) is Pair and pair(0) == (0.0, 1.0)
    count, first, second = nested(2)
    assert (count, type(first), type(second)) == (2, Outcome, Pair)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process of its own")
@pytest.mark.parametrize("kernel", [outcome, pair, nested])
def test_an_exception_of_a_signal_handler_passes_through_a_kernel(kernel):
    """Ctrl-C while a kernel computes for a second of processor time or so."""
    kernel(1)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.default_int_handler)  # raises KeyboardInterrupt
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            for _ in range(100):
                kernel(30_000_000)
        except KeyboardInterrupt:
            os._exit(0)
        os._exit(3)
    _, status = os.waitpid(child, 0)
    assert not os.WIFSIGNALED(status), f"ended by signal {os.WTERMSIG(status)}"
    assert os.WEXITSTATUS(status) == 0
