"""Scene documents damaged at random, as a slip of an editor or of a program would.

The same seed gives the same damage. Numbers are drawn by `random`, not by hypothesis: drawing a
document with it takes three times as long as reading it.
"""

import copy
import math
import random
import struct
from collections.abc import Iterator
from typing import Any

Path = tuple[Any, ...]
EXTREME = (
    0, -0.0, 1, -1, 1e-320, 1e-200, 1e-40, 1e39, -1e40, 1e41, 1e200, 1e308, math.inf, -math.inf,
    math.nan, 2**31, 2**63, 10**400, -(10**30), 0.1, True, False, None,
)  # fmt: skip
WORDS = (
    "", "ground", "box", "floor", "static", "revolute", "../x.obj", "/dev/zero", "on", "\ud800",
    "\x00", "x" * 300, "ipc", "mm", "body", ".", "a'b\"c",
)  # fmt: skip
CHANGES = ("delete", "replace", "insert", "rename", "double")


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every value inside a document."""
    yield path
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from places(entry, (*path, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from places(entry, (*path, index))


def at(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


class Damage:
    """Changes to a document and to parts of it, with its own parts and keys in wrong places."""

    def __init__(self, whole: dict[str, Any], seed: int) -> None:
        self.dice = random.Random(seed)
        self.whole = whole
        self.places = list(places(whole))[1:]
        self.keys = sorted({key for path in self.places for key in path if isinstance(key, str)})

    def changed(self, document: Any) -> Any:
        """A copy with one to four changes."""
        document = copy.deepcopy(document)
        for _ in range(self.dice.randint(1, 4)):
            if found := list(places(document))[1:]:
                self._change(document, self.dice.choice(found))
        return document

    def _change(self, document: Any, path: Path) -> None:
        parent, last = at(document, path[:-1]), path[-1]
        change = self.dice.choice(CHANGES)
        if change == "delete":
            del parent[last]
        elif change == "replace":
            parent[last] = self.piece()
        elif change == "double" and isinstance(parent, list):
            parent.append(copy.deepcopy(parent[last]))
        elif isinstance(parent, list):
            parent.insert(last, self.piece())
        elif change == "rename":
            parent[self.key()] = parent.pop(last)
        else:
            parent[self.key()] = self.piece()

    def piece(self) -> Any:
        """A part of the document itself, or something made up."""
        if self.dice.random() < 0.5:
            return copy.deepcopy(at(self.whole, self.dice.choice(self.places)))
        return self.made_up(3)

    def made_up(self, depth: int) -> Any:
        kind = self.dice.random()
        if depth == 0 or kind < 0.6:
            return self.scalar()
        inner = [self.made_up(depth - 1) for _ in range(self.dice.randrange(5))]
        return inner if kind < 0.8 else {self.key(): value for value in inner}

    def scalar(self) -> Any:
        kind = self.dice.randrange(5)
        if kind == 0:
            return self.dice.choice(EXTREME)
        if kind == 1:  # any bits of a double
            return struct.unpack("<d", self.dice.randbytes(8))[0]
        if kind == 2:
            return self.dice.choice((1, -1)) * self.dice.getrandbits(self.dice.randrange(1, 136))
        if kind == 3:
            return round(self.dice.uniform(-10, 10), self.dice.randrange(4))
        return self.word()

    def key(self) -> str:
        return self.dice.choice(self.keys) if self.dice.random() < 0.5 else self.word()

    def word(self) -> str:
        return self.dice.choice(WORDS) if self.dice.random() < 0.5 else self.text(6)

    def text(self, length: int) -> str:
        """Up to so many characters, of ASCII, of all planes, with control characters."""
        most = self.dice.choice((0x80, 0x800, 0x110000))
        return "".join(
            chr(self.dice.randrange(most)) for _ in range(self.dice.randrange(length + 1))
        )
