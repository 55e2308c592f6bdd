"""One run of a study, wherever it is executed: simulate, ask, leave the outcome on disk."""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dovetail.errors import DovetailError, InputError, RunError
from dovetail.model.values import quote
from dovetail.results import Result, load
from dovetail.results.lock import BeingWrittenError
from dovetail.results.side_files import remove_result
from dovetail.results.stored import StoredInFile
from dovetail.simulate import simulate
from dovetail.simulate.fingerprint import canonical, described
from dovetail.studies.folder import StudyFolder
from dovetail.studies.jobs import Job

Outputs = Mapping[str, Callable[[Result], Any]]
LONGEST_WAIT = 120.0  # [s] for a worker that was given up and still writes
PAUSE = 0.5  # [s]
WORTH_WAITING = 1.0  # [s] a run that took less may be done again after a power cut


@dataclass(frozen=True, eq=False)
class SharedByRuns:
    """What all runs of a study have in common; scenes of megabytes among it."""

    job: Job
    outputs: Outputs
    folder: StudyFolder
    keep_results: bool


def run_one(shared: SharedByRuns, run: int, values: Mapping[str, Any]) -> dict[str, Any]:
    """Do what run number `run` still lacks, and return its outcome.

    An outcome is {status, reason, outputs}; status is "finished" or "failed" (by its own physics
    or input: to run it again would give the same). A fault of the machine, such as a full disk,
    is raised instead and leaves no outcome, so that the run is done next time.
    """
    job, folder = shared.job, shared.folder
    done = folder.read_outcome(run)
    if done is not None:  # by a worker that died before it could say so
        return done
    path = folder.result(run)
    began = time.monotonic()
    waited_until = began + LONGEST_WAIT
    while True:
        try:
            result, status, reason = _simulated(job, values, path)
            break
        except BeingWrittenError:
            if time.monotonic() > waited_until:
                raise
            time.sleep(PAUSE)
    outcome: dict[str, Any] = {"status": status, "reason": reason, "outputs": {}}
    if result is not None:
        outcome |= answered(shared.outputs, result)
    if shared.keep_results and status == "finished":
        outcome["bytes"] = path.stat().st_size
    folder.write_outcome(run, outcome, durable=time.monotonic() - began > WORTH_WAITING)
    if not shared.keep_results:
        remove_result(path)
    return outcome


def _simulated(job: Job, values: Mapping[str, Any], path: Path) -> tuple[Result | None, str, str]:
    if _is_unreadable(path):
        remove_result(path)  # a power cut took it, with its outcome
    try:
        scene, settings = job(values, check=False)
        result = simulate(
            scene, check=False, **settings, out=path, resume=True, progress=False, extendable=False
        )
    except BeingWrittenError:
        raise
    except RunError as error:
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from None
        return (load(path) if path.exists() else None), "failed", str(error)
    except InputError as error:
        return None, "failed", " | ".join(_in_its_file(job, values, error).mistakes)
    except TypeError as error:
        return None, "failed", f"the run cannot be made: {error}"
    if result.status == "interrupted":
        raise KeyboardInterrupt
    return result, result.status, result.reason


def _in_its_file(job: Job, values: Mapping[str, Any], error: InputError) -> InputError:
    """What is wrong with a run, by its place in the scene file where it is found there."""
    try:
        job(values)
    except InputError as found:
        return found
    return error


def _is_unreadable(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        StoredInFile(path)
    except InputError:
        return True
    return False


def answered(outputs: Outputs, result: Result) -> dict[str, Any]:
    """The answers as an outcome keeps them, with what was meant by each."""
    return {"outputs": answers(outputs, result), "meant": meaning(outputs)}


def meaning(outputs: Outputs) -> dict[str, str]:
    """What is meant by every output, as a digest of its definition."""
    return {
        name: hashlib.sha256(canonical(described(output)).encode()).hexdigest()[:16]
        for name, output in outputs.items()
    }


def answers(outputs: Outputs, result: Result) -> dict[str, Any]:
    """What the outputs say of a result: numbers, truths or texts."""
    found: dict[str, Any] = {}
    for name, output in outputs.items():
        try:
            answer = output(result)
        except DovetailError:
            raise
        except Exception as error:
            raise InputError(f"output {name!r} failed: {error}") from error
        if hasattr(answer, "item"):
            answer = answer.item()
        if not isinstance(answer, bool | int | float | str):
            raise InputError(
                f"output {name!r} must be a number, truth or text, got {quote(answer)}"
            )
        found[name] = answer
    return found
