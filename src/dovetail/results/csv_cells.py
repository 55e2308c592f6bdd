"""Texts in tables that people open with a spreadsheet.

A cell that begins with one of a few characters is a formula for a spreadsheet, their wide forms
included, after any blank. Where the separator is a semicolon or a tab, a text with one in it
becomes several cells, so what follows it is guarded as well (OWASP, CSV injection).
"""

import re

_BEGINS_A_FORMULA = re.compile(r"(^|[;\t\r\n|])([^\S\t\r\n]*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])")
_CONTROLS = ("\t", "\r", "\n")


def plain_cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula: with an apostrophe before it if it would."""
    plain = _BEGINS_A_FORMULA.sub(_guarded, text)
    return f"'{plain}" if plain.startswith(_CONTROLS) else plain


def _guarded(found: re.Match[str]) -> str:
    """The apostrophe comes before blanks, so that no cell begins with them."""
    return f"{found[1]}'{found[2]}"
