"""Unknown names in dictionaries of a scene, and attributes that nothing reads."""

import copy
import pickle

import pytest

import dovetail as dt
from dovetail.model.by_name import ByName


def scene():
    made = dt.Scene()
    made.add_body("crate", dt.Box((1, 1, 1)))
    return made


def test_an_unknown_name_is_an_input_error_and_a_key_error():
    with pytest.raises(dt.InputError, match=r"there is no body 'crat'; did you mean 'crate'\?"):
        scene().bodies["crat"]
    with pytest.raises(KeyError):
        scene().joints["hinge"]
    assert scene().bodies.get("crat") is None and "crat" not in scene().bodies


def test_copies_keep_the_kind():
    table = ByName("body", {"a": 1})
    for other in (copy.copy(table), copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert dict(other) == {"a": 1} and other.kind == "body"


def test_attributes_that_nothing_reads_are_refused():
    made = scene()
    made.gravity = (0, 0, -1)
    with pytest.raises(dt.InputError, match=r"no 'gravty' to set; did you mean 'gravity'\?"):
        made.gravty = (0, 0, -9.81)
    with pytest.raises(AttributeError, match="did you mean 'position'"):
        made.bodies["crate"].positon = (0, 0, 1)
    with pytest.raises(dt.InputError, match="`mass` of a Body cannot be set; a body is described"):
        made.bodies["crate"].mass = 3
