"""Reading XML that may come from anyone: bounded, and nothing is expanded or fetched.

Entity declarations are refused altogether, so neither external entities nor expansion bombs can
occur; elements, attributes and nesting are counted while parsing. Of text between the elements
the start is kept for notes: URDF and MJCF carry everything in attributes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from dovetail.errors import InputError

DEEPEST = 200
MAX_ELEMENTS = 500_000
LONGEST_TEXT = 60  # characters that are kept of text between tags


@dataclass
class Element:
    """One XML element: its attributes and its child elements, with the line it starts at."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list["Element"] = field(default_factory=list)
    text: str = ""  # the start of what stands between the tags, apart from white space

    def all(self, *tags: str) -> Iterator["Element"]:
        """Children with one of these tags, in order."""
        return (child for child in self.children if child.tag in tags)

    def first(self, tag: str) -> "Element | None":
        return next(self.all(tag), None)

    def everything(self) -> Iterator["Element"]:
        """The element and all below it, in document order."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))

    @property
    def who(self) -> str:
        """How messages name it: <link name="arm"> (line 12)."""
        name = self.attributes.get("name")
        label = f' name="{name[:60]}"' if name else ""
        return f"<{self.tag}{label}> (line {self.line})"


def parse_xml(text: str, what: str) -> Element:
    """The root element of an XML document; `what` names it in messages."""
    reading = _Reading(what)
    parser = expat.ParserCreate("utf-8")  # whatever the document declares: it was decoded before
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.keep_text
    parser.EntityDeclHandler = reading.refuse_entity
    parser.ExternalEntityRefHandler = reading.refuse_entity
    parser.UnparsedEntityDeclHandler = reading.refuse_entity
    parser.SkippedEntityHandler = reading.refuse_entity
    reading.parser = parser
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        raise InputError(f"{what} must be well-formed XML: {error}") from None
    assert reading.root is not None
    return reading.root


class _Reading:
    parser: expat.XMLParserType

    def __init__(self, what: str) -> None:
        self.what = what
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        line = self.parser.CurrentLineNumber
        if self.count > MAX_ELEMENTS:
            raise InputError(f"{self.what} must have at most {MAX_ELEMENTS} elements")
        if len(self.open) >= DEEPEST:
            raise InputError(
                f"{self.what} must not nest deeper than {DEEPEST} elements, line {line} does"
            )
        element = Element(tag, attributes, line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def keep_text(self, text: str) -> None:
        element = self.open[-1]
        if len(element.text) < LONGEST_TEXT:
            element.text = " ".join((element.text + text).split())[:LONGEST_TEXT]

    def refuse_entity(self, *_: object) -> NoReturn:
        raise InputError(
            f"{self.what} must not declare or use XML entities "
            f"(line {self.parser.CurrentLineNumber}); write the text itself"
        )
