"""The code on the page docs/methods/lcp.md runs as printed."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "methods" / "lcp.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_code_on_the_page_runs(block):
    exec(compile(block, str(PAGE), "exec"), {})


def test_the_page_has_code():
    assert len(BLOCKS) == 4
