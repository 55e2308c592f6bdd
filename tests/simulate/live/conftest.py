import pytest

from live_scenes import METHODS


@pytest.fixture(params=METHODS, ids=lambda m: f"{m[0]}-{m[1]}")
def method(request):
    """A contact method and an integrator, by name."""
    return request.param
