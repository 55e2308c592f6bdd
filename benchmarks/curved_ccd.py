"""Speed of curved CCD, and a million queries verified: python benchmarks/curved_ccd.py [N]

N queries (default 1,000,000) are shared out over point-triangle and edge-edge; each is checked at
65 sampled times with exact predicates and against the verifier's subdivision.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "collision" / "ccd"))

from curved_queries import (
    CODES,
    KINDS,
    MAX_ITERATIONS,
    MIN_GAP_FRACTION,
    draw,
    earliness,
    late,
    time_all,
    verified,
)

BATCH = 25_000


def speed() -> None:
    for kind in KINDS:
        corners, motion = draw(np.random.default_rng(0), 20_000, kind)
        arguments = (CODES[kind], corners, motion, MIN_GAP_FRACTION, MAX_ITERATIONS)
        evaluations, least = time_all(*arguments), np.inf
        for _ in range(5):
            started = time.perf_counter()
            time_all(*arguments)
            least = min(least, time.perf_counter() - started)
        print(
            f"{kind:15s} {1e6 * least / len(corners):.2f} us per query, "
            f"{evaluations / len(corners):.1f} distance evaluations, "
            f"{1e9 * least / evaluations:.0f} ns each"
        )


def truth(queries: int) -> bool:
    right = True
    for kind in ("point-triangle", "edge-edge"):
        wrong, early, undecided = 0, [], 0
        for seed in range(max(1, queries // 2 // BATCH)):
            found = verified(kind, min(BATCH, queries // 2), np.random.default_rng([seed, 7]))
            wrong += int(late(found).sum())
            undecided += int((found["known"] == 0).sum())
            early.append(earliness(found))
        every = np.concatenate(early)
        right &= wrong == 0
        print(
            f"{kind:15s} {wrong} late; {len(every)} meet, early by {100 * np.median(every):.2f} % "
            f"(median), {100 * np.quantile(every, 0.9):.2f} % (9 of 10); "
            f"{undecided} verified by sampling only"
        )
    return right


if __name__ == "__main__":
    speed()
    sys.exit(0 if truth(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000) else 1)
