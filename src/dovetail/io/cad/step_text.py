"""Whether a STEP file is whole: every entity that is named is there, every part has its shape.

ISO 10303-21: `#12 = KEYWORD(...);`, where #34 in the brackets names another entity. CAD kernels
pass over what they cannot read: parts or faces are then missing from the assembly without a word.
"""

import re
from collections import defaultdict
from functools import cached_property

from dovetail.errors import InputError

TEXT = re.compile(rb"'[^']*'|/\*.*?\*/", re.DOTALL)  # '' within a text are two texts
DEFINED = re.compile(rb"#(\d+)\s*=")
NAMED = re.compile(rb"#(\d+)(?!\d)(?!\s*=)")
TOO_LARGE = re.compile(rb"\d\.?\d*E\+?0*(?:[1-9]\d{3,}|[4-9]\d{2}|3[1-9]\d)\b", re.IGNORECASE)
DEFINITION = re.compile(rb"#(\d+)\s*=\s*PRODUCT_DEFINITION\s*\(")
USE = re.compile(rb"NEXT_ASSEMBLY_USAGE_OCCURRENCE\s*\([^#;]*#(\d+)\s*,\s*#(\d+)")
SHAPE_OF = re.compile(rb"#(\d+)\s*=\s*PRODUCT_DEFINITION_SHAPE\s*\([^#;]*#(\d+)")
SHOWN_BY = re.compile(rb"SHAPE_DEFINITION_REPRESENTATION\s*\(\s*#(\d+)\s*,\s*#(\d+)")
PLACES = re.compile(rb"#(\d+)\s*=\s*(?:SHAPE|\w*WIREFRAME\w*)_REPRESENTATION\s*\(")
SAME_AS = re.compile(rb"=\s*SHAPE_REPRESENTATION_RELATIONSHIP\s*\([^#;]*#(\d+)\s*,\s*#(\d+)")
OPEN = re.compile(rb"\b(?:OPEN_SHELL|GEOMETRIC_SET|TESSELLATED_SHELL|GEOMETRIC_CURVE_SET)\b")
MOST_OCCURRENCES = 1_000_000


class StepText:
    """The entities of a file, without the texts in quotation marks."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data, self._name = TEXT.sub(b"''", data), name

    def refuse_incomplete(self) -> None:
        """Raises InputError where entities that others name are missing, or numbers too large."""
        defined = set(DEFINED.findall(self._data))
        missing = sorted(set(NAMED.findall(self._data)) - defined, key=int)
        if missing:
            some = ", ".join(f"#{number.decode()}" for number in missing[:4])
            more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
            raise InputError(
                f"{self._name}: is incomplete: it names {some}{more} but does not have them, so "
                "that parts or faces would be missing; export it again"
            )
        large = TOO_LARGE.search(self._data)
        if large is not None:
            raise InputError(f"{self._name}: {large[0].decode()} must be a finite number")

    @property
    def has_open_surfaces(self) -> bool:
        """Whether some of its shapes are surfaces that are no solids."""
        return OPEN.search(self._data) is not None

    @cached_property
    def n_parts(self) -> int:
        """How many parts with a shape the assembly has, each in all of its places."""
        below: dict[bytes, list[bytes]] = defaultdict(list)
        for whole, part in USE.findall(self._data):
            below[whole].append(part)
        used = {part for row in below.values() for part in row}
        shaped = self._shaped()
        stack = [number for number in DEFINITION.findall(self._data) if number not in used]
        parts = count = 0
        while stack and count < MOST_OCCURRENCES:
            number = stack.pop()
            count += 1
            stack += below.get(number, ())
            parts += number not in below and number in shaped
        return parts

    def _shaped(self) -> set[bytes]:
        """The product definitions whose representation holds more than places and wires."""
        shown = dict(SHOWN_BY.findall(self._data))
        places = set(PLACES.findall(self._data))
        related = {number for pair in SAME_AS.findall(self._data) for number in pair}
        return {
            product
            for shape, product in SHAPE_OF.findall(self._data)
            if shape in shown and (shown[shape] not in places or shown[shape] in related)
        }
