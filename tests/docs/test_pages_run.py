"""Every page of the documentation does what it says."""

from pathlib import Path

import pytest
from code_blocks import blocks_of
from page_run import PageError, PageRun

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_BLOCKS = [page for page in PAGES if blocks_of(page)]


@pytest.mark.usefixtures("own_registries")
@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_of_the_page_run_in_order_and_print_what_it_shows(page, tmp_path):
    PageRun(page, tmp_path).run()


def run_text(tmp_path, text):
    page = tmp_path / "page.md"
    page.write_text(text)
    PageRun(page, tmp_path).run()


def test_an_error_in_a_block_names_its_line(tmp_path):
    with pytest.raises(PageError, match=r"line 3 \(python\): ZeroDivisionError"):
        run_text(tmp_path, "Words.\n\n```python\n1 / 0\n```\n")


def test_a_command_that_fails_is_an_error_unless_the_page_says_so(tmp_path):
    command = "```bash\nexit 2\n```\n"
    with pytest.raises(PageError, match="exit code 2, not 0"):
        run_text(tmp_path, command)
    run_text(tmp_path, f"<!-- exit code: 2 -->\n{command}")


def test_an_output_that_differs_is_an_error(tmp_path):
    python = "```python\nprint('mass', 2.5)\n```\n\n"
    run_text(tmp_path, f"{python}```text\nmass ...\n```\n")
    with pytest.raises(PageError, match="but the block before it prints"):
        run_text(tmp_path, f"{python}```text\nmass 3\n```\n")


def test_a_scene_with_a_mistake_is_an_error(tmp_path):
    with pytest.raises(PageError, match="versio"):
        run_text(tmp_path, "```yaml\nversio: 1\n```\n")


def test_a_block_is_left_out_only_with_a_reason_and_a_known_language(tmp_path):
    run_text(tmp_path, "<!-- not run: opens a window -->\n```python\n1 / 0\n```\n")
    with pytest.raises(PageError, match="needs a reason"):
        run_text(tmp_path, "<!-- not run: -->\n```python\n1 / 0\n```\n")
    with pytest.raises(PageError, match="no rule for a block of language 'py'"):
        run_text(tmp_path, "```py\n1 / 0\n```\n")


def test_a_mark_reaches_only_the_block_below_it(tmp_path):
    with pytest.raises(PageError, match="ZeroDivisionError"):
        run_text(tmp_path, "<!-- not run: a reason -->\nWords.\n\n```python\n1 / 0\n```\n")


def test_names_and_files_of_a_page_live_on_in_its_later_blocks(tmp_path):
    run_text(
        tmp_path,
        "```python\na = 2\nfrom pathlib import Path\nPath('a.txt').touch()\n```\n"
        "<!-- run:\nb = a + 1\n-->\n"
        "```bash\nls a.txt\n```\n```python\nprint(a * b)\n```\n```text\n6\n```\n",
    )
