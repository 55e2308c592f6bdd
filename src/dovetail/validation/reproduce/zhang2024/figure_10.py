"""Fig. 10: the time of the four methods of detection in three collisions.

Body 1 hits body 2 without loss, as in section 4.1. All methods make the same steps around the
impact, so their shares are of whole steps; brute force is measured in fewer of them, as its steps
take seconds. The paper's method then makes the whole 5 s.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np

from dovetail.errors import RunError
from dovetail.integrators import LieVerlet
from dovetail.model import Mesh, Scene
from dovetail.model.surface import Surface
from dovetail.simulate import LargeAndSmallSteps, simulate
from dovetail.validation.reproduce import Say
from dovetail.validation.reproduce.comparison import Comparison
from dovetail.validation.reproduce.zhang2024.detection_methods import SdfByMethod
from dovetail.validation.reproduce.zhang2024.horse import PAPER_TRIANGLES, horse, refined

STEP, DURATION = 1e-4, 5.0  # [s]
STEPS, BRUTE_STEPS = 60, 2  # that shares are measured over
MAX_BRUTE_WORK = 3e8  # points times triangles of one detection beyond which brute force is left
METHODS = ("brute", "sdf_octree_grid", "sdf", "sdf_octree")
SHARES = {"box-box": (23.0, 14.2), "horse-box": (3.9, 2.3)}  # [%] published: SDF, SDF and octree
PUBLISHED_SECONDS = 1007.0  # of horse-horse over 5 s
DENSITY = 1000.0  # [kg/m^3]


@dataclass(frozen=True, eq=False)
class Case:
    """Two surfaces, centred, the first moving along -x onto the second."""

    name: str
    bodies: tuple[Surface, Surface]
    speed: float  # [m/s]
    gap: float  # [m] between their boxes at first; < 0 where boxes overlap before bodies meet
    stiffness: float  # [N/m^1.5] of a point

    @property
    def work(self) -> float:
        """Pairs of points and triangles in one detection, each body in the other."""
        a, b = self.bodies
        return float(len(a.vertices) * len(b.faces) + len(b.vertices) * len(a.faces))

    def scene(self) -> Scene:
        """At t = 0, apart by `gap`."""
        first, second = self.bodies
        start = self.gap - first.vertices[:, 0].min() + second.vertices[:, 0].max()
        scene = Scene()
        scene.add_body("second", Mesh(second.vertices, second.faces), density=DENSITY)
        scene.add_body(
            "first", Mesh(first.vertices, first.faces), density=DENSITY,
            position=(start, 0.01, 0.02), velocity=(-self.speed, 0.0, 0.0),
        )  # fmt: skip
        return scene

    def contact(self, method: str) -> SdfByMethod:
        return SdfByMethod(method, damping=0.0, stiffness=self.stiffness)


def make(folder: Path, say: Say, mesh: Path | None = None) -> None:
    """Measure, report and draw."""
    surface = horse(mesh, say)
    say(f"CPU time per step around the impact, h = {STEP:g} s, all in this run")
    say("| case | method | ms per step | share of brute force | published |")
    say("|---|---|---|---|---|")
    found = {}
    whole = []
    for case in cases(surface):
        found[case.name] = measured(case)
        for line in table(case.name, found[case.name]):
            say(line)
        if case.name.startswith("horse-horse"):
            whole.append((case.name, len(case.bodies[0].faces), *whole_run(case)))
    for row in shares(found):
        say(row.line)
    for name, triangles, cpu, touching in whole:
        row = Comparison(
            f"fig10, {name}, {DURATION:g} s with SDF and octree",
            f"{PUBLISHED_SECONDS:.0f} s with {PAPER_TRIANGLES} triangles",
            f"{cpu:.1f} s of CPU time with {triangles} triangles",
            cpu <= PUBLISHED_SECONDS,
            f"not slower; another machine; {touching} steps in contact",
        )
        say(row.line)
    say(f"wrote {_draw(found, folder / 'zhang2024_fig10.png')}")


def cases(surface: Surface) -> list[Case]:
    """The paper's three, the last one at both sizes of the horse."""
    small, large = box_surface(1.0, 14), box_surface(4 ** (1 / 3), 14)
    lying = _along_x(surface)
    gap = -0.3 * float(np.ptp(lying.vertices[:, 0]))
    found = [
        Case("box-box", (small, large), 5.0, 1e-4, 1e7),
        Case("horse-box", (lying, large), 1.0, 1e-4, 1e8),
        Case("horse-horse", (lying, lying), 1.0, gap, 1e8),
    ]
    if len(surface.faces) < PAPER_TRIANGLES:
        fine = refined(lying, PAPER_TRIANGLES)
        found.append(Case("horse-horse, fine", (fine, fine), 1.0, gap, 1e8))
    return found


def measured(case: Case, steps: int = STEPS) -> dict[str, float]:
    """[s] of CPU time per step for every method that is not out of reach."""
    seconds = {}
    start = _until_contact(case)
    for method in METHODS:
        if method == "brute" and case.work > MAX_BRUTE_WORK:
            continue
        stepper = LieVerlet().start(case.scene().build(), case.contact(method))
        count = BRUTE_STEPS if method == "brute" and case.work > 1e7 else steps
        stepper.restore(start)
        t = float(start["t"])
        stepper.step(t + STEP)  # compiles
        began = process_time()
        for k in range(2, count + 2):
            stepper.step(t + k * STEP)
        seconds[method] = (process_time() - began) / count
    return seconds


def _until_contact(case: Case) -> dict[str, np.ndarray]:
    """The stepper's memory at the first contact, found by the paper's method."""
    stepper = LieVerlet().start(case.scene().build(), case.contact("sdf_octree"))
    k = 0
    while not len(stepper.observe().contact.contacts.gaps):
        k += 1
        stepper.step(k * STEP)
        if k * STEP > 1.0:
            raise RunError(f"{case.name}: no contact within 1 s")
    return {name: np.array(value) for name, value in stepper.snapshot().items()}


def whole_run(case: Case) -> tuple[float, int]:
    """([s] of CPU time, steps in contact) of 5 s with the paper's method."""
    began = process_time()
    result = simulate(
        case.scene(), DURATION, STEP, contact=case.contact("sdf_octree"),
        step_control=LargeAndSmallSteps(large=1e-2, small=STEP), progress=False,
    )  # fmt: skip
    return process_time() - began, int(np.count_nonzero(result.contacts.count))


def _digits(value: float, count: int) -> str:
    """Some digits, never as 1e+02."""
    return f"{value:.0f}" if value >= 10 ** (count - 1) else f"{value:.{count}g}"


def table(name: str, seconds: dict[str, float]) -> list[str]:
    """Lines of one case."""
    published = dict(zip(("sdf", "sdf_octree"), (f"{s} %" for s in SHARES.get(name, ()))))
    brute = seconds.get("brute")
    lines = []
    for method in METHODS:
        if method in seconds:
            share = "-" if brute is None else f"{_digits(100 * seconds[method] / brute, 2)} %"
            line = f"| {name} | {method} | {_digits(1e3 * seconds[method], 3)} | {share} |"
        else:
            line = f"| {name} | {method} | out of reach | - |"
        lines.append(f"{line} {published.get(method, '-')} |")
    return lines


def shares(found: dict[str, dict[str, float]]) -> list[Comparison]:
    """Shares of brute force, published beside ours."""
    rows = []
    for name, published in SHARES.items():
        seconds = found[name]
        for method, percent in zip(("sdf", "sdf_octree"), published):
            ours = 100 * seconds[method] / seconds["brute"]
            rows.append(
                Comparison(
                    f"fig10, {name}, {method} over brute force",
                    f"{percent} %",
                    f"{_digits(ours, 2)} %",
                    ours <= percent,
                    "a smaller share is better; all in one run",
                )
            )
    return rows


def box_surface(side: float, pieces: int) -> Surface:
    """A cube with each side cut into pieces^2 squares of two triangles."""
    flat = np.linspace(-side / 2, side / 2, pieces + 1)
    u, v = (a.ravel() for a in np.meshgrid(flat, flat, indexing="ij"))
    at = np.full_like(u, side / 2)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(pieces), np.arange(pieces), indexing="ij"))
    a = i * (pieces + 1) + j
    b, c, d = a + pieces + 1, a + pieces + 2, a + 1
    one = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    points, faces = [], []
    for axis in range(3):
        for sign in (1, -1):
            columns = [at * sign, u, v] if sign > 0 else [at * sign, v, u]
            points.append(np.roll(np.column_stack(columns), axis, axis=1))
            faces.append(one + len(points[-1]) * (len(points) - 1))
    shared, number = np.unique(np.round(np.concatenate(points), 12), axis=0, return_inverse=True)
    return Surface.of(shared, number.reshape(-1)[np.concatenate(faces)])


def _along_x(surface: Surface) -> Surface:
    """Turned so that its shortest side lies along x: bodies meet broadside."""
    axis = int(np.argmin(np.ptp(surface.vertices, axis=0)))
    centred = surface.vertices - (surface.vertices.min(axis=0) + surface.vertices.max(axis=0)) / 2
    return Surface.of(np.roll(centred, -axis, axis=1), surface.faces)


def _draw(found: dict[str, dict[str, float]], path: Path) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(len(found))
    for k, method in enumerate(METHODS):
        times: Sequence[float] = [1e3 * found[name].get(method, np.nan) for name in found]
        axes.bar(places + 0.2 * (k - 1.5), times, 0.2, label=method)
    axes.set_yscale("log")
    axes.set_xticks(places, list(found))
    axes.set_ylabel("CPU time per step [ms]")
    axes.set_title("Zhang et al. 2024, fig. 10", fontsize=9)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)
    return path
