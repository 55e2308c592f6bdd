"""Fixtures of the whole suite."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# CI tries the same examples each time, so that a change is judged and not the dice; elsewhere
# every run tries others.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Peers' scenes and meshes, kept beside the repository and never committed."""
    root = Path(os.environ.get("DOVETAIL_SHARED", Path(__file__).parents[2] / "shared"))
    if not (root / "data").is_dir():
        pytest.skip("the shared data folder is not beside this clone")
    return root / "data"
