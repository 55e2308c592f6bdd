"""Names in a note, not more than one reads."""

from collections.abc import Iterable

LONGEST = 200  # characters of one name


def listed(names: Iterable[str], most: int = 40) -> str:
    """Different names in order of appearance, at most `most` of them, each cut where it is long."""
    different = list(dict.fromkeys(name[:LONGEST] for name in names))
    more = len(different) - most
    return ", ".join(different[:most]) + (f" and {more} more" if more > 0 else "")
