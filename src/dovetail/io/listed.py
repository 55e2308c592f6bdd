"""Names in a note, not more than one reads."""

from collections.abc import Iterable


def listed(names: Iterable[str], most: int = 40) -> str:
    """Different names in order of appearance, at most `most` of them."""
    different = list(dict.fromkeys(names))
    more = len(different) - most
    return ", ".join(different[:most]) + (f" and {more} more" if more > 0 else "")
