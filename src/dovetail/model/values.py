"""Turning what a user wrote into clean numbers, or into a sentence that says what is wrong."""

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dovetail.errors import InputError

Array = NDArray[np.float64]
T = TypeVar("T")

GROUND_NAME = "ground"  # the world as a body that joints and springs may name
DEEPEST = 4  # lists in lists that anything in a scene is made of
LARGEST_NAME = 200
LARGEST_SHOWN = 40  # entries of a list that are looked at for a message
PLAIN = frozenset({float, int, bool, str, type(None)})  # what nobody can change
FLOATS, NOTHING = frozenset({float}), (0.0, 0.0, 0.0)
FEW = 16  # numbers
LONGEST_TEXT = 80  # characters of a value in a message
ORTHOGONALITY_TOLERANCE = 1e-6  # what a text file with seven digits can carry


class Mistakes(list[str]):
    """All that is wrong with one description, collected before anything is raised."""

    def take(self, clean: Callable[..., T], *arguments: Any, **options: Any) -> T | None:
        """The cleaned value, or None after noting the sentence of the InputError it raised."""
        try:
            return clean(*arguments, **options)
        except InputError as error:
            self.extend(error.mistakes)
            return None

    def raise_if_any(self) -> None:
        if self:
            raise InputError(self)


def as_of_now(value: Any, depth: int = 0) -> Any:
    """`value` with its arrays and lists copied, so that changing them later changes no scene."""
    if isinstance(value, np.ndarray):
        return value.copy()
    kind = type(value)
    if (kind is list or kind is tuple) and depth < DEEPEST:
        if PLAIN.issuperset(map(type, value)):
            return value if kind is tuple else value.copy()
        return kind(as_of_now(entry, depth + 1) for entry in value)
    return value


class CopiedFields:
    """A frozen dataclass whose arrays and lists are copies of what it was given."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:  # type: ignore[attr-defined]
            given = getattr(self, name)
            if type(given) not in PLAIN:
                object.__setattr__(self, name, as_of_now(given))


def frozen(array: ArrayLike) -> Array:
    """A read-only float64 copy."""
    copy = np.array(array, dtype=np.float64)
    copy.flags.writeable = False
    return copy


ZERO = frozen(NOTHING)


def is_count(value: Any, least: int) -> bool:
    """Whether it is a whole number, also one of NumPy's, and at least `least`."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and value >= least


def finite_array(value: Any, what: str, shape: tuple[int, ...], unit: str = "") -> Array:
    """An array of finite numbers of exactly `shape`."""
    try:
        array = np.asarray(value)
        usable = array.dtype.kind in "iuf" and array.shape == shape
        if usable:
            array = np.array(array, dtype=np.float64)
            usable = _are_finite(array)
    except Exception:  # ragged lists, huge integers, objects that fail to become an array
        usable = False
    if not usable:
        raise InputError(
            f"{what} must be {_count(shape)} finite {_numbers(shape)}{_in(unit)}, "
            f"got {quote(value)}"
        )
    array.flags.writeable = False
    return array


def _are_finite(array: Array) -> bool:
    """Few numbers are looked at one by one, which costs less than NumPy's calls."""
    if array.size <= FEW:
        return all(map(math.isfinite, array.ravel().tolist()))
    return bool(np.isfinite(array).all())


def vector3(value: Any, what: str, unit: str = "") -> Array:
    """Three finite numbers, (3,)."""
    if type(value) is tuple and value == NOTHING and FLOATS.issuperset(map(type, value)):
        return ZERO  # what most entries of large scenes are
    return finite_array(value, what, (3,), unit)


def unit_vector3(value: Any, what: str) -> Array:
    """The direction of three finite numbers, (3,) of length 1."""
    vector = vector3(value, what)
    largest = float(np.max(np.abs(vector)))
    if largest == 0:
        raise InputError(f"{what} must have a direction, got {quote(value)}")
    scaled = vector / largest  # squares of very large and small numbers are not numbers
    return frozen(scaled / np.linalg.norm(scaled))


def number(value: Any, what: str, unit: str = "") -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iuf":
        value = value[()]  # a scalar of an array's own type
    if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
        raise InputError(f"{what} must be a finite number{_in(unit)}, got {quote(value)}")
    return float(finite_array(value, what, (), unit))


def positive(value: Any, what: str, unit: str = "") -> float:
    result = number(value, what, unit)
    if result <= 0:
        raise InputError(f"{what} must be > 0{_bare(unit)}, got {quote(value)}")
    return result


def not_negative(value: Any, what: str, unit: str = "") -> float:
    result = number(value, what, unit)
    if result < 0:
        raise InputError(f"{what} must be >= 0{_bare(unit)}, got {quote(value)}")
    return result


def rotation_matrix(value: Any, what: str) -> Array:
    """A proper rotation from a 3x3 matrix or a unit quaternion (w, x, y, z)."""
    shape = shape_of(value)
    if shape == (4,):
        return _from_quaternion(finite_array(value, what, (4,)), what)
    if shape != (3, 3):
        raise InputError(
            f"{what} must be a 3x3 matrix or a quaternion (w, x, y, z), got {quote(value)}"
        )
    matrix = finite_array(value, what, (3, 3))
    with np.errstate(over="ignore", invalid="ignore"):
        error = float(np.max(np.abs(matrix.T @ matrix - np.eye(3))))
    if not error <= ORTHOGONALITY_TOLERANCE:
        raise InputError(
            f"{what} must be orthogonal, its columns are off by {error:.3g}; "
            "give unit columns at right angles or a quaternion"
        )
    if np.linalg.det(matrix) < 0:
        raise InputError(f"{what} must turn, not mirror: its determinant is -1")
    u, _, vt = np.linalg.svd(matrix)
    return frozen(u @ vt)


def _from_quaternion(quaternion: Array, what: str) -> Array:
    with np.errstate(over="ignore"):
        length = float(np.sqrt(np.sum(quaternion**2)))
    if not abs(length - 1) <= ORTHOGONALITY_TOLERANCE:
        raise InputError(f"{what} must be a unit quaternion (w, x, y, z), its length is {length:g}")
    w, x, y, z = quaternion / length
    return frozen(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def inertia_matrix(value: Any, what: str) -> Array:
    """A symmetric inertia [kg m^2] from its principal 3-vector or its 3x3 matrix.

    A solid has positive principal moments, each at most the sum of the other two.
    """
    shape = shape_of(value)
    if shape == (3,):
        principal = finite_array(value, what, (3,), "kg m^2").tolist()
        size = max(map(abs, principal))
        parts = [moment / size for moment in principal] if size > 0 else principal
        scaled = np.zeros((3, 3))
        scaled[0, 0], scaled[1, 1], scaled[2, 2] = parts
        relative: NDArray[np.floating[Any]] = np.array(sorted(parts))
    else:
        matrix = finite_array(value, what, (3, 3), "kg m^2")
        size = float(np.max(np.abs(matrix)))
        scaled = matrix / size if size > 0 else matrix
        if np.max(np.abs(scaled - scaled.T)) > 1e-9:
            raise InputError(f"{what} must be symmetric, got {quote(value)}")
        scaled = (scaled + scaled.T) / 2
        relative = np.linalg.eigvalsh(scaled)
    moments = relative * size
    if not relative[0] > 0:
        raise InputError(f"{what} must have moments > 0 kg m^2, got {quote(moments)}")
    if relative[2] > (relative[0] + relative[1]) * (1 + 1e-6):
        raise InputError(
            f"{what} has moments {quote(moments)} kg m^2: no body can have one larger than "
            "the sum of the other two"
        )
    return frozen(scaled * size)


def name_of(value: Any, kind: str) -> str:
    """A usable name: printable, not empty, not 'ground' (the world's own name)."""
    article = "an" if kind[0] in "aeiou" else "a"
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise InputError(f"name of {article} {kind} must be a printable text, got {quote(value)}")
    if len(value) > LARGEST_NAME:
        raise InputError(
            f"name of {article} {kind} must have at most {LARGEST_NAME} characters, "
            f"got {quote(value)}"
        )
    if value == GROUND_NAME:
        raise InputError(
            f"name of {article} {kind} must not be {GROUND_NAME!r}: that is the world itself"
        )
    return value


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape numpy would give it; () for what numpy cannot take, such as ragged lists."""
    try:
        return np.shape(value)
    except Exception:  # a user's object may fail in any way
        return ()


def quote(value: Any) -> str:
    """A value as it appears in a message: short, one line."""
    try:
        if isinstance(value, np.ndarray):
            value = value.tolist() if value.size <= LARGEST_SHOWN else value
        if isinstance(value, list | tuple) and len(value) > LARGEST_SHOWN:
            text = f"{type(value).__name__} of {len(value)} entries, {value[:LARGEST_SHOWN]!r}"
        else:
            text = repr(value)
    except Exception:  # a user's object may fail even here
        text = f"<{type(value).__name__}>"
    return short(" ".join(text.split()))


def short(text: str) -> str:
    """A text cut to what a message can hold."""
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 3] + "..."


def _count(shape: tuple[int, ...]) -> str:
    return "x".join(str(n) for n in shape) if shape else "a"


def _numbers(shape: tuple[int, ...]) -> str:
    return "numbers" if shape and shape != (1,) else "number"


def _in(unit: str) -> str:
    return f" in {unit}" if unit else ""


def _bare(unit: str) -> str:
    return f" {unit}" if unit else ""
