"""Where in a document a mistake stands: `bodies[2] 'bolt'`."""

import re
from typing import Any

from dovetail.model.values import quote

SECTION_OF = {"body": "bodies", "joint": "joints", "load": "loads", "coupling": "couplings"}
MENTION = re.compile(
    r"""(?: of)?\b ?(coupling|body|joint|load) ('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
)


def entries_of(document: dict[str, Any], section: str) -> list[Any]:
    """The list under `section`, empty where it is missing or no list."""
    written = document.get(section)
    return written if isinstance(written, list) else []


def entry_place(section: str, index: int, raw: Any) -> str:
    """The place of an entry, with its name where it has one."""
    place = f"{section}[{index}]"
    if isinstance(raw, dict):
        name = raw.get("name", raw.get("pair"))
        if isinstance(name, str | list):
            return f"{place} {quote(name)}"
    return place


def in_place(sentence: str, document: dict[str, Any]) -> str:
    """A sentence of the model, "`mass` of body 'bolt' must ...", led by the place in the file."""
    mention = MENTION.search(sentence)
    if mention is None:
        return _of_materials(sentence, document)
    section, name = SECTION_OF[mention.group(1)], mention.group(2)
    for index, raw in enumerate(entries_of(document, section)):
        if isinstance(raw, dict) and quote(raw.get("name")) == name:
            rest = (sentence[: mention.start()] + sentence[mention.end() :]).strip(" :")
            return f"{entry_place(section, index, raw)}: {rest}"
    return sentence


def _of_materials(sentence: str, document: dict[str, Any]) -> str:
    for index, raw in enumerate(entries_of(document, "materials")):
        if isinstance(raw, dict) and isinstance(raw.get("pair"), list) and len(raw["pair"]) == 2:
            mention = f"materials {quote(raw['pair'][0])} and {quote(raw['pair'][1])}"
            if mention in sentence:
                place = entry_place("materials", index, raw)
                rest = sentence.replace(f" of {mention}", "").replace(mention, "").strip(" :")
                return f"{place}: {rest}"
    return sentence
