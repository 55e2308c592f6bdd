"""Things found by name, and what is said of names that are wrong."""

import pytest

from dovetail.errors import InputError
from dovetail.runtime.registry import Registry


class Spring:
    def __init__(self, stiffness, damping=0.0):
        if stiffness < 0:
            raise ValueError("stiffness < 0")
        self.stiffness, self.damping = stiffness, damping


@pytest.fixture
def springs():
    own = {"spring": Spring, "lazy": "collections:OrderedDict"}
    return Registry("spring", "dovetail.tests_of_springs", own)


def test_own_entries_come_first_and_are_imported_when_used(springs):
    springs.register("mine", Spring)
    assert springs.names() == ["spring", "lazy", "mine"]
    assert springs.own_names() == ["spring", "lazy"]
    assert springs.get("lazy").__name__ == "OrderedDict"
    assert dict(springs.items())["mine"] is Spring


def test_objects_are_made_from_a_name_a_mapping_or_given_as_they_are(springs):
    assert springs.resolve({"spring": {"stiffness": 3}}).stiffness == 3
    given = Spring(4)
    assert springs.resolve(given) is given
    with pytest.raises(InputError, match=r"a spring must be given as \{name: \{options\}\}"):
        springs.resolve({"spring": {}, "lazy": {}})
    with pytest.raises(InputError, match="options of spring 'spring' must be a mapping, got 3"):
        springs.resolve({"spring": 3})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "spring 'spring' needs its option 'stiffness'"),
        ({"stiffness": 1, "damp": 2}, r"has no option 'damp' \(options: .*mean 'damping'\?"),
        ({"stiffness": -1}, "refuses its options: ValueError: stiffness < 0"),
    ],
)
def test_options_that_do_not_fit_are_named(springs, options, sentence):
    with pytest.raises(InputError, match=sentence):
        springs.make("spring", options)


def test_unknown_name_lists_the_known_ones_and_the_nearest(springs):
    with pytest.raises(
        InputError,
        match=r"there is no spring 'sprong' \(known: spring, lazy\); did you mean 'spring'",
    ):
        springs.get("sprong")


def test_name_of_an_entry_is_found_also_before_it_was_imported(springs):
    from collections import OrderedDict

    assert springs.name_of(OrderedDict) == "lazy"
    assert springs.name_of(Spring) == "spring"
    assert springs.name_of(dict) is None


def test_an_entry_may_be_registered_again_as_a_notebook_does(springs):
    springs.register("mine", Spring)
    springs.register("mine", dict)
    assert springs.get("mine") is dict
    with pytest.raises(InputError, match="one of the package's own"):
        springs.register("spring", dict)
