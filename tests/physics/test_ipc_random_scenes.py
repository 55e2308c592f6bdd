"""Random scenes made to break contact: all steps are made and nothing ever intersects."""

import pytest

import dovetail as dt
from contact_limits import LIMITS, limit_scene
from dovetail.verifier.certificate import certify
from random_contact_scenes import KINDS, random_contact_scene


def made_free(seed):
    case = random_contact_scene(seed)
    result = dt.simulate(case.scene, case.duration, case.step, dt.contact.IPC())
    found = certify(result)
    assert found.verdict == "free", (seed, found.paths or found.states.crossings)


@pytest.mark.parametrize("first", range(len(KINDS)), ids=sorted(KINDS))
def test_random_scenes_of_a_kind_stay_free_of_intersections(first):
    """Seeds of one kind; benchmarks/ipc_fuzz.py runs thousands."""
    for seed in range(first, first + 4 * len(KINDS), len(KINDS)):
        made_free(seed)


@pytest.mark.parametrize("seed", [186, 340, 403, 480])
def test_milligrams_swept_along_by_tonnes_are_solved(seed):
    """Bodies up to 1e12 apart in mass; with one stiffness for all Newton's method chattered."""
    made_free(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [207, 214, 487])
def test_more_milligrams_swept_along_by_tonnes_are_solved(seed):
    made_free(seed)


@pytest.mark.parametrize("first", range(len(LIMITS)), ids=sorted(LIMITS))
def test_scenes_at_the_limits_of_numbers_end_and_stay_free(first):
    """Two of each kind; benchmarks/ipc_fuzz.py --limits runs thousands."""
    for seed in range(first, first + 2 * len(LIMITS), len(LIMITS)):
        case = limit_scene(seed)
        result = dt.simulate(
            case.scene, case.duration, case.step, dt.contact.IPC(**case.options),
            integrator=case.integrator,
        )  # fmt: skip
        assert certify(result).verdict == "free", seed
