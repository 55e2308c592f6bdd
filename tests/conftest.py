"""Fixtures of the whole suite."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# What is said on stderr must not depend on whether kernels are compiled already.
os.environ["DOVETAIL_QUIET"] = "1"
# A browser takes seconds to start; tests/view/test_picture.py tries it.
os.environ.setdefault("DOVETAIL_RENDERER", "own")

# Examples have no deadline and may be slow to make: both depend on the machine, and the first one
# may compile kernels. CI tries the same examples each time, so that a change is tested and not the
# dice; elsewhere every run tries others. `--hypothesis-profile` chooses one by name.
ANYWHERE = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("random", derandomize=False, **ANYWHERE)
settings.register_profile("ci", derandomize=True, **ANYWHERE)
settings.load_profile("ci" if os.environ.get("CI") else "random")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Peers' scenes and meshes, kept beside the repository and never committed."""
    root = Path(os.environ.get("DOVETAIL_SHARED", Path(__file__).parents[2] / "shared"))
    if not (root / "data").is_dir():
        pytest.skip("the shared data folder is not beside this clone")
    return root / "data"


@pytest.fixture
def own_registries():
    """What a test registers ends with it."""
    import dovetail as dt

    registries = [dt.extend.registry(kind) for kind in dt.extend.KINDS]
    before = [dict(registry._entries) for registry in registries]
    yield
    for registry, entries in zip(registries, before):
        registry._entries = entries
