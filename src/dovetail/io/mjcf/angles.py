"""Angles of a model that look like radians where degrees are meant, or the other way round.

MJCF counts angles in degrees unless <compiler angle="radian"/> says otherwise. A quarter or half
turn written as 1.57 or 3.14 is then a degree or three, without a word from MuJoCo; and 90 under
angle="radian" is 14 turns.
"""

import re
from collections.abc import Callable
from math import pi

ANGLES = re.compile(r'<(\w+)[^<>]*?\s(euler|range|axisangle)="([^"<>]*)"')
RADIANS = re.compile(r'<compiler[^<>]*\sangle="radian"')
MANY = 4 * pi  # [rad] two turns: a rotation is rarely written as more
TURNS = (pi / 4, pi / 2, 3 * pi / 4, pi)
DIGITS = 2e-3  # of an angle: written with three digits


def angles_like_radians(text: str) -> list[str]:
    """Attributes of the model `text` whose values are parts of a turn in rad; none in a radian one.

    Only the fourth number of `axisangle` is an angle.
    """
    return [] if RADIANS.search(text) else _written(text, _is_part_of_a_turn)


def angles_like_degrees(text: str) -> list[str]:
    """Rotations of a model in radians that are several turns; none where it is in degrees."""
    return _written(text, _is_turns, limits=False) if RADIANS.search(text) else []


def reversed_ranges(text: str) -> list[str]:
    """Ranges of joints and tendons whose first end is the larger: MuJoCo takes them for none."""
    found = []
    for tag, attribute, written in ANGLES.findall(text):
        if attribute == "range" and tag in ("joint", "spatial", "fixed"):
            values = _numbers(written)
            if len(values) == 2 and values[0] > values[1]:
                found.append(f'<{tag} range="{written}">')
    return list(dict.fromkeys(found))


def _written(text: str, is_odd: Callable[[float], bool], limits: bool = True) -> list[str]:
    found = []
    for tag, attribute, written in ANGLES.findall(text):
        if attribute == "range" and (tag != "joint" or not limits):
            continue
        values = _numbers(written)[3 if attribute == "axisangle" else 0 :]
        if any(is_odd(value) for value in values):
            found.append(f'<{tag} {attribute}="{written}">')
    return list(dict.fromkeys(found))


def _is_turns(value: float) -> bool:
    return MANY < abs(value) <= 360.0 and value == round(value)


def _is_part_of_a_turn(value: float) -> bool:
    return any(abs(abs(value) - turn) <= DIGITS * turn for turn in TURNS)


def _numbers(written: str) -> list[float]:
    try:
        return [float(part) for part in written.split()]
    except ValueError:
        return []
