"""A scene from a document: everything right is built, everything wrong is said at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import ValidationError

from dovetail.errors import InputError
from dovetail.io.limits import MAX_ENTRIES, MAX_MISTAKES
from dovetail.io.mistakes_in_file import bearable
from dovetail.io.prove_settings import ProveSettings
from dovetail.io.run_settings import RunSettings
from dovetail.io.scene_file.reading.left_out import Place, other_mistakes, run_mistakes
from dovetail.io.scene_file.reading.mistakes import sentences
from dovetail.io.scene_file.reading.parts import PartsInSI
from dovetail.io.scene_file.reading.places import entries_of, entry_place, in_place
from dovetail.io.scene_file.reading.prove_section import prove_settings
from dovetail.io.scene_file.reading.run_section import run_settings
from dovetail.io.scene_file.reading.shapes import FetchMesh
from dovetail.io.scene_file.schema.scene import (
    SECTION_ENTRIES,
    DocumentHead,
    SceneDocument,
    UnitsEntry,
    section_adapter,
)
from dovetail.io.scene_file.units import ACCELERATION, Units
from dovetail.model.scene import Scene
from dovetail.model.values import quote


@dataclass(frozen=True, eq=False)
class ReadDocument:
    scene: Scene
    run: RunSettings
    prove: ProveSettings | None


def scene_from_document(document: Any, fetch: FetchMesh, file: str, *, build: bool) -> ReadDocument:
    """The scene and run settings of a version 1 document.

    With `build`, the model's own checks run too, so that their findings join the others in one
    InputError; every sentence starts with `file`.
    """
    if not isinstance(document, dict):
        raise InputError(
            f"{file}: must be a mapping that starts with `version: 1`, got {quote(document)}"
        )
    found: list[str] = []
    units = _units(document.get("units", {}))
    head = _head(document, units or Units(), found)
    units = units or Units()
    left_out: list[Place] = []
    valid = _valid_entries(document, units, found, left_out)
    run = head.run if head is not None else None
    found.extend(run_mistakes(document))
    gravity = head.gravity if head is not None else None
    scene = Scene((0.0, 0.0, 0.0) if gravity is None else units.to_si(gravity, ACCELERATION))
    _add_entries(document, valid, PartsInSI(scene, units, run, fetch), found, left_out)
    for pair in head.exclude_contact if head is not None else ():
        scene.exclude_contact(*pair)
    if found and len(found) < MAX_MISTAKES:
        found.extend(other_mistakes(document, left_out, units, fetch))
    if build or found:
        _check_model(scene, document, found)
    settings, proof = RunSettings(), None
    try:
        settings = run_settings(run, units)
    except InputError as error:
        found.extend(error.mistakes)
    try:
        section = head.prove if head is not None else None
        proof = prove_settings(section, scene, units, _names_left_out(document, scene))
    except InputError as error:
        found.extend(error.mistakes)
    _raise(found, file)
    return ReadDocument(scene, settings, proof)


def _names_left_out(document: dict[str, Any], scene: Scene) -> set[str]:
    """Names of bodies and joints that are written but not in the scene, for mistakes of theirs."""
    names = set()
    for section in ("bodies", "joints"):
        written = document.get(section)
        for entry in written if isinstance(written, list) else []:
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                names.add(entry["name"])
    return names - set(scene.bodies) - set(scene.joints)


def _units(written: Any) -> Units | None:
    """The units, or None where the section is wrong (the head says what, and SI is assumed)."""
    try:
        return Units(**UnitsEntry.model_validate(written).model_dump())
    except ValidationError:
        return None


def _head(document: dict[str, Any], units: Units, found: list[str]) -> DocumentHead | None:
    """All but the four lists."""
    try:
        return DocumentHead.model_validate(
            {key: value for key, value in document.items() if key not in SECTION_ENTRIES}
        )
    except ValidationError as error:
        found.extend(sentences(error, SceneDocument, units))
        return None


def _valid_entries(
    document: dict[str, Any], units: Units, found: list[str], left_out: list[Place]
) -> dict[str, list[tuple[int, Any]]]:
    """Per section, the usable entries with their place in the list; the others are `left_out`."""
    valid: dict[str, list[tuple[int, Any]]] = {section: [] for section in SECTION_ENTRIES}
    for section in SECTION_ENTRIES:
        written = document.get(section, [])
        if not isinstance(written, list) or len(written) > MAX_ENTRIES:
            found.append(
                f"`{section}` must be a list of at most {MAX_ENTRIES} entries, got {quote(written)}"
            )
            continue
        if not written:
            continue
        adapter = section_adapter(section)
        for index, raw in enumerate(written):
            if len(found) > MAX_MISTAKES:
                break
            try:
                valid[section].append((index, adapter.validate_python(raw)))
            except ValidationError as error:
                left_out.append((section, index))
                who = entry_place(section, index, raw)
                found.extend(
                    f"{who}: {sentence}"
                    for sentence in sentences(error, SECTION_ENTRIES[section], units)
                )
    return valid


def _add_entries(
    document: dict[str, Any],
    valid: dict[str, list[tuple[int, Any]]],
    parts: PartsInSI,
    found: list[str],
    left_out: list[Place],
) -> None:
    """Add what is usable; what refers to an unusable body is passed over without complaint."""
    unusable = _names(document) - {entry.name for _, entry in valid["bodies"]}
    if len(valid["bodies"]) < len(entries_of(document, "bodies")):
        unusable.add("")  # one without a name, which some other entry may mean
    for section, entries in valid.items():
        for index, entry in entries:
            try:
                if not parts.add(entry, unusable):
                    left_out.append((section, index))
            except InputError as error:
                who = entry_place(section, index, document[section][index])
                found.extend(f"{who}: {sentence}" for sentence in error.mistakes)
                if section == "bodies":
                    unusable.add(entry.name)


def _names(document: dict[str, Any]) -> set[str]:
    named = [entry for entry in entries_of(document, "bodies") if isinstance(entry, dict)]
    return {entry["name"] for entry in named if isinstance(entry.get("name"), str)}


def _check_model(scene: Scene, document: dict[str, Any], found: list[str]) -> None:
    try:
        # Extreme numbers overflow in the integrals; what comes out is checked there.
        with np.errstate(all="ignore"):
            scene.build()
    except InputError as error:
        found.extend(in_place(sentence, document) for sentence in error.mistakes)


def _raise(found: list[str], file: str) -> None:
    if found:
        raise InputError(bearable((f"{file}: {sentence}" for sentence in found), file))
