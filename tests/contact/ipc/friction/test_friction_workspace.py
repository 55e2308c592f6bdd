"""Memory for lagged contacts: what stays when it grows and in a snapshot."""

import numpy as np

from dovetail.contact.ipc.friction.coefficients import FrictionLaws
from dovetail.contact.ipc.friction.workspace import FIRST_CONTACTS, FrictionWorkspace, Sticking

RUBBING = FrictionLaws(
    np.array([[0.5, 0.5, 1.0, 2.0]]), np.zeros((1, 1), np.int32), np.zeros(3, np.int32)
)
STATE = {"pairs": np.array([[0, 1], [1, 2]], np.int32), "fields": np.arange(12.0).reshape(2, 6)}


def test_growing_keeps_the_presliding_state_and_the_settings_of_the_step():
    workspace = FrictionWorkspace(RUBBING, Sticking(eps_v=0.5, laggings=7))
    workspace.begin_step(0.1, 1e-3)
    workspace.restore(STATE)
    workspace._arrays.contacts.needed[0] = 1000
    before = workspace.bundled
    workspace.grow()
    assert workspace.bundled is not before
    assert len(workspace._arrays.contacts.rows) >= 1000
    assert workspace._arrays.settings.eps[0] == 0.05
    assert workspace._arrays.settings.max_laggings[0] == 7
    for name, array in workspace.snapshot().items():
        np.testing.assert_array_equal(array, STATE[name])


def test_a_snapshot_larger_than_the_first_memory_is_restored():
    many = 3 * FIRST_CONTACTS
    pairs = np.stack((np.arange(many), np.arange(many) + 1), axis=1).astype(np.int32)
    fields = np.random.default_rng(0).normal(size=(many, 6))
    workspace = FrictionWorkspace(RUBBING, Sticking(None, None))
    workspace.restore({"pairs": pairs, "fields": fields})
    kept = workspace.snapshot()
    np.testing.assert_array_equal(kept["pairs"], pairs)
    np.testing.assert_array_equal(kept["fields"], fields)


def test_without_eps_v_contacts_stick_within_a_small_part_of_dhat():
    assert Sticking(None, None).eps(0.1, 2e-3) == 1e-5 * 2e-3
    assert Sticking(0.3, None).eps(0.1, 2e-3) == 0.03
