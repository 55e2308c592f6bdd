"""The table of one case: a row for every method, the peer and the closed form."""

from collections.abc import Callable, Iterator

from dovetail.errors import DovetailError
from dovetail.validation.agreement import ours, peer
from dovetail.validation.agreement.case import Case, Outcome, gained


def lines(case: Case) -> Iterator[str]:
    """Markdown, as the runs end. A method that refuses says why."""
    runs: list[tuple[str, Callable[[], Outcome]]] = [
        (name, lambda name=name: ours.run(case, name))  # type: ignore[misc]
        for name in ours.METHODS
    ]
    if peer.installed():
        runs.append(("MuJoCo", lambda: peer.run(case)))
    yield f"### {case.title}"
    yield ""
    columns: list[str] = []
    for name, run in runs:
        try:
            outcome = run()
        except DovetailError as error:
            yield f"| {name} | {str(error).splitlines()[0]} |"
            continue
        values = case.values(outcome)
        if not columns:
            columns = list(values)
            heads = ["", *columns, "energy gained [J]", "us a step"]
            yield "| " + " | ".join(heads) + " |"
            yield "|" + "---|" * len(heads)
        gain = "-" if case.driven else f"{gained(outcome.energy):.1e}"
        cells = [name, *(f"{values[column]:.4g}" for column in columns), gain]
        yield "| " + " | ".join([*cells, f"{1e6 * outcome.step_time:.0f}"]) + " |"
    if case.expected:
        cells = [f"{case.expected[c]:.4g}" if c in case.expected else "" for c in columns]
        yield "| " + " | ".join(["closed form", *cells, "", ""]) + " |"
