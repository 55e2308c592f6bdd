"""Results made to mislead the verifier, against exact rational arithmetic.

A sample; `benchmarks/verdict_corpus.py` tries a thousand and more.
"""

from adversarial_results import cases, verdict_on


def test_no_verdict_on_a_sample_of_adversarial_results_is_wrong_and_few_are_undecided():
    seen = [(case.meets, verdict_on(case), case.name) for case in cases(60, seed=24)]
    assert len(seen) > 50
    assert 15 < sum(meets for meets, _, _ in seen) < len(seen) - 15
    assert [name for meets, verdict, name in seen if meets and verdict == "free"] == []
    alarms = [name for meets, verdict, name in seen if not meets and verdict == "intersecting"]
    assert alarms == []
    assert [name for _, verdict, name in seen if verdict == "undecided"] == []
    decided = sum(verdict in ("free", "intersecting") for _, verdict, _ in seen)
    assert decided > 0.8 * len(seen)  # and not all of them called touching
