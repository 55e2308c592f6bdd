"""The small files beside a result: lock, checkpoint, timing, and half-written ones."""

from pathlib import Path

TEMPORARY_ENDINGS = (
    "new",
    "grow",
    "compact",
    "checkpoint.new",
    "timing.npy.new",
    "findings.json.new",
    "warnings.json.new",
)


def side_path(path: Path, ending: str) -> Path:
    """A file that belongs to the result `path`, in the same folder."""
    return path.with_name(f"{path.name}.{ending}")


def remove_result(path: Path) -> None:
    """Delete a result and all that belongs to it."""
    remove_leftovers(path)
    for ending in ("checkpoint", "timing.npy", "findings.json", "warnings.json"):
        side_path(path, ending).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def remove_leftovers(path: Path) -> None:
    """Delete what a killed run left half-written beside `path`; call it under the lock."""
    for ending in TEMPORARY_ENDINGS:
        side_path(path, ending).unlink(missing_ok=True)
