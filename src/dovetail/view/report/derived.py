"""Every value of a run that was derived rather than given, with its unit."""

import io
import json
import os
import warnings
from contextlib import redirect_stderr
from unittest import mock

from dovetail import contact
from dovetail.errors import DovetailError
from dovetail.results import Result

PREFIX = "dovetail: "


def derived_values(result: Result) -> list[str]:
    """Lines such as 'crate: mass = 62.5 kg'; contact methods are prepared again, as in the run."""
    lines = [
        f"{name}: {quantity} = {value}"
        for name in result.names
        if result.scene.bodies[name].motion == "dynamic"
        for quantity, value in result.scene.bodies[name].checked.derived.items()
    ]
    return [*lines, *_derived_by_contact(result)]


def _derived_by_contact(result: Result) -> list[str]:
    """What the contact method prints when it is prepared for the scene."""
    settings = json.loads(result.stored.header.settings)["contact"]
    if not settings:
        return []
    options = {key: value for key, value in settings.items() if key != "type"}
    said = io.StringIO()
    loud = mock.patch.dict(os.environ, {"DOVETAIL_QUIET": "0"})
    try:
        with redirect_stderr(said), warnings.catch_warnings(), loud:
            warnings.simplefilter("ignore")
            method = contact.named(settings["type"].lower(), options)
            assert method is not None
            method.prepare(result.scene.build())
    except DovetailError as error:
        return [f"the contact method could not be prepared again: {error}"]
    rows = [line.removeprefix(PREFIX) for line in said.getvalue().splitlines()]
    return [row for row in rows if row and not row.startswith("compiling kernels")]
