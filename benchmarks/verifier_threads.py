"""The verifier on one core and on all: the same certificate, and how much sooner.

    python benchmarks/verifier_threads.py [--cores 2] [--repeat 3]

The built-in bolt that turns into its nut, millions of tests. Prints the least wall time of several
for each number of threads and their ratio. Exit code 1 where the certificates differ.
"""

import argparse
import os
import sys
import time
from unittest.mock import patch

os.environ.setdefault("DOVETAIL_QUIET", "1")

import dovetail as dt
from dovetail.verifier.certificate import Certificate, certify


def threaded() -> dt.Result:
    """The nut that turns on its bolt."""
    example = dt.examples.get("bolt")
    return dt.simulate(example.build(), **example.RUN, progress=False, check=False)


def verified(result: dt.Result, cores: int) -> tuple[Certificate, float]:
    """The certificate made by so many threads, and the wall time [s]."""
    with patch.dict(os.environ, {"DOVETAIL_THREADS": str(cores)}):
        began = time.perf_counter()
        found = certify(result)
        return found, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    result = threaded()
    verified(result, 1)  # compiles
    times: dict[int, list[float]] = {1: [], given.cores: []}
    certificates = []
    for _ in range(given.repeat):
        for cores, taken in times.items():
            found, seconds = verified(result, cores)
            taken.append(seconds)
            certificates.append(repr(found))
    first = certificates[0]
    same = all(one == first for one in certificates)
    one, all_ = min(times[1]), min(times[given.cores])
    print(
        f"1 thread {one:.2f} s, {given.cores} threads {all_:.2f} s: {one / all_:.2f} times sooner"
    )
    print(f"{len(certificates)} certificates, {'all the same' if same else 'THEY DIFFER'}")
    sys.exit(not same)


if __name__ == "__main__":
    main()
