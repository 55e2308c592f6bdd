"""The spectral radius at infinity is between 0 and 1 (Chung and Hulbert 1993)."""

import pytest

import dovetail as dt


@pytest.mark.parametrize("radius", [0, 0.5, 1])
def test_radii_of_stable_schemes_are_accepted(radius):
    assert dt.integrators.LieGeneralizedAlpha(radius).spectral_radius == radius


@pytest.mark.parametrize("radius", [-0.1, 1.5, 2, "1", None])
def test_others_are_refused(radius):
    with pytest.raises(dt.InputError, match="`spectral_radius` must be between 0 and 1"):
        dt.integrators.LieGeneralizedAlpha(radius)
