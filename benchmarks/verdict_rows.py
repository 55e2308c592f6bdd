"""Rows of what must be reached, printed with PASS or FAIL."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

Line = tuple[str, float, float, str, bool]  # what, ours, a peer's or nan, what is wanted, reached


def failed_rows(
    rows: Mapping[str, Callable[[], Iterable[Line]]], begin_with: Sequence[str], only_list: bool
) -> int:
    """Run and print the rows whose names begin so, all without any; how many lines failed."""
    failed = 0
    for name, row in rows.items():
        if only_list:
            print(name, row.__doc__)
        elif not begin_with or any(name.startswith(r) for r in begin_with):
            began = time.process_time()
            print(f"{name}: {row.__doc__}", flush=True)
            for what, ours, peer, wanted, so in row():
                failed += not so
                beside = "" if peer != peer else f"{peer:<10.3g}"
                verdict = "PASS" if so else "FAIL"
                print(f"  {what:52} {ours:<10.3g} {beside:10} {wanted:22} {verdict}", flush=True)
            print(f"  ({time.process_time() - began:.0f} s)", flush=True)
    return failed
