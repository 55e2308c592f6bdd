"""A study file: which scene, what is varied, which outputs.

version: 1
scene: docking.yaml              # beside this file, or a built-in example
run: {duration: 8}               # overrules the scene's own run section
set: {"gravity[2]": 0}           # overrules anything else, in every run
sample: {latin: 500, seed: 7}    # or {random: 500}, or grid (the default)
vary:
  bodies.chaser.velocity[1]: {normal: [0, 0.002]}
  gap: {uniform: [0.05, 0.15], to: ["bodies.chaser.position[0]"], change: add}
  run.contact.friction: [0.1, 0.2, 0.3]
outputs:
  peak_force: {max: contact_force, bodies: [ring, striker]}
  near: {last: distance, bodies: [ring, target], below: 0.01}
  slow: {last: velocity, bodies: [ring, target], below: 0.001}
  latched: {all: [near, slow]}
until:                           # a run may end earlier, when it is decided
  missed: {of: distance, bodies: [ring, target], above: 0.2}
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from dovetail.errors import InputError
from dovetail.io.json_text import parse_json
from dovetail.io.scene_file.reading.mistakes import sentences
from dovetail.io.scene_file.schema.values import Entry, Name, Number
from dovetail.io.scene_file.units import Units
from dovetail.io.scene_file.yaml_text import parse_yaml
from dovetail.io.text_files import read_text
from dovetail.model.values import quote
from dovetail.studies.distributions import Distribution, LogUniform, Normal, Uniform, Values
from dovetail.studies.outputs import REDUCTIONS, TIMES_WHERE, AllOf, Output
from dovetail.studies.sampling import Grid, Latin, Random, Sampling
from dovetail.studies.until import Until
from dovetail.studies.varied import Varied

Two = Annotated[list[Number], Field(min_length=2, max_length=2)]
Whole = Annotated[int, Field(ge=0, le=10**18)]
DISTRIBUTIONS = ("values", "uniform", "loguniform", "normal")


class VaryEntry(Entry):
    """One varied value; exactly one of the four distributions."""

    values: list[Any] | None = None
    uniform: Two | None = None
    loguniform: Two | None = None
    normal: Annotated[Two | None, Field(description="mean and standard deviation")] = None
    to: list[str] | None = None
    change: Literal["set", "add", "multiply"] = "set"


class SampleEntry(Entry):
    random: Whole | None = None
    latin: Whole | None = None
    seed: Whole = 0


class OutputEntry(Entry):
    """One output; exactly one reduction, whose value is the signal, or the names of `all`."""

    all: Annotated[list[Name] | None, Field(description="other outputs, all of them yes")] = None

    first: str | None = None
    last: str | None = None
    min: str | None = None
    max: str | None = None
    mean: str | None = None
    integral: str | None = None
    change: str | None = None
    loss: str | None = None
    time_of_min: str | None = None
    time_of_max: str | None = None
    first_time: str | None = None
    last_time: str | None = None
    time_share: str | None = None
    bodies: list[Name] = Field(default_factory=list)
    component: Literal["x", "y", "z"] | None = None
    above: Number | None = None
    below: Number | None = None


class UntilEntry(Entry):
    """What ends a run when it is reached."""

    of: str
    bodies: list[Name]
    component: Literal["x", "y", "z"] | None = None
    above: Number | None = None
    below: Number | None = None


class StudyDocument(Entry):
    """A whole study file."""

    version: Literal[1]
    scene: str
    description: str | None = None
    run: dict[str, Any] = Field(default_factory=dict)
    set: Annotated[dict[str, Any], Field(description="the same in every run, by its place")] = (
        Field(default_factory=dict)
    )
    sample: SampleEntry | Literal["grid"] = "grid"
    vary: Annotated[dict[str, VaryEntry], Field(min_length=1)]
    outputs: Annotated[dict[str, OutputEntry], Field(min_length=1)]
    until: dict[str, UntilEntry] = Field(default_factory=dict)
    keep_results: bool = True

    @model_validator(mode="before")
    @classmethod
    def _lists_are_values(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("vary"), dict):
            vary = {
                name: {"values": entry} if isinstance(entry, list) else entry
                for name, entry in data["vary"].items()
            }
            data = {**data, "vary": vary}
        return data


@dataclass(frozen=True, eq=False)
class StudyRequest:
    """A study file, read and checked; the scene is still a name."""

    scene: str
    run: dict[str, Any]
    constant: dict[str, Any]  # `set`: by place
    vary: dict[str, Varied]
    sampling: Sampling
    outputs: dict[str, Output | AllOf]
    until: dict[str, Until]
    keep_results: bool


def read_study(path: Path) -> StudyRequest:
    """Read a study file; raises InputError with one sentence for every mistake."""
    text = read_text(path)
    document = (parse_json if path.suffix.lower() == ".json" else parse_yaml)(text, path.name)
    if not isinstance(document, dict):
        raise InputError(
            f"{path.name}: must be a mapping that starts with `version: 1`, got {quote(document)}"
        )
    try:
        entry = StudyDocument.model_validate(document)
    except ValidationError as error:
        found = sentences(error, StudyDocument, Units())
        raise InputError([f"{path.name}: {sentence}" for sentence in found]) from None
    try:
        return StudyRequest(
            entry.scene,
            entry.run,
            entry.set,
            {name: _varied(name, value) for name, value in entry.vary.items()},
            _sampling(entry.sample),
            _outputs(entry.outputs),
            {name: _until(name, value) for name, value in entry.until.items()},
            entry.keep_results,
        )
    except InputError as error:
        raise InputError([f"{path.name}: {sentence}" for sentence in error.mistakes]) from None


def _varied(name: str, entry: VaryEntry) -> Varied:
    given = [kind for kind in DISTRIBUTIONS if getattr(entry, kind) is not None]
    if len(given) != 1:
        raise InputError(
            f"`vary.{name}` must have exactly one of {', '.join(DISTRIBUTIONS)}, "
            f"got {', '.join(given) or 'none'}"
        )
    value = getattr(entry, given[0])
    over: Distribution
    if given[0] == "values":
        over = Values(value)
    elif given[0] == "normal":
        over = Normal(*value)
    else:
        over = (Uniform if given[0] == "uniform" else LogUniform)(*value)
    return Varied(over, tuple(entry.to or ()), entry.change)


def _sampling(entry: SampleEntry | Literal["grid"]) -> Sampling:
    if isinstance(entry, str):
        return Grid()
    if (entry.random is None) == (entry.latin is None):
        raise InputError("`sample` must be grid, {random: N} or {latin: N}")
    if entry.random is not None:
        return Random(entry.random, entry.seed)
    assert entry.latin is not None
    return Latin(entry.latin, entry.seed)


def _outputs(entries: dict[str, OutputEntry]) -> dict[str, Output | AllOf]:
    """Outputs in the order of the file; those of others know what these are."""
    simple = {name: _output(name, entry) for name, entry in entries.items() if entry.all is None}
    found: dict[str, Output | AllOf] = {}
    for name, entry in entries.items():
        if entry.all is None:
            found[name] = simple[name]
            continue
        if entry.model_fields_set != {"all"} or not entry.all:
            raise InputError(f"`outputs.{name}` must have nothing but a list of names in `all`")
        for other in entry.all:
            if other not in simple:
                raise InputError(
                    f"`outputs.{name}.all` must name outputs that have a reduction, "
                    f"{quote(other)} is none"
                )
        try:
            found[name] = AllOf(tuple(simple[other] for other in entry.all))
        except InputError as error:
            raise InputError(f"`outputs.{name}`: {error}") from None
    return found


def _output(name: str, entry: OutputEntry) -> Output:
    given = [how for how in (*REDUCTIONS, *TIMES_WHERE) if getattr(entry, how) is not None]
    if len(given) != 1:
        raise InputError(
            f"`outputs.{name}` must have exactly one of {', '.join((*REDUCTIONS, *TIMES_WHERE))}, "
            f"got {', '.join(given) or 'none'}"
        )
    try:
        return Output(
            given[0], getattr(entry, given[0]), tuple(entry.bodies), entry.component,
            entry.above, entry.below,
        )  # fmt: skip
    except InputError as error:
        raise InputError(f"`outputs.{name}`: {error}") from None


def _until(name: str, entry: UntilEntry) -> Until:
    try:
        return Until(entry.of, tuple(entry.bodies), entry.component, entry.above, entry.below)
    except InputError as error:
        raise InputError(f"`until.{name}`: {error}") from None
