"""`dovetail stability` says the case in words and draws the map."""

import numpy as np
import pytest
from click.testing import CliRunner

from dovetail.cli.main import group, main
from dovetail.stability.rod_map import rod_map


def said(*arguments):
    outcome = CliRunner().invoke(group, ["stability", *arguments], catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def test_a_jammed_rod_has_two_solutions_one_of_them_unstable():
    text = said("rod", "--theta", "63.434949deg", "--mu", "1.8", "--theta-rate", "4")
    assert "case: A < 0, B > 0: two solutions" in text
    assert "solution: no contact: stable" in text
    assert "solution: contact, lambda = 8.03721 N: unstable" in text
    assert "boundary layer: unstable" in text


def test_an_angle_may_be_given_in_radians():
    assert "case: A > 0, B < 0: contact" in said("rod", "--theta", "1.0", "--mu", "0.3")


def test_the_map_is_drawn_with_the_unstable_region_on_one_side(tmp_path):
    picture = tmp_path / "map.png"
    text = said("map", "--out", str(picture), "--size", "200")
    assert "200 x 200" in text
    assert picture.read_bytes().startswith(b"\x89PNG")
    found = rod_map(200)
    columns = found.signed_friction[found.unstable.any(axis=0)]
    assert np.all(columns < -4 / 3)
    assert columns.max() > -4 / 3 - 0.1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rod", "--theta", "steep", "--mu", "1"], "--theta must be a number in rad"),
        (["rod", "--theta", "1", "--mu", "1", "--mass", "-1"], "`m` of the rod must be > 0 kg"),
        (["map", "--size", "1"], "`size` of the map must be a whole number from 2"),
        (["map", "--size", "10", "--out", "map.txt"], "a map must end in .png"),
    ],
)
def test_bad_input_ends_with_a_sentence_and_exit_code_2(arguments, sentence, capsys):
    with pytest.raises(SystemExit) as end:
        main(["stability", *arguments])
    assert end.value.code == 2
    assert sentence in capsys.readouterr().err
