"""Texts in tables that people open with a spreadsheet."""

FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # what makes a cell a formula for a spreadsheet


def plain_cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula: with an apostrophe before it if it would."""
    return f"'{text}" if text.lstrip(" ").startswith(FORMULAS) else text
