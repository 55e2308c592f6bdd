"""The reference pages say what the package has, no more and no less."""

import re
import sys
import tomllib
from pathlib import Path

import click
import pytest

import dovetail as dt
from dovetail.cli.main import COMMANDS, group
from dovetail.io import json_schema
from dovetail.validation import reproduce

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))

from commands_page import commands_markdown  # noqa: E402
from errors_page import catalogue, errors_markdown, messages_of  # noqa: E402
from fill_pages import BLOCK, LEFT_TO_THE_SITE, filled  # noqa: E402
from made_pages import MADE  # noqa: E402
from methods_page import methods_api, methods_markdown  # noqa: E402
from schema_page import TITLES, scene_markdown  # noqa: E402
from site_hooks import (  # noqa: E402
    FORMULA,
    GENERATED,
    expanded,
    on_page_content,
    on_page_markdown,
)

LARGEST_PICTURE = 150_000  # [bytes]
PAGES = [ROOT / "README.md", *DOCS.rglob("*.md")]
METHODS = sorted((DOCS / "methods").glob("*.md"))


@pytest.mark.parametrize("name", COMMANDS)
def test_command_page_shows_every_option_with_its_help(name):
    command = group.get_command(click.Context(group), name)
    section = commands_markdown().partition(f"## {name}\n")[2].partition("\n## ")[0]
    assert f"dovetail {name}" in section
    for option in command.params:
        if isinstance(option, click.Option):
            assert all(flag in section for flag in option.opts)
            assert (option.help or "") in section
        else:
            assert option.make_metavar(click.Context(command)) in section


def test_scene_file_page_shows_every_key_and_unit():
    text, schema = scene_markdown(), json_schema()
    for name, entry in schema["$defs"].items():
        section = text.partition(f"## {TITLES[name]}\n")[2].partition("\n## ")[0]
        for key in entry["properties"]:
            assert f"| `{key}` |" in section, f"{name}.{key}"
    body = text.partition("## bodies\n")[2].partition("\n## ")[0]
    assert "| `angular_velocity` | 3 numbers | rad/s |" in body
    assert "| `mass` | number >= 0 | kg |" in body
    assert set(TITLES) == {"SceneDocument", *schema["$defs"]}, "a mapping without a title"


def test_links_inside_the_scene_file_page_lead_somewhere():
    text = scene_markdown()
    headings = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    targets = {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}
    assert len(targets) == len(headings)
    assert set(re.findall(r"\]\(#([\w-]+)\)", text)) <= targets


def test_methods_page_lists_every_scheme_and_contact_method():
    for name, scheme in dt.integrators.SCHEMES.items():
        orders = "2, 4, 6" if name == "RATTLie" else scheme.order  # an option of RATTLie
        assert f"| `{name}` | {orders} |" in methods_markdown()
        assert f"::: {scheme.__module__}.{scheme.__qualname__}" in methods_api()
    for name, method in dt.contact.METHODS.items():
        assert f"| `{name}` | {method.kind} |" in methods_markdown()


def test_every_public_name_has_a_place_in_the_api_pages():
    text = "\n".join(page.read_text() for page in (DOCS / "reference" / "api").glob("*.md"))
    shown = {name.rsplit(".", 1)[1] for name in re.findall(r"^::: (\S+)", text, re.MULTILINE)}
    for members in re.findall(r"members: \[(.*)\]", text):
        shown |= {name.strip() for name in members.split(",")}
    of_errors = {"DovetailError", "InputError", "RunError"}  # shown by their module
    assert "::: dovetail.errors" in text
    assert set(dt.__all__) - set(dt._LAYERS) - of_errors <= shown


def test_every_runtime_dependency_is_justified():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (DOCS / "explanation" / "dependencies.md").read_text()
    names = [re.match(r"[\w-]+", text)[0] for text in project["dependencies"]]
    rows = re.findall(r"^\| ([\w-]+) \| \S.+ \|$", page.partition("Only for")[0], re.MULTILINE)
    assert rows[1:] == names  # the first row is the head


def test_frequent_messages_are_messages_of_the_package():
    page = (DOCS / "reference" / "errors.md").read_text().partition("## Frequent messages")[2]
    rows = re.findall(r"^\| `+(.+?) ?`+ \| \S", page.partition("\n## ")[0], re.MULTILINE)
    known = [message for messages in catalogue().values() for message in messages]
    assert len(rows) >= 8
    for row in rows:
        pieces = [re.escape(piece.strip()) for piece in row.split("...") if piece.strip()]
        assert any(re.search(".*".join(pieces), message) for message in known), row


def _fills(template: str, message: str) -> bool:
    """Whether the words of a template are in a message, in their order."""
    place = 0
    for words in template.split("..."):
        place = message.find(words, place)
        if place < 0:
            return False
        place += len(words)
    return True


def test_error_catalogue_holds_what_is_raised_and_what_is_collected():
    source = (
        "def check(a):\n    raise InputError(f'`mass` of {a!r} must be > 0 kg, ' + 'got none')\n"
        "def mistakes(self):\n    found.append(f'two bodies are named {a}')\n"
        "def other():\n    raise ValueError('not one of ours, at all')\n"
    )
    assert sorted(messages_of(source)) == [
        "`mass` of ... must be > 0 kg, got none",
        "two bodies are named ...",
    ]
    scene = dt.Scene()
    scene.add_body("link", dt.Box((1, 1, 1)), mass=1)
    raised = []
    for wrong in ({"step": 0.0, "duration": 1.0}, {"step": 0.1, "duration": -1.0}):
        with pytest.raises(dt.InputError) as caught:
            dt.simulate(scene, **wrong)
        raised.append(str(caught.value))
    known = [message for messages in catalogue().values() for message in messages]
    for message in raised:
        assert any(_fills(template, message) for template in known), message
    page = errors_markdown()  # reads all sources: once
    assert all(message in page for message in known)


def test_every_paper_has_a_page_with_what_was_made_of_it():
    for name in reproduce.names():
        page = (DOCS / "papers" / f"{name}.md").read_text()
        assert f"<!-- generated: paper {name} -->" in page
        made = (MADE / f"paper-{name}.md").read_text()
        assert re.match(r"\*\*\d+ of \d+ values agree\*\*", made), name
        assert f"papers/{name}.md" in (MADE / "papers.md").read_text()
        for picture in re.findall(r"\]\(\.\./(images/[^)]+)\)", made):
            assert (DOCS / picture).stat().st_size <= LARGEST_PICTURE


def test_measured_tables_hold_examples_that_exist_and_every_contact_method():
    rows = re.findall(r"^\| `([a-z-]+)` \|", (MADE / "examples.md").read_text(), re.MULTILINE)
    assert len(rows) >= 24 and set(rows) <= set(dt.examples.names())
    choosing = (MADE / "choosing.md").read_text()
    assert all(f"| {name} |" in choosing for name in ("IPC", "SDF", "LCP"))


def test_generated_parts_are_known_and_filled_in():
    marks = {mark["name"] for page in PAGES for mark in BLOCK.finditer(page.read_text())}
    assert marks == set(GENERATED)
    assert on_page_markdown("a\n<!-- generated: commands -->") == f"a\n{commands_markdown()}"


def test_generated_tables_in_the_repository_are_up_to_date():
    texts = {page.name: page.read_text() for page in PAGES}
    stale = [name for name, text in texts.items() if filled(text, GENERATED) != text]
    assert not stale, f"run `python docs/fill_pages.py`: {stale}"


def test_a_page_that_the_repository_shows_without_its_list_says_what_builds_it():
    for page in PAGES:
        text = page.read_text()
        left = LEFT_TO_THE_SITE & {mark["name"] for mark in BLOCK.finditer(text)}
        if left or re.search(r"^::: ", text, re.MULTILINE):
            assert "`mkdocs build`" in text, page


def test_formulas_become_mathml_with_nothing_left_of_tex():
    html = '<p><span class="arithmatex">\\(R^T R &lt; 1\\)</span></p>'
    shown = on_page_content(html)
    assert shown.startswith("<p><math") and 'display="inline"' in shown
    assert "&#x0003C;" in shown or "&lt;" in shown
    assert not FORMULA.search(shown)


def test_pictures_of_the_pages_are_there_and_small():
    for page in PAGES:
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text()):
            picture = page.parent / target
            assert picture.is_file(), f"{page.name}: {target}"
            assert picture.stat().st_size <= LARGEST_PICTURE


def test_a_folder_of_the_nav_includes_pages_that_are_not_named():
    named = {"how-to/check.md", "how-to/"}
    pages = expanded([{"How-to": ["how-to/check.md", "how-to/"]}], named)[0]["How-to"]
    assert pages[0] == "how-to/check.md" and pages.count("how-to/check.md") == 1
    assert set(pages) == {f"how-to/{page.name}" for page in (DOCS / "how-to").glob("*.md")}
    assert "methods/ipc.md" in expanded({"Methods": "methods/"}, {"methods/"})["Methods"]


@pytest.mark.parametrize(
    "page", sorted((DOCS / "methods").glob("*.md")), ids=lambda page: page.stem
)
def test_a_page_for_users_of_a_method_is_short_and_says_the_same_things(page):
    text = page.read_text()
    assert len(text.split()) <= 900
    if page.stem == "mass-properties":  # no method of motion or contact
        return
    for heading in ("## When to ", "## What it cannot do", "## Measured"):
        assert heading in text or heading.replace("it ", "they ") in text, heading
    assert "../theory/" in text
