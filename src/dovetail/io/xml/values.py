"""Numbers and words from the attributes of an XML element, or a sentence about the mistake."""

import numpy as np

from dovetail.errors import InputError
from dovetail.io.xml.elements import Element
from dovetail.model.values import Array, quote

MAX_NUMBERS = 3_000_000
LARGEST_NUMBER = 1e20  # its fifth power, the inertia of a length, is still finite


def numbers(element: Element, key: str, count: int | None, default: object = None) -> Array:
    """The attribute `key` as `count` finite numbers (None: any); `default` where it is missing.

    A missing attribute without a default is a mistake.
    """
    text = element.attributes.get(key)
    wanted = f"`{key}` of {element.who} must be {_amount(count)}"
    if text is None:
        if default is None:
            raise InputError(f"{wanted}, but it is missing")
        return np.array(default, dtype=np.float64)
    words = text.split()
    if len(words) > MAX_NUMBERS or (count is not None and len(words) != count):
        raise InputError(f"{wanted}, got {quote(text)}")
    try:
        values = np.array([_number(word) for word in words], dtype=np.float64)
    except ValueError:
        raise InputError(f"{wanted}, got {quote(text)}") from None
    if not np.all(np.isfinite(values)) or np.any(np.abs(values) > LARGEST_NUMBER):
        raise InputError(f"{wanted}, got {quote(text)}")
    return values


def number(element: Element, key: str, default: float | None = None) -> float:
    """The attribute `key` as one finite number."""
    return float(numbers(element, key, 1, None if default is None else [default])[0])


def word(element: Element, key: str, default: str | None = None) -> str:
    """The attribute `key` as text that is not empty."""
    text = element.attributes.get(key, default)
    if text is None or not text.strip():
        raise InputError(f"`{key}` of {element.who} must be given, got {quote(text)}")
    return text.strip()


def choice(element: Element, key: str, options: tuple[str, ...], default: str) -> str:
    """The attribute `key` as one of `options`."""
    text = element.attributes.get(key, default)
    if text not in options:
        raise InputError(
            f"`{key}` of {element.who} must be one of {', '.join(options)}, got {quote(text)}"
        )
    return text


def flag(element: Element, key: str, default: bool) -> bool:
    """The attribute `key` as true or false."""
    text = choice(element, key, ("true", "false", "1", "0"), "true" if default else "false")
    return text in ("true", "1")


def _number(word_: str) -> float:
    if "_" in word_:  # Python would read 1_000
        raise ValueError
    return float(word_)


def _amount(count: int | None) -> str:
    if count == 1:
        return "a finite number"
    return "finite numbers" if count is None else f"{count} finite numbers"
