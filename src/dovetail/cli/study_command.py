"""`dovetail study`: many runs of one scene, resumable, on as many workers as there are."""

import time
from pathlib import Path
from typing import Any

import click

from dovetail.cli.scene_argument import find_scene
from dovetail.errors import InputError
from dovetail.io import to_document
from dovetail.io.loading import read_document
from dovetail.io.scene_file.writing.scene import run_document
from dovetail.studies.document import StudyRequest, read_study
from dovetail.studies.jobs import DocumentJob
from dovetail.studies.running import StudyPlan, StudyResult, run_study


@click.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder; default: STUDY without .yaml")
@click.option("--workers", type=int, help="Processes here; default: one per core, 0: this one.")
@click.option("--scheduler", help="Use a Dask cluster that is there, such as tcp://host:8786.")
@click.option("--retry-failed", is_flag=True, help="Run those again that failed before.")
@click.option("--quiet", is_flag=True, help="No progress bar, no summary.")
@click.option("--allow-path", "allow_paths", multiple=True, help="Folder the scene may read from.")
def command(
    study: Path,
    out: Path | None,
    workers: int | None,
    scheduler: str | None,
    retry_failed: bool,
    quiet: bool,
    allow_paths: tuple[str, ...],
) -> None:
    """Run the study file STUDY; started again, it does only what is missing."""
    request = read_study(study)
    document, source = _scene_document(study, request, allow_paths)
    document = _with_run(document, request.run, study.name)
    job = DocumentJob(document, source, request.vary, {}, allow_paths)
    plan = StudyPlan(job, request.vary, request.sampling, request.outputs)
    started = time.monotonic()
    result = run_study(
        plan, out or study.with_suffix(""), workers=workers, scheduler=scheduler,
        keep_results=request.keep_results, retry_failed=retry_failed,
        progress=False if quiet else None,
    )  # fmt: skip
    if not quiet:
        _summarise(result, time.monotonic() - started)


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


def _with_run(document: dict[str, Any], run: dict[str, Any], name: str) -> dict[str, Any]:
    written = document.get("run", {})
    if not isinstance(written, dict):
        raise InputError(f"{name}: the scene's `run` must be a mapping")
    return {**document, "run": {**written, **run}} if run else document


def _summarise(result: StudyResult, seconds: float) -> None:
    count = len(result.table["run"])
    failed = result.count("failed")
    click.echo(f"{count} runs, {failed} failed, in {seconds:.1f} s")
    for name in result.outputs:
        values = [value for value in result.table[name] if value is not None]
        if values and all(isinstance(value, bool) for value in values):
            click.echo(f"  {name}: yes in {sum(values)} of {len(values)}")
        elif numbers := [value for value in values if isinstance(value, int | float)]:
            mean = sum(numbers) / len(numbers)
            click.echo(f"  {name}: {min(numbers):.4g} to {max(numbers):.4g}, mean {mean:.4g}")
    click.echo(f"wrote {result.path / 'table.csv'} and a picture per output")
