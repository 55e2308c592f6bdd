"""What else is wrong with entries that could not be used: their names, and their other keys.

An entry with a mistake does not become part of the scene, so the scene cannot find its other
mistakes. They are looked for in the document itself, so that one reading tells all.
"""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from dovetail.errors import InputError
from dovetail.integrators.registry import SCHEMES
from dovetail.io.limits import MAX_MISTAKES
from dovetail.io.scene_file.reading.parts import PartsInSI
from dovetail.io.scene_file.reading.places import entries_of, entry_place
from dovetail.io.scene_file.reading.run_section import unknown_options
from dovetail.io.scene_file.reading.shapes import FetchMesh
from dovetail.io.scene_file.schema.scene import section_adapter
from dovetail.io.scene_file.units import Units
from dovetail.model.scene import Scene
from dovetail.model.values import GROUND_NAME, quote
from dovetail.runtime.registry import did_you_mean

Place = tuple[str, int]  # section, index in its list


def other_mistakes(
    document: dict[str, Any], left_out: list[Place], units: Units, fetch: FetchMesh
) -> list[str]:
    """Sentences about the entries at `left_out`, each with its place in the file."""
    found = []
    bodies = [raw for raw in entries_of(document, "bodies") if isinstance(raw, dict)]
    names = {raw["name"] for raw in bodies if isinstance(raw.get("name"), str)}
    materials = {raw["material"] for raw in bodies if isinstance(raw.get("material"), str)}
    first = _first_of_each_name(document)
    for section, index in left_out[:MAX_MISTAKES]:
        raw = document[section][index]
        if not isinstance(raw, dict):
            continue
        who = entry_place(section, index, raw)
        sentences = [*_of_names(section, raw, names, materials)]
        name = raw.get("name")
        if isinstance(name, str) and first.get((section, name), index) < index:
            sentences.append(f"two {section} are named {quote(name)}; names must be unique")
        if section == "bodies":
            sentences += _of_other_keys(raw, units, fetch)
        found += [f"{who}: {sentence}" for sentence in sentences]
    return found


def _first_of_each_name(document: dict[str, Any]) -> dict[tuple[str, str], int]:
    """Where each name of a section is written first."""
    first: dict[tuple[str, str], int] = {}
    for section in ("bodies", "joints", "couplings", "loads"):
        for index, raw in enumerate(entries_of(document, section)):
            if isinstance(raw, dict) and isinstance(raw.get("name"), str):
                first.setdefault((section, raw["name"]), index)
    return first


def _of_names(
    section: str, raw: dict[str, Any], names: set[str], materials: set[str]
) -> Iterator[str]:
    """Names of bodies and materials that nothing has."""
    mentioned = _mentioned(section, raw)
    known = {*names, *materials} if section == "materials" else {*names, GROUND_NAME}
    for other in dict.fromkeys(name for name in mentioned if isinstance(name, str)):
        if other not in known:
            what = "body or material" if section == "materials" else "body"
            yield f"there is no {what} {quote(other)}{did_you_mean(other, sorted(known))}"
    if section == "joints" and len(mentioned) == 2 and mentioned[0] == mentioned[1]:
        yield f"must join two different bodies, got {quote(mentioned[0])} twice"


def _mentioned(section: str, raw: dict[str, Any]) -> list[Any]:
    """The names of bodies or materials in an entry."""
    if section == "materials":
        return raw["pair"] if isinstance(raw.get("pair"), list) else []
    if section in ("joints", "loads"):
        several = raw["bodies"] if isinstance(raw.get("bodies"), list) else []
        return [*several, raw["body"]] if isinstance(raw.get("body"), str) else several
    return []


def _of_other_keys(raw: dict[str, Any], units: Units, fetch: FetchMesh) -> list[str]:
    """What is wrong with a body besides the keys that have no right form."""
    adapter = section_adapter("bodies")
    try:
        adapter.validate_python(raw)
    except ValidationError as error:
        wrong = {one["loc"][0] for one in error.errors(include_url=False) if one["loc"]}
    else:
        return []  # it has been reported as a whole
    rest = {key: value for key, value in raw.items() if key not in wrong}
    rest["name"] = "body"
    if "shape" in wrong:  # then these have no meaning
        rest.pop("density", None)
        rest.pop("center_of_mass", None)
    if rest.get("motion") != "kinematic":
        rest["motion"] = "static"  # which needs no mass
    try:
        entry = adapter.validate_python(rest)
        trial = Scene()
        PartsInSI(trial, units, None, fetch).add(entry, set())
        trial.build()
    except ValidationError:
        return []
    except InputError as error:
        return [sentence.replace(" of body 'body'", "") for sentence in error.mistakes]
    return []


def run_mistakes(document: dict[str, Any]) -> list[str]:
    """Names in the `run` section that nothing has: the integrator, options of the contact."""
    run = document.get("run")
    if not isinstance(run, dict):
        return []
    found = unknown_options(run.get("contact"))
    integrator = run.get("integrator")
    name = integrator.get("name") if isinstance(integrator, dict) else integrator
    if isinstance(name, str) and name.lower() not in {known.lower() for known in SCHEMES}:
        found.append(
            f"`run.integrator`: integrator {quote(name)} is not known (known: "
            f"{', '.join(SCHEMES)}){did_you_mean(name, SCHEMES)}"
        )
    return found
