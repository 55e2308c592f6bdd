"""`dovetail study`: many runs of one scene, resumable, on as many workers as there are."""

import time
from functools import partial
from pathlib import Path
from typing import Any

import click

from dovetail.cli.example_study import built_by_example, with_run
from dovetail.cli.scene_argument import find_scene
from dovetail.errors import InputError
from dovetail.examples import study_file, study_names
from dovetail.io import to_document
from dovetail.io.loading import read_document
from dovetail.io.scene_file.writing.scene import run_document
from dovetail.studies.document import StudyRequest, read_study
from dovetail.studies.jobs import DocumentJob, Job, Settings
from dovetail.studies.places import change
from dovetail.studies.running import StudyPlan, StudyResult, run_study


@click.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder; default: STUDY without .yaml")
@click.option("--workers", type=int, help="Processes here; default: one per core, 0: this one.")
@click.option("--scheduler", help="Use a Dask cluster that is there, such as tcp://host:8786.")
@click.option("--retry-failed", is_flag=True, help="Run those again that failed before.")
@click.option("--at-most", type=int, help="Do at most so many runs now; the rest next time.")
@click.option("--quiet", is_flag=True, help="No progress bar, no summary.")
@click.option("--allow-path", "allow_paths", multiple=True, help="Folder the scene may read from.")
def command(
    study: Path,
    out: Path | None,
    workers: int | None,
    scheduler: str | None,
    retry_failed: bool,
    at_most: int | None,
    quiet: bool,
    allow_paths: tuple[str, ...],
) -> None:
    """Run STUDY, a file or a built-in one; started again, it does only what is missing.

    Built in: docking-approaches.
    """
    file = _found(study)
    request = read_study(file)
    events = tuple(until.event(name) for name, until in request.until.items())
    settings = {"events": events} if events else {}
    job = built_by_example(study, request, settings) or _of_document(
        study, request, settings, allow_paths
    )
    plan = StudyPlan(job, request.vary, request.sampling, request.outputs)
    started = time.monotonic()
    result = run_study(
        plan, out or study.with_suffix(""), workers=workers, scheduler=scheduler,
        keep_results=request.keep_results, retry_failed=retry_failed,
        at_most=at_most, progress=False if quiet else None,
    )  # fmt: skip
    if not quiet:
        _summarise(result, time.monotonic() - started)


def _found(study: Path) -> Path:
    """The file itself, or the one built in under that name."""
    if str(study) in study_names() and not study.is_file():  # a folder: where it is going on
        return study_file(str(study))
    if not study.exists() and not study.suffix:
        raise InputError(
            f"{str(study)!r} is neither a file nor a built-in study; studies: "
            + ", ".join(study_names())
        )
    return study


def _of_document(
    study: Path, request: StudyRequest, settings: Settings, allow_paths: tuple[str, ...]
) -> Job:
    document, source = _scene_document(study, request, allow_paths)
    document = with_run(document, request.run, study.name)
    for place, value in request.constant.items():
        document = change(document, place, partial(_instead, value))
    return DocumentJob(document, source, request.vary, settings, allow_paths)


def _instead(value: Any, _: Any) -> Any:
    return value


def _scene_document(
    study: Path, request: StudyRequest, allow_paths: tuple[str, ...]
) -> tuple[dict[str, Any], Path]:
    """The scene as a document: the file's own, with its units, or one made from another format."""
    beside = study.parent / request.scene
    named = str(beside) if beside.exists() else request.scene
    own = read_document(Path(named)) if Path(named).is_file() else None
    loaded = find_scene(named, allow_paths)  # says all that is wrong with it
    if isinstance(own, dict):
        return own, loaded.source.resolve()
    document = to_document(loaded.scene)
    if section := run_document(loaded.run):
        document["run"] = section
    return document, study.resolve()


def _summarise(result: StudyResult, seconds: float) -> None:
    count = len(result.table["run"])
    failed = result.count("failed")
    left = result.count("not done")
    later = f", {left} not done yet" if left else ""
    click.echo(f"{count} runs, {failed} failed{later}, in {seconds:.1f} s")
    for name in result.outputs:
        values = [value for value in result.table[name] if value is not None]
        if values and all(isinstance(value, bool) for value in values):
            click.echo(f"  {name}: yes in {sum(values)} of {len(values)}")
        elif numbers := [value for value in values if isinstance(value, int | float)]:
            mean = sum(numbers) / len(numbers)
            click.echo(f"  {name}: {min(numbers):.4g} to {max(numbers):.4g}, mean {mean:.4g}")
    click.echo(f"wrote {result.path / 'table.csv'} and a picture per output")
