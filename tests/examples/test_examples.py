"""Every built-in example runs as it is and passes its own check."""

import pytest

from dovetail import examples
from dovetail.errors import InputError
from dovetail.simulate import simulate

SHORTENED = {"docking"}  # minutes as it is; test_docking.py runs the part that matters


@pytest.mark.parametrize("name", [name for name in examples.names() if name not in SHORTENED])
def test_example_obeys_its_physics(name):
    example = examples.get(name)
    result = simulate(example.build(), progress=False, **example.RUN)
    example.final_check(result)


@pytest.mark.parametrize("name", examples.names())
def test_example_describes_itself_in_one_line(name):
    text = examples.get(name).DESCRIPTION
    assert text and "\n" not in text and len(text) < 90 and not text.endswith(".")


@pytest.mark.parametrize("name", ["dzhanibekov", "spinning-top", "spring-pendulum", "satellite"])
def test_check_of_an_example_notices_another_motion(name):
    """The check must be able to fail: hand it a run with a small force and torque added."""
    example = examples.get(name)
    other = example.build()
    body = next(iter(other.bodies))
    other.add_force("disturbance", body, force=(0.01, 0, 0), torque=(0.001, 0.002, 0.001))
    result = simulate(other, progress=False, **example.RUN)
    with pytest.raises(AssertionError):
        example.final_check(result)


def test_unknown_example_lists_those_there_are():
    with pytest.raises(InputError, match=r"no example 'flying-pig' \(there are: .*dzhanibekov"):
        examples.get("flying-pig")
