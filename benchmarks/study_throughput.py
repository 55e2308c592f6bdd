"""Runs a minute of a study at 1 and 2 workers, and what follows for a thousand nodes.

    python benchmarks/study_throughput.py [--runs 60]
A run is a spring pendulum of 2000 steps. What the machinery adds is measured with runs of one step:
building the scene, the result file and its outcome in the worker; handing the run out and taking
it back in the client and scheduler, which are this process. CPU times are those of the kernel, so
they hold on a busy machine too; wall times do not.
"""

import argparse
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from cloudpickle import dumps

import dovetail as dt
from dovetail.examples import get
from dovetail.io import to_document
from dovetail.studies import Output, Random, Uniform, Varied
from dovetail.studies.folder import StudyFolder
from dovetail.studies.jobs import DocumentJob
from dovetail.studies.one_run import SharedByRuns, run_one

NODES, WORKERS_A_NODE = 1000, 32
FEW = 4  # runs of the study whose time is taken off, as it is mostly setting up


@dataclass(frozen=True)
class Cost:
    """Seconds of a study: wall, CPU of this process, CPU of its workers."""

    wall: float
    client: float
    workers: float

    def per_run_beyond(self, few: "Cost", runs: int) -> "Cost":
        n = runs - FEW
        return Cost(
            (self.wall - few.wall) / n,
            (self.client - few.client) / n,
            (self.workers - few.workers) / n,
        )


def cost(workers: int, runs: int, steps: int, folder: Path) -> Cost:
    """What a study of so many runs takes; its workers have ended by then."""

    def spent(who: int) -> float:
        used = resource.getrusage(who)
        return used.ru_utime + used.ru_stime

    before = time.monotonic(), spent(resource.RUSAGE_SELF), spent(resource.RUSAGE_CHILDREN)
    dt.study(
        get("spring-pendulum").build(), {"loads.spring.stiffness": Uniform(20, 60)},
        {"loss": Output("loss", "energy")}, out=folder / f"{workers}-{steps}-{runs}",
        sampling=Random(runs, 1), workers=workers, duration=1e-3 * steps, step=1e-3,
        progress=False,
    )  # fmt: skip
    after = time.monotonic(), spent(resource.RUSAGE_SELF), spent(resource.RUSAGE_CHILDREN)
    return Cost(*(b - a for a, b in zip(before, after)))


def handed_over() -> tuple[int, int]:
    """Bytes of a docking's scene, sent to the scheduler once, and of what each run adds."""
    vary = {"gravity[2]": Varied(Uniform(-1, 0))}
    job = DocumentJob(to_document(get("docking").build()), Path("scene.json"), vary)
    shared = SharedByRuns(job, {"loss": Output("loss", "energy")}, StudyFolder(Path("s")), True)
    return len(dumps(shared)), len(dumps((run_one, 41, {"gravity[2]": 0.5})))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60)
    runs = parser.parse_args().runs
    print(f"load before: {psutil.getloadavg()[0]:.1f} on {psutil.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        cost(1, 1, 2000, folder)  # kernels and imports are on disk after this
        few = {n: cost(n, FEW, 2000, folder) for n in (1, 2)}
        each = {n: cost(n, runs, 2000, folder).per_run_beyond(few[n], runs) for n in (1, 2)}
        empty = cost(1, runs, 1, folder).per_run_beyond(cost(1, FEW, 1, folder), runs)
        size = sum(p.stat().st_size for p in (folder / "1-2000-4").rglob("*") if p.is_file()) / FEW
    print("workers | set-up [s] | runs a minute, wall | by CPU time of the workers")
    for n in (1, 2):
        setup = few[n].wall - FEW * each[n].wall
        print(
            f"{n:7d} | {setup:10.1f} | {60 / each[n].wall:19.0f} | {60 * n / each[n].workers:.0f}"
        )
    print(f"two workers are {each[1].wall / each[2].wall:.2f}x as fast as one")
    print(
        f"a run of one step costs {1e3 * empty.workers:.1f} ms of CPU time in the worker and "
        f"{1e3 * empty.client:.2f} ms in client and scheduler; {size / 1e3:.0f} kB on disk"
    )
    once, each_run = handed_over()
    print(f"sent for the scene of a docking: {once / 1e3:.0f} kB once, {each_run} bytes a run")
    total = NODES * WORKERS_A_NODE
    print(
        f"{NODES} nodes of {WORKERS_A_NODE} workers: one scheduler feeds all {total} when a run "
        f"takes more than {empty.client * total:.0f} s; a million runs take it "
        f"{empty.client * 1e6 / 3600:.1f} h, and {size * 1e6 / 1e9:.0f} GB of disk"
    )


if __name__ == "__main__":
    main()
