"""XML from anyone: nothing is expanded, fetched or unbounded."""

import pytest

from dovetail.errors import InputError
from dovetail.io.xml import elements
from dovetail.io.xml.elements import parse_xml

BOMB = """<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>
<r x="&c;">&c;</r>"""


def test_elements_keep_order_attributes_and_lines() -> None:
    root = parse_xml("<a>\n<b k='1'/>text<!-- no --><c/>\n<b/></a>", "file")
    assert [(e.tag, e.line) for e in root.everything()] == [("a", 1), ("b", 2), ("c", 2), ("b", 3)]
    assert root.children[0].attributes == {"k": "1"}


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>',
        '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://x/y.dtd"> %p;]><r/>',
        '<!DOCTYPE r SYSTEM "http://x/y.dtd"><r>&unknown;</r>',
    ],
)
def test_entities_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="entit"):
        parse_xml(text, "file")


def test_nesting_and_number_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = elements.DEEPEST
    parse_xml("<a>" * deep + "</a>" * deep, "file")
    with pytest.raises(InputError, match="deeper"):
        parse_xml("<a>" * (deep + 1) + "</a>" * (deep + 1), "file")
    monkeypatch.setattr(elements, "MAX_ELEMENTS", 10)
    with pytest.raises(InputError, match="at most 10 elements"):
        parse_xml("<a>" + "<b/>" * 10 + "</a>", "file")


@pytest.mark.parametrize("text", ["", "<a>", "<a/><b/>", "plain", "<a x=1/>", "<a x='1' x='2'/>"])
def test_malformed_text_is_refused_in_words(text: str) -> None:
    with pytest.raises(InputError, match="well-formed"):
        parse_xml(text, "file")


def test_a_declared_encoding_does_not_matter_after_decoding() -> None:
    assert (
        parse_xml('<?xml version="1.0" encoding="latin-1"?><a k="ü"/>', "f").attributes["k"] == "ü"
    )
