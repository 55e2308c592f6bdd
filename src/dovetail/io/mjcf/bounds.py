"""Numbers of an MJCF document that decide how much the compiler makes of it."""

from dovetail.errors import InputError
from dovetail.io.xml.elements import Element
from dovetail.io.xml.values import numbers
from dovetail.model.values import quote

MAX_COPIES = 20_000  # of what one element repeats
MAX_KEYS = 10_000
MAX_USER = 1_000
MAX_SAMPLES = 1_000_000  # of height fields, built-in meshes and histories
DEEPEST_OCTREE = 8
COUNTS = ("nrow", "ncol", "nsample")
MAX_PARAMETER = 1_000  # of built-in meshes: segments a side
COPIES = ("count",)


def check_bounds(element: Element) -> int:
    """How often an element repeats what is in it; refused where it would become too much."""
    _check(element, COUNTS, MAX_SAMPLES)
    for value in numbers(element, "params", None, []):
        if abs(float(value)) > MAX_PARAMETER:
            raise InputError(f"`params` of {element.who} must be at most {MAX_PARAMETER}")
    _check(element, ("octree_maxdepth",), DEEPEST_OCTREE)
    return int(_check(element, COPIES, MAX_COPIES))


def _check(element: Element, keys: tuple[str, ...], most: int) -> float:
    product = 1.0
    for key in keys:
        if key in element.attributes:
            for value in numbers(element, key, None):
                product *= max(abs(float(value)), 1.0)
    if product > most:
        written = ", ".join(f"`{key}`" for key in keys if key in element.attributes)
        raise InputError(f"{written} of {element.who} must make at most {most}, got {product:g}")
    return product


def kept_sizes(given: dict[str, str]) -> dict[str, str]:
    """Of <size> what sets the length of lists in the file; memory is not for a file to ask for."""
    kept = {}
    for key, text in given.items():
        most = MAX_KEYS if key == "nkey" else MAX_USER if key.startswith("nuser_") else None
        if most is None:
            continue
        if not text.strip().lstrip("-").isdigit() or int(text) > most:
            raise InputError(f"`{key}` of <size> must be at most {most}, got {quote(text)}")
        kept[key] = text
    return kept
