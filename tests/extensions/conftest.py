"""The example extensions as modules outside the package; what a test registers ends with it."""

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "extensions"
sys.path.insert(0, str(FOLDER))


@pytest.fixture(autouse=True)
def only_for_this_test(own_registries):
    yield
    for module in FOLDER.glob("*.py"):
        sys.modules.pop(module.stem, None)  # imported again, it registers again
