"""One word per idea: the words that the glossary gives up are used nowhere."""

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "reference" / "glossary.md"
SOURCES = [
    path for root in ("src/dovetail", "tests", "benchmarks")
    for path in sorted((ROOT / root).rglob("*.py")) if path != Path(__file__)
]  # fmt: skip
OF_OTHERS = {"tests/io/urdf/test_urdf.py": {"lever"}}
"""Names of other packages, by the file that uses them: Pinocchio's centre of mass."""
PAGES = [
    ROOT / "README.md", ROOT / "CONTRIBUTING.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page != GLOSSARY),
]  # fmt: skip
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| (\S.*?) \| *(yes)? *\|$", re.MULTILINE)
TEXT = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


def given_up() -> dict[str, bool]:
    """Words that are not used, and whether that goes for text too."""
    table = GLOSSARY.read_text().partition("## Words that are not used")[2]
    rows = ROW.findall(table)
    return {word: bool(text) for words, _, text in rows for word in re.findall(r"\w+", words)}


NAMES = [word.split("_") for word in given_up()]
IN_TEXT = re.compile(
    r"\b("
    + "|".join(word.replace("_", " ") for word, text in given_up().items() if text)
    + r")s?\b",
    re.IGNORECASE,
)


def has_word(name: str, words: list[str]) -> bool:
    """Whether these words follow each other in a name: `step_room` and `StepRoom` have room."""
    parts = [part.lower() for part in PART.findall(name)]
    return any(parts[k : k + len(words)] == words for k in range(len(parts)))


def names_given_up(source: str) -> list[str]:
    """`line: name` of every identifier that has one of the words."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [
        f"{token.start[0]}: {token.string}"
        for token in tokens
        if token.type == tokenize.NAME and any(has_word(token.string, words) for words in NAMES)
    ]


def text_given_up(source: str) -> list[str]:
    """`line: word` in docstrings, messages and comments."""
    found = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in TEXT:
            for match in IN_TEXT.finditer(token.string):
                line = token.start[0] + token.string.count("\n", 0, match.start())
                found.append(f"{line}: {match[0]}")
    return found


def offenders(files: list[Path], look) -> list[str]:
    found = []
    for path in files:
        place = path.relative_to(ROOT).as_posix()
        others = OF_OTHERS.get(place, set())
        found += [
            f"{place}:{here}" for here in look(path.read_text()) if here.split()[1] not in others
        ]
    return found


def test_glossary_lists_words_that_are_given_up():
    words = given_up()
    assert len(words) >= 12 and words["knot"] and not words["room"]


@pytest.mark.parametrize(
    ("name", "word", "has"),
    [
        ("step_room", "room", True), ("IpcRoom", "room", True), ("NO_ROOM", "room", True),
        ("roomy", "room", False), ("StepWork", "step_work", True),
        ("work_step", "step_work", False), ("MOST_IN_VAIN", "in_vain", True),
    ],
)  # fmt: skip
def test_a_word_is_found_in_snake_case_camel_case_and_capitals(name, word, has):
    assert has_word(name, word.split("_")) is has


def test_names_docstrings_messages_and_comments_are_looked_through():
    source = (
        'def f(room):\n    """The knots,\n    anew."""\n    return room, f"knot {1}"  # the judge\n'
    )
    assert names_given_up(source) == ["1: room", "4: room"]
    assert text_given_up(source) == ["2: knots", "3: anew", "4: knot", "4: judge"]


def test_names_do_not_use_words_that_are_given_up():
    found = offenders(SOURCES, names_given_up)
    assert not found, f"{len(found)} names:\n" + "\n".join(found)


def test_docstrings_messages_and_comments_do_not_use_words_that_are_given_up():
    found = offenders(SOURCES, text_given_up)
    assert not found, f"{len(found)} places:\n" + "\n".join(found)


def words_given_up(text: str) -> list[str]:
    """`line: word` in a page."""
    return [
        f"{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for match in IN_TEXT.finditer(text)
    ]


def test_pages_do_not_use_words_that_are_given_up():
    found = offenders(PAGES, words_given_up)
    assert not found, f"{len(found)} places:\n" + "\n".join(found)
