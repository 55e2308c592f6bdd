"""Settings of the contact methods: every wrong one is named, right ones are kept as given."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.collision.sdf.building import MAX_CELLS, MIN_CELLS

SDF, LCP, IPC = dt.contact.SDF, dt.contact.LCP, dt.contact.IPC


@pytest.mark.parametrize(
    ("method", "settings", "sentence"),
    [
        (LCP, {"restitution": -0.1}, "`restitution` must be >= 0"),
        (LCP, {"restitution": 1.1}, "`restitution` must be 0 to 1, got 1.1"),
        (LCP, {"facets": 3}, "`facets` must be an even number from"),
        (LCP, {"facets": 7}, "`facets` must be an even number from"),
        (LCP, {"facets": 2}, "`facets` must be an even number from"),
        (LCP, {"facets": True}, "`facets` must be an even number from"),
        (LCP, {"facets": 8.0}, "`facets` must be an even number from"),
        (LCP, {"cone": "round"}, "`cone` must be one of .*pyramid"),
        (LCP, {"cone": 3}, "`cone` must be one of"),
        (LCP, {"impact": "none"}, "`impact` must be one of .*poisson"),
        (LCP, {"tolerance": 0}, "`tolerance` must be > 0 m/s, got 0"),
        (LCP, {"tolerance": "small"}, "`tolerance` must be"),
        (LCP, {"friction": -1}, "`friction`"),
        (IPC, {"restitution": -0.1}, "`restitution` must be >= 0"),
        (IPC, {"restitution": 1.1}, "`restitution` must be 0 to 1, got 1.1"),
        (IPC, {"friction": -1}, "`friction`"),
        (IPC, {"min_separation": -1e-3}, "`min_separation` must be >= 0 m"),
        (IPC, {"eps_v": 0}, "`eps_v` must be > 0 m/s"),
        (IPC, {"dhat": 0}, "`dhat` must be > 0 m"),
        (IPC, {"velocity_tolerance": 0}, "`velocity_tolerance` must be > 0 m/s"),
        (IPC, {"relative_velocity_tolerance": 0}, "`relative_velocity_tolerance` must be > 0"),
        (IPC, {"velocity_tolerance": 1, "relative_velocity_tolerance": 1}, "not both"),
        (IPC, {"friction_iterations": 0}, "`friction_iterations` must be a whole number >= 1"),
        (IPC, {"friction_iterations": 1.5}, "`friction_iterations` must be a whole number >= 1"),
        (IPC, {"max_newton_iterations": None}, "`max_newton_iterations` must be a whole number"),
        (IPC, {"max_newton_iterations": True}, "`max_newton_iterations` must be a whole number"),
        (SDF, {"restitution": -0.1}, "`restitution` must be >= 0"),
        (SDF, {"restitution": 1.1}, "`restitution` must be 0 to 1, got 1.1"),
        (SDF, {"restitution": 0.5, "damping": 1}, "give `restitution` or `damping`, not both"),
        (SDF, {"friction": -1}, "`friction`"),
        (SDF, {"stiffness": 0}, "`stiffness` must be > 0"),
        (SDF, {"damping": -1}, "`damping` must be >= 0"),
        (SDF, {"thinnest": 0}, "`thinnest` must be > 0 m"),
        (SDF, {"exponent": 0.9}, "`exponent` must be 1 to 3, got 0.9"),
        (SDF, {"exponent": 3.1}, "`exponent` must be 1 to 3, got 3.1"),
        (SDF, {"resolution": True}, "`resolution` must be .* cells"),
        (SDF, {"resolution": 1}, "`resolution` must be .* cells"),
        (SDF, {"resolution": 10**6}, "`resolution` must be .* cells"),
        (SDF, {"resolution": 64.0}, "`resolution` must be .* cells"),
        (SDF, {"damping_model": "none"}, "`damping_model` must be one of exact"),
        (SDF, {"normal_force": abs, "stiffness": 1}, "give `normal_force` or `stiffness`, not"),
        (SDF, {"normal_force": abs, "damping": 1}, "give `normal_force` or `damping`, not both"),
    ],
)
def test_a_wrong_setting_is_named(method, settings, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        method(**settings)


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        (LCP, {"friction": 0.3, "restitution": 1.0, "facets": 4, "tolerance": 1e-7}),
        (LCP, {"friction": (0.4, 0.3, 1e-3, 1e-2), "restitution": 0.0, "facets": np.int64(16)}),
        (LCP, {"cone": "exact", "impact": "newton", "sleep": False}),
        (IPC, {"friction": 0.3, "restitution": 1.0, "dhat": 1e-3, "min_separation": 1e-4}),
        (IPC, {"restitution": None, "eps_v": 1e-3, "friction_iterations": 3}),
        (IPC, {"velocity_tolerance": 1e-6, "max_newton_iterations": 7}),
        (IPC, {"relative_velocity_tolerance": 1e-6, "friction_iterations": None}),
        (SDF, {"friction": 0.3, "restitution": 1.0, "exponent": 1.0, "resolution": 64}),
        (SDF, {"damping": 0.0, "stiffness": 1e5, "exponent": 3.0, "thinnest": 1e-3}),
        (SDF, {"resolution": MIN_CELLS}),
        (SDF, {"resolution": MAX_CELLS}),
        (SDF, {"damping_model": "flores", "shared": True, "restitution": None, "damping": 2.0}),
    ],
)
def test_right_settings_are_kept_and_written(method, settings):
    made = method(**settings)
    for name, value in settings.items():
        assert getattr(made, name) == value
        assert f"{name}=" in repr(made)


def test_a_force_without_damping_or_restitution_does_not_bounce():
    assert SDF().restitution == 0.0 and SDF(damping=1.0).restitution is None
    assert SDF(normal_force=lambda gap, rate, speed: -gap).restitution is None


def test_corners_are_those_of_the_pyramid():
    assert LCP(facets=6).corners == 6 and LCP(facets=6, cone="exact").corners == 0


def test_methods_are_found_by_name_and_misspelt_ones_are_answered_with_what_is_meant():
    """Nothing is taken for contact that is none."""
    assert dt.contact.named("lcp", {"friction": 0.3}).friction == 0.3
    with pytest.raises(dt.InputError, match="did you mean 'ipc'"):
        dt.contact.named("ipv", {})
    with pytest.raises(dt.InputError):
        dt.contact.named(3, {})
    assert {"IPC", "LCP", "SDF"} <= set(dir(dt.contact))
    assert dir(dt.contact) == sorted(dir(dt.contact))
