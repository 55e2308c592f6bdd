"""The example extensions as modules outside the package; what a test registers ends with it."""

import sys
from pathlib import Path

import pytest

import dovetail as dt

FOLDER = Path(__file__).parents[2] / "examples" / "extensions"
sys.path.insert(0, str(FOLDER))


@pytest.fixture(autouse=True)
def only_for_this_test():
    registries = [dt.extend.registry(kind) for kind in dt.extend.KINDS]
    before = [dict(registry._entries) for registry in registries]
    yield
    for registry, entries in zip(registries, before):
        registry._entries = entries
    for module in FOLDER.glob("*.py"):
        sys.modules.pop(module.stem, None)  # imported again, it registers again
