"""The methods of a scene file, and those named instead."""

import pytest

from dovetail.io.run_settings import Choice, RunSettings
from dovetail.simulate.requested import requested_contact, requested_integrator


def test_the_files_own_method_keeps_its_options_and_another_has_its_defaults():
    run = RunSettings(contact=Choice("lcp", {"friction": 0.3}))
    assert requested_contact(run).friction == 0.3
    assert requested_contact(run, "lcp").friction == 0.3
    assert requested_contact(run, "ipc").friction == 0.0
    assert requested_contact(RunSettings(), "ipc").friction == 0.0
    assert requested_contact(RunSettings()) is None


def test_an_integrator_is_the_named_one_or_the_files():
    run = RunSettings(integrator=Choice("RATTLie", {"order": 4}))
    assert requested_integrator(run).order == 4
    assert requested_integrator(run, "DH").name == "DH"
    assert requested_integrator(RunSettings()) is None
    with pytest.raises(Exception, match="RATTLie"):
        requested_integrator(run, "RATLie")
