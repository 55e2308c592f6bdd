"""Angles of a model that look like radians where degrees are meant.

MJCF counts angles in degrees unless <compiler angle="radian"/> says otherwise. A quarter or half
turn written as 1.57 or 3.14 is then a degree or three, without a word from MuJoCo.
"""

import re
from math import pi

ANGLES = re.compile(r'<(\w+)[^<>]*?\s(euler|range|axisangle)="([^"<>]*)"')
TURNS = (pi / 4, pi / 2, 3 * pi / 4, pi)
DIGITS = 2e-3  # of an angle: written with three digits


def angles_like_radians(text: str) -> list[str]:
    """Attributes of the model `text` whose values are parts of a turn in rad; none in a radian one.

    Only the fourth number of `axisangle` is an angle.
    """
    if re.search(r'<compiler[^<>]*\sangle="radian"', text):
        return []
    found = []
    for tag, attribute, written in ANGLES.findall(text):
        if attribute == "range" and tag != "joint":
            continue
        values = _numbers(written)[3 if attribute == "axisangle" else 0 :]
        if any(_is_part_of_a_turn(value) for value in values):
            found.append(f'<{tag} {attribute}="{written}">')
    return list(dict.fromkeys(found))


def _is_part_of_a_turn(value: float) -> bool:
    return any(abs(abs(value) - turn) <= DIGITS * turn for turn in TURNS)


def _numbers(written: str) -> list[float]:
    try:
        return [float(part) for part in written.split()]
    except ValueError:
        return []
