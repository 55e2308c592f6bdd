"""What a result file says once, as anybody may have written it: texts and numbers of any kind.

What is not as a run writes it raises ValueError, which the reader of the file explains.
"""

import json
from typing import Any

import h5py
import numpy as np

from dovetail.model.values import Array

KINDS: dict[str, tuple[type, ...]] = {  # of the entries that are read; any of them may be missing
    "contact": (dict, type(None)),
    "integrator": (dict, type(None)),
    "step": (int, float),
    "every": (int,),
    "duration": (int, float, type(None)),
    "events": (list, type(None)),
    "functions_not_kept": (list, type(None)),
}


def checked_settings(text: str) -> str:
    """The settings of a run, if they are an object whose entries are of their kinds."""
    try:
        settings: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its settings are no JSON: {error}") from None
    if not isinstance(settings, dict):
        raise ValueError("its settings are no JSON object")
    for key, kinds in KINDS.items():
        if key in settings and not isinstance(settings[key], kinds):
            raise ValueError(f"its setting `{key}` is {settings[key]!r:.40}")
    return text


def numbers_in(data: h5py.Dataset, shape: tuple[int, ...]) -> Array:
    """Real numbers in an array of that shape."""
    refuse_other_kind(data, "f8")
    if data.shape != shape:
        raise ValueError(f"{data.name.lstrip('/')} has {data.shape} instead of {shape}")
    numbers: Array = data[()]
    return numbers


def refuse_other_kind(data: h5py.Dataset, dtype: str) -> None:
    """Texts and complex numbers in place of real ones, and the like."""
    if not np.can_cast(data.dtype, np.dtype(dtype), "same_kind"):
        raise ValueError(f"{data.name.lstrip('/')} holds {data.dtype} instead of {np.dtype(dtype)}")
