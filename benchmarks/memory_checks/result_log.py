"""For pytest (`-p result_log`): one line per run of a test, with a digest of its result.

RESULT_LOG names the file. Two logs of the same tests show where memory, the order of sets or
anything else that is not part of the scene took part in a result. Tests that time or fork differ
by themselves: they have no line, or lines that `compare` leaves out.
"""

import functools
import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest


def digest(result: Any) -> str:
    """SHA-256 of time, states and energies."""
    total = hashlib.sha256(np.ascontiguousarray(result.time).tobytes())
    for name in sorted(result.scene.bodies):
        states = result.position, result.rotation, result.velocity, result.angular_velocity
        for of in states:
            total.update(np.ascontiguousarray(of(name)).tobytes())
    for kind in sorted(result.energy):
        total.update(np.ascontiguousarray(result.energy[kind]).tobytes())
    return total.hexdigest()[:16]


_lines: list[str] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    _lines.clear()
    yield
    with Path(os.environ["RESULT_LOG"]).open("a") as log:
        log.writelines(f"{item.nodeid}\t{k}\t{line}\n" for k, line in enumerate(_lines))


def pytest_configure() -> None:
    import dovetail.simulate as package

    plain = package.simulate

    @functools.wraps(plain)
    def simulate(*arguments: Any, **options: Any) -> Any:
        result = plain(*arguments, **options)
        if hasattr(result, "energy") and len(result.time):
            _lines.append(digest(result))
        return result

    package.simulate = sys.modules["dovetail.simulate.run"].simulate = simulate  # type: ignore[attr-defined]


def compare(one: Path, other: Path) -> tuple[int, list[str]]:
    """How many runs two logs have in common, and those that differ."""
    known = [
        {tuple(line.split("\t")[:2]): line for line in each.read_text().splitlines()}
        for each in (one, other)
    ]
    common = sorted(known[0].keys() & known[1].keys())
    return len(common), ["#".join(key) for key in common if known[0][key] != known[1][key]]


if __name__ == "__main__":
    count, differing = compare(Path(sys.argv[1]), Path(sys.argv[2]))
    print(f"{count} runs, {len(differing)} differ", *differing, sep="\n  ")
    sys.exit(bool(differing))
