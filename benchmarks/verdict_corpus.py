"""Verdicts of the verifier on results made to mislead it, against exact rational arithmetic.

    python benchmarks/verdict_corpus.py [--cases 1200] [--seed 0]

Prints how many verdicts are wrong and undecided, family by family. Exit code 1 where bodies that
meet were called free, bodies apart were called intersecting, or 1 % is undecided.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "verifier"))


def main() -> None:
    from adversarial_results import cases, verdict_on

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    seen: Counter[tuple[bool, str]] = Counter()
    slowest, spent = 0.0, 0.0
    for case in cases(given.cases, given.seed):
        began = time.process_time()
        verdict = verdict_on(case)
        took = time.process_time() - began
        slowest, spent = max(slowest, took), spent + took
        seen[case.meets, verdict] += 1
        wrong = {True: ("free",), False: ("intersecting", "refused")}[case.meets]
        if verdict in (*wrong, "undecided"):
            print(f"{case.name}: bodies {'meet' if case.meets else 'are apart'}, said {verdict}")
    total = sum(seen.values())
    print(f"{total} results: {sum(n for (meets, _), n in seen.items() if meets)} with meetings")
    for meets in (True, False):
        row = {verdict: n for (m, verdict), n in sorted(seen.items()) if m == meets}
        print(f"  bodies {'meet' if meets else 'are apart'}: {row}")
    false_free = seen[True, "free"]
    false_alarm = seen[False, "intersecting"] + seen[False, "refused"]
    undecided = seen[True, "undecided"] + seen[False, "undecided"]
    print(f"falsely free {false_free}, falsely intersecting {false_alarm}, "
          f"undecided {undecided} ({100 * undecided / total:.2g} %)")  # fmt: skip
    print(f"{1e3 * spent / total:.3g} ms a verdict, slowest {slowest:.3g} s")
    sys.exit(bool(false_free or false_alarm or undecided >= 0.01 * total))


if __name__ == "__main__":
    main()
