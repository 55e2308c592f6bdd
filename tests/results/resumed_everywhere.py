"""A run with a checkpoint after every step, resumed from each of them, compared byte by byte."""

import pickle
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import dovetail as dt
from dovetail.collision.sdf import body_field
from dovetail.results import run_file
from dovetail.results.checkpoint import checkpoint_path
from dovetail.simulate import loop, recording, run_header

Settings = dict[str, Any]


@dataclass(frozen=True)
class Stopped:
    """What a run that is killed after a checkpoint leaves."""

    step: int  # how many were made
    result: bytes
    checkpoint: bytes


@contextmanager
def checkpoint_after_every_step(keep: Callable[[Path, int], None]) -> Iterator[None]:
    """Runs inside save a checkpoint after each step; `keep` gets the file and the steps made."""
    save = recording.write_checkpoint

    def save_and_keep(path: Path, checkpoint: Any, durable: bool = True) -> None:
        save(path, checkpoint, durable)
        keep(path, int(checkpoint.loop["k"]))

    with (
        patch.object(recording, "CHECKPOINT_SECONDS", 0.0),
        patch.object(recording, "COST_SHARE", 1e99),
        patch.object(recording, "write_checkpoint", save_and_keep),
        patch.object(loop, "FIRST_CHUNK", 1),
        patch.object(loop, "CHUNK_SECONDS", 0.0),
    ):
        yield


@contextmanager
def not_read_again() -> Iterator[None]:
    """Runs inside do not open their complete file once more: only its bytes are compared."""
    unread = SimpleNamespace(stored=None, stats={})
    with patch.object(recording, "Result", lambda *of: unread):
        yield


def run(build: Callable[[], dt.Scene], out: Path, settings: Settings, **more: Any) -> None:
    """One run to a file; one that fails leaves what it made."""
    with suppress(dt.RunError), not_read_again():
        dt.simulate(build(), out=out, progress=False, check=False, **settings, **more)


def _once(make: Callable[..., Any], key: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose value of an equal key is kept."""
    known: dict[Any, Any] = {}

    def kept(*given: Any) -> Any:
        of = key(*given)
        if of not in known:
            known[of] = make(*given)
        return known[of]

    return kept


@contextmanager
def prepared_once() -> Iterator[None]:
    """Runs of one scene inside share what follows from the scene and the header alone.

    That is the text of the scene, the boxes around meshes, and the file before its first frame.
    """

    def laid_out(path: Path, *of: Any) -> tuple[bytes, Any]:
        places = lay_out(path, *of)
        return path.read_bytes(), places

    lay_out = run_file.lay_out
    empty = _once(laid_out, lambda path, *of: pickle.dumps(of))

    def copied(path: Path, *of: Any) -> Any:
        content, places = empty(path, *of)
        path.write_bytes(content)
        return places

    with (
        patch.object(run_file, "lay_out", copied),
        patch.object(run_header, "embedded_scene", _once(run_header.embedded_scene, id)),
        patch.object(body_field, "tight_box", _once(body_field.tight_box, bytes)),
    ):
        yield


def stops(
    build: Callable[[], dt.Scene],
    folder: Path,
    settings: Settings,
    clocks: list[float] | None = None,
) -> list[Stopped]:
    """What a kill after each step would leave; `clocks` get the CPU time [s] after each."""
    found: list[Stopped] = []

    def keep(path: Path, step: int) -> None:
        if clocks is not None:
            clocks.append(time.process_time())
        found.append(Stopped(step, path.read_bytes(), checkpoint_path(path).read_bytes()))

    with checkpoint_after_every_step(keep):
        run(build, folder / "kept.h5", settings)
    return found


def differing(
    build: Callable[[], dt.Scene], folder: Path, settings: Settings, stopped: Iterable[Stopped]
) -> list[int]:
    """After which steps a kill changes the finished file."""
    whole = folder / "whole.h5"
    run(build, whole, settings)
    expected = whole.read_bytes()
    wrong = []
    for stop in stopped:
        out = folder / "resumed.h5"
        out.write_bytes(stop.result)
        checkpoint_path(out).write_bytes(stop.checkpoint)
        run(build, out, settings, resume=True)
        if out.read_bytes() != expected:
            wrong.append(stop.step)
            shutil.copy(out, folder / f"differs_{stop.step}.h5")
    return wrong


class Killed(BaseException):
    """The end of a process."""


def killed_after_every_step(
    build: Callable[[], dt.Scene], folder: Path, settings: Settings, most: int | None = None
) -> tuple[int, bool]:
    """A run that is killed after each step and resumed: how often, and whether its file is other.

    One resume a step: whatever a step leaves outside of its checkpoint is lost at every one. With
    `most` only so many are killed, evenly spread.
    """
    whole, out = folder / "whole.h5", folder / "killed.h5"
    run(build, whole, settings)
    steps = round(settings["duration"] / settings["step"])
    apart = 1 if most is None else max(1, -(-steps // most))
    left: list[Stopped] = []  # by those that were killed

    def kill(path: Path, step: int) -> None:
        before = left[-1].step if left else 0
        if step >= before + apart:
            left.append(Stopped(step, path.read_bytes(), checkpoint_path(path).read_bytes()))
            raise Killed

    killed, resumes = True, -1
    with checkpoint_after_every_step(kill):
        while killed:
            killed, resumes = False, resumes + 1
            try:
                run(build, out, settings, **({"resume": True} if left else {}))
            except Killed:
                killed = True
                out.write_bytes(left[-1].result)
                checkpoint_path(out).write_bytes(left[-1].checkpoint)
    return resumes, out.read_bytes() != whole.read_bytes()
