"""Running a study: plan, execute what is missing, tabulate, draw."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from dovetail import __version__
from dovetail.errors import InputError, RunError
from dovetail.io import to_document
from dovetail.model.scene import Scene
from dovetail.model.values import quote
from dovetail.results import Result, load
from dovetail.runtime.extras import require
from dovetail.runtime.options import named_options
from dovetail.runtime.registry import option_mistakes
from dovetail.simulate import simulate
from dovetail.simulate.fingerprint import canonical, described
from dovetail.studies.folder import StudyFolder
from dovetail.studies.jobs import DocumentJob, FunctionJob, Job
from dovetail.studies.one_run import Outputs, SharedByRuns, answered, meaning, run_one
from dovetail.studies.outputs import Output
from dovetail.studies.pictures import draw
from dovetail.studies.progress import StudyProgress
from dovetail.studies.sampling import Grid, Random, Row, Sampling
from dovetail.studies.table import Columns, columns_of, write_csv, write_parquet
from dovetail.studies.varied import Varied, varied_by_name
from dovetail.studies.workers import KilledWorkerError, execute

# options of `simulate` that every run has its own of
OWN = ("scene", "out", "resume", "progress", "check", "extendable")


@dataclass(frozen=True, eq=False)
class StudyResult:
    """What a study leaves behind."""

    path: Path  # the folder
    table: Columns  # by name: run, status, the varied values, the outputs, reason
    inputs: list[str]
    outputs: list[str]

    def result(self, run: int) -> Result:
        """The result of one run."""
        return load(StudyFolder(self.path).result(run))

    def plot(self, output: str, path: str | PathLike[str]) -> None:
        """Draw one output over the values that were varied."""
        if output not in self.outputs:
            raise InputError(f"an output must be one of {self.outputs}, got {quote(output)}")
        draw(self.table, self.inputs, output, Path(path))

    def count(self, status: str) -> int:
        return self.table["status"].count(status)


@named_options
def study(
    scene: Scene | Callable[..., Scene],
    vary: Mapping[str, Any],
    outputs: Mapping[str, Output | Callable[[Result], Any]],
    *,
    out: str | PathLike[str],
    sampling: Sampling | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    keep_results: bool = True,
    retry_failed: bool = False,
    at_most: int | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> StudyResult:
    """Run `scene` with many values and ask the same of every run.

    Args:
        scene: a dt.Scene, in which values are varied by their place in its scene file, such as
            "bodies.crate.velocity[0]"; or a function that takes the varied values by name.
        vary: what differs from run to run: lists, distributions or `dt.studies.Varied`.
        outputs: by name, `dt.studies.Output` or a function of the result.
        out: the study's folder; a study that was stopped goes on where it was.
        sampling: `dt.studies.Grid()` (the default), `Random(runs, seed)` or `Latin(runs, seed)`.
        workers: processes on this machine, one per core by default; 0 runs in this process.
        scheduler: address of a Dask scheduler to use instead, such as "tcp://host:8786".
        keep_results: False deletes each result file once its outputs are known.
        retry_failed: run those again that failed before.
        at_most: do at most so many of the missing runs now; the rest are "not done" in the table.
        progress: None shows a bar on a terminal, True always, False never.
        settings: what `dt.simulate` takes: duration, step, contact, integrator, every.

    Raises:
        InputError: the study makes no sense, or `out` belongs to another study.
        RunError: some runs could not be done (full disk, lost scheduler); the others are kept.
    """
    varied = varied_by_name(vary)
    job: Job
    if isinstance(scene, Scene):
        job = DocumentJob(to_document(scene), Path(out) / "scene.json", varied, settings)
    elif callable(scene):
        job = FunctionJob(scene, settings)
    else:
        raise InputError(f"`scene` must be a dt.Scene or a function, got {quote(scene)}")
    plan = StudyPlan(job, varied, sampling or Grid(), outputs)
    return run_study(
        plan, Path(out), workers=workers, scheduler=scheduler, keep_results=keep_results,
        retry_failed=retry_failed, at_most=at_most, progress=progress,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class StudyPlan:
    """What to run and what to ask."""

    job: Job
    vary: dict[str, Varied]
    sampling: Sampling
    outputs: Outputs

    def identity(self) -> dict[str, str]:
        """What must be the same for runs to be shared; `runs` of random draws may grow."""
        sampling = dict(described(self.sampling))
        if isinstance(self.sampling, Random):
            del sampling["runs"]
        parts = {"dovetail": __version__, "vary": described(self.vary), "sampling": sampling}
        return {name: canonical(part) for name, part in (parts | self.job.identity()).items()}

    def refuse_mistakes(self, rows: list[Row]) -> None:
        """Find what would make every run fail before any is started."""
        if not self.outputs:
            raise InputError("a study must have at least one output")
        given = self.job.settings
        wrong = option_mistakes(
            "study()", simulate, {k: v for k, v in given.items() if k not in OWN}
        )
        wrong += [
            f"`{name}` is not for a study, whose runs have their own"
            for name in OWN
            if name in given
        ]
        if wrong:
            raise InputError(wrong)
        clash = sorted({*self.outputs} & {*self.vary, "run", "status", "reason"})
        if clash:
            raise InputError(f"outputs must have names of their own, {clash} is taken")
        try:
            scene, settings = self.job(rows[0])
        except TypeError as error:
            raise InputError(
                f"the scene function must take {', '.join(self.vary)}: {error}"
            ) from error
        missing = [f"`{name}`" for name in ("duration", "step") if name not in settings]
        if missing:
            raise InputError(f"study() needs {' and '.join(missing)}, or a scene file with them")
        for name, output in self.outputs.items():
            for body in getattr(output, "bodies", ()):
                if body not in scene.bodies:
                    raise InputError(
                        f"output {name!r}: there is no body {quote(body)} in the scene; it has: "
                        + ", ".join(list(scene.bodies)[:20])
                    )


def run_study(
    plan: StudyPlan,
    out: Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    keep_results: bool = True,
    retry_failed: bool = False,
    at_most: int | None = None,
    progress: bool | None = None,
) -> StudyResult:
    """Do what is missing of a plan and tabulate it."""
    for package in ("matplotlib",) if workers == 0 else ("dask", "distributed", "matplotlib"):
        require(package)
    _refuse_no_count(workers, "workers")
    _refuse_no_count(at_most, "at_most")
    rows = plan.sampling.rows(plan.vary)
    plan.refuse_mistakes(rows)
    folder = StudyFolder(out)
    rows = folder.begin(plan.identity(), rows)
    every = _missing(folder, plan.outputs, len(rows), retry_failed)
    missing, before = every[:at_most], len(rows) - len(every)
    undone: dict[int, BaseException] = {}
    with StudyProgress(before + len(missing), before, progress) as bar:

        def done(run: int, outcome: Any, error: BaseException | None) -> None:
            if isinstance(error, InputError):
                raise error
            if isinstance(error, KilledWorkerError):
                outcome = {"status": "failed", "reason": str(error), "outputs": {}}
                folder.write_outcome(run, outcome)
            elif error is not None:
                undone[run] = error
            bar.add(outcome["status"] if outcome else "not done")

        shared = SharedByRuns(plan.job, plan.outputs, folder, keep_results)
        calls = [(run, (run, rows[run])) for run in missing]
        if calls:
            execute(run_one, shared, calls, done, workers, scheduler)
    result = _tabulated(folder, plan, rows)
    if undone:
        run, error = min(undone.items())
        raise RunError(
            f"{len(undone)} of {len(rows)} runs could not be done, the first is run {run}: "
            f"{error}; run the study again to do them"
        ) from error
    return result


def _refuse_no_count(value: Any, name: str) -> None:
    fits = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if value is not None and not fits:
        raise InputError(f"`{name}` must be a whole number >= 0, got {quote(value)}")


def _missing(folder: StudyFolder, outputs: Outputs, count: int, retry_failed: bool) -> list[int]:
    """Runs to do; the outputs of a result that is there are computed again where they changed."""
    missing, meant = [], meaning(outputs)
    for run in range(count):
        outcome = folder.read_outcome(run)
        again = retry_failed and outcome is not None and outcome["status"] == "failed"
        if outcome is None or again or folder.lost(run, outcome):
            folder.outcome(run).unlink(missing_ok=True)
            missing.append(run)
        elif outcome["outputs"] and outcome.get("meant") != meant:
            if folder.result(run).exists():
                outcome |= answered(outputs, load(folder.result(run)))
                folder.write_outcome(run, outcome)
            else:
                folder.outcome(run).unlink()
                missing.append(run)
    return missing


def _tabulated(folder: StudyFolder, plan: StudyPlan, rows: list[Row]) -> StudyResult:
    outcomes = [folder.read_outcome(run) for run in range(len(rows))]
    columns = columns_of(rows, outcomes, list(plan.outputs))
    write_csv(columns, folder.path / "table.csv")
    write_parquet(columns, folder.path / "table.parquet")
    result = StudyResult(folder.path, columns, list(plan.vary), list(plan.outputs))
    for output in result.outputs:
        try:
            result.plot(output, folder.path / f"{_file_name(output)}.png")
        except InputError:  # no number to draw it against
            break
    return result


def _file_name(output: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in output)
