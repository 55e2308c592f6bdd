"""The table of one case: a row for every method, the peer and the closed form."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from dovetail.errors import DovetailError
from dovetail.validation.agreement import ours, peer
from dovetail.validation.agreement.case import Case, Outcome, gained

CLOSED_FORM = "closed form"


class Row(NamedTuple):
    """What one method makes of a case; without values it refused."""

    method: str
    values: dict[str, float]
    gain: float | None = None  # [J] None: motors put energy in
    step_time: float = 0.0  # [s]
    refusal: str = ""


def rows(case: Case) -> Iterator[Row]:
    """Of every method and the peer as the runs end, then the closed form."""
    runs: list[tuple[str, Callable[[], Outcome]]] = [
        (name, lambda name=name: ours.run(case, name))  # type: ignore[misc]
        for name in ours.METHODS
    ]
    if peer.installed():
        runs.append(("MuJoCo", lambda: peer.run(case)))
    for name, run in runs:
        try:
            outcome = run()
        except DovetailError as error:
            yield Row(name, {}, refusal=str(error).splitlines()[0])
            continue
        gain = None if case.driven else gained(outcome.energy)
        yield Row(name, case.values(outcome), gain, outcome.step_time)
    if case.expected:
        yield Row(CLOSED_FORM, dict(case.expected))


def lines(case: Case) -> Iterator[str]:
    """Markdown, as the runs end. A method that refuses says why."""
    yield f"### {case.title}"
    yield ""
    columns: list[str] = []
    for row in rows(case):
        if row.refusal:
            yield f"| {row.method} | {row.refusal} |"
            continue
        if not columns:
            columns = list(row.values)
            yield from _head(["", *columns, "energy gained [J]", "us a step"])
        cells = [f"{row.values[c]:.4g}" if c in row.values else "" for c in columns]
        yield _line([row.method, *cells, *_cost(row)])


def summary(cases: dict[str, Case]) -> Iterator[str]:
    """Markdown: of each case its key value, the energy gained and the time of a step."""
    found = {name: {row.method: row for row in rows(case)} for name, case in cases.items()}
    methods = list(dict.fromkeys(method for case in found.values() for method in case))
    yield from _head(["", *(f"{name}: {case.key}" for name, case in cases.items())])
    for method in methods:
        values = [
            found[name][method].values.get(case.key) if method in found[name] else None
            for name, case in cases.items()
        ]
        yield _line([method, *("" if value is None else f"{value:.4g}" for value in values)])
    for title, column in (("energy gained [J]", 0), ("us a step", 1)):
        yield ""
        yield from _head([title, *cases])
        for method in methods:
            if method != CLOSED_FORM:
                cells = [_cost(found[name][method])[column] for name in cases]
                yield _line([method, *cells])


def _cost(row: Row) -> list[str]:
    """The energy gained and the time of a step."""
    if row.method == CLOSED_FORM:
        return ["", ""]
    gain = "-" if row.gain is None else f"{row.gain:.1e}"
    return [gain, f"{1e6 * row.step_time:.0f}"]


def _head(cells: list[str]) -> list[str]:
    return [_line(cells), "|" + "---|" * len(cells)]


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
