"""The problems measured: distance from published or exact values, energy, cost, order."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import dovetail as dt
from dovetail.examples import double_pendulum, four_bar, heavy_top
from dovetail.integrators import EulerParameterDAE, JointCoordinates, RATTLie
from dovetail.validation.dae_problems.andrews import ANGLES, andrews, angles_of
from dovetail.validation.dae_problems.scenes import bricard, four_bars, governor, pendulum

DEFAULT = "RATTLie(order=4)"


def ran(scene: dt.Scene, seconds: float, step: float, scheme: Any, every: int) -> tuple[Any, float]:
    """A result and its processor time [s], the second of two runs: the first compiles."""
    options: dict[str, Any] = {"integrator": scheme, "progress": False, "every": every}
    dt.simulate(scene, min(seconds, 20 * step), step, **options)
    began = time.process_time()
    result = dt.simulate(scene, seconds, step, **options)
    return result, time.process_time() - began


def energy_error(result: Any) -> float:
    """[J] the largest of all frames."""
    total = result.energy["total"]
    return float(np.abs(total - total[0]).max())


def pendulum_angle(t: float) -> float:
    """[rad] from the level at -x, of a point 1 m from its hinge released there, g = 9.81 m/s^2.

    theta = pi / 2 - 2 asin(k sn(K - w t)), k = sin(pi / 4), by Landen's transformation: an exact
    reference (Abramowitz and Stegun 16.4, 17.6).
    """
    k, w = np.sin(np.pi / 4), np.sqrt(9.81)
    a, b, c = [1.0], [np.sqrt(1 - k * k)], [k]
    for _ in range(6):  # it converges quadratically
        a, b, c = (
            [*a, (a[-1] + b[-1]) / 2],
            [*b, np.sqrt(a[-1] * b[-1])],
            [*c, (a[-1] - b[-1]) / 2],
        )
    quarter = np.pi / (2 * a[-1])
    phi = 2 ** (len(a) - 1) * a[-1] * (quarter - w * t)
    for n in range(len(a) - 1, 0, -1):
        phi = 0.5 * (phi + np.arcsin(c[n] / a[n] * np.sin(phi)))
    return float(np.pi / 2 - 2 * np.arcsin(k * np.sin(phi)))


def rows() -> Iterator[tuple[str, str, str, str, float]]:
    """(problem, scheme and step, published, ours, processor time [s])."""
    result, spent = ran(pendulum(), 10.0, 0.01, None, 1000)
    angle = pendulum_angle(10.0)
    wanted = np.array([-np.cos(angle), -np.sin(angle), 0.0])
    off = np.abs(result.position("mass")[-1] - wanted).max()
    said = f"exact ({wanted[0]:.6f}, {wanted[1]:.6f}) m"
    yield "pendulum (A01), 10 s", f"{DEFAULT}, 0.01 s", said, f"off by {off:.1e} m", spent
    for n in (2, 40):
        result, spent = ran(four_bars(n), 10.0, 0.01, None, 1)
        ours = f"{energy_error(result):.1e} J"
        what = f"N-four-bar (A02), N = {n}, 10 s"
        yield what, f"{DEFAULT}, 0.01 s", "energy within 0.1 J", ours, spent
    published = f"epsilon {ANGLES[6]:.10f} rad"
    baseline: tuple[str, Any] = "EulerParameterDAE()", EulerParameterDAE()
    for (name, scheme), h in (
        ((DEFAULT, None), 3e-5), ((DEFAULT, None), 1e-5), (baseline, 1e-5)
    ):  # fmt: skip
        result, spent = ran(andrews(), 0.03, h, scheme, 20)
        R = np.stack([result.rotation(f"K{k}") for k in range(1, 8)], axis=1)
        off = np.abs(angles_of(R) - ANGLES).max()
        ours = f"seven angles off by {off:.1e} rad"
        yield "Andrews' squeezer (A03), 0.03 s", f"{name}, {h:g} s", published, ours, spent
    for h in (0.01, 0.001):
        result, spent = ran(bricard(), 10.0, h, None, 1)
        ours = f"{energy_error(result):.1e} J, joints {apart(result):.0e} m"
        yield "Bricard (A04), 10 s", f"{DEFAULT}, {h:g} s", "energy constant", ours, spent
    reference = ran(governor(), 10.0, 1e-4, RATTLie(), 1000)[0].position("sleeve")[-1, 2]
    implicit = ("RATTLie()", RATTLie()), ("JointCoordinates()", JointCoordinates())
    for name, scheme in (*implicit, baseline):
        result, spent = ran(governor(), 10.0, 1e-3, scheme, 1000)
        off = abs(result.position("sleeve")[-1, 2] - reference)
        said = f"curves only; at 1e-4 s {reference:.6f} m"
        yield (
            "fly-ball governor (A05), 10 s",
            f"{name}, {h:g} s",
            said,
            f"off by {off:.1e} m",
            spent,
        )


def apart(result: Any) -> float:
    """[m or rad] the largest violation of the joints."""
    return float(np.max(result.constraint_violation["position"]))


ORDERS: dict[str, tuple[Callable[[], dt.Scene], str, float, float]] = {
    "pendulum": (pendulum, "mass", 1.0, 0.02),
    "double pendulum": (double_pendulum.build, "rod2", 1.0, 4e-3),
    "heavy top": (heavy_top.build, "top", 0.5, 4e-3),
    "four-bar": (four_bar.build, "coupler", 0.5, 2e-3),
    "Bricard's loop": (bricard, "rod2", 1.0, 0.02),
}


def order_of(name: str) -> tuple[float, float, float]:
    """Errors [m] at two steps, h and h / 2, against h / 8, and the order they show."""
    build, body, seconds, h = ORDERS[name]

    def end(step: float) -> Any:
        scheme = RATTLie(order=4)
        result = dt.simulate(build(), seconds, step, integrator=scheme, progress=False, every=10**6)
        return result.position(body)[-1]

    exact = end(h / 8)
    coarse, fine = (float(np.abs(end(step) - exact).max()) for step in (h, h / 2))
    return coarse, fine, float(np.log2(coarse / fine))


def energy_band(steps: int) -> Iterator[tuple[str, int, float, float]]:
    """(what, steps of 1 ms, largest energy error in the first and the last tenth [J])."""
    for name, build, count in (
        ("double pendulum", double_pendulum.build, steps), ("heavy top", heavy_top.build, steps),
        ("four-bar", four_bar.build, steps),
    ):  # fmt: skip
        scheme, h = RATTLie(order=4), 1e-3
        result = dt.simulate(build(), count * h, h, integrator=scheme, progress=False, every=97)
        off = np.abs(result.energy["total"] - result.energy["total"][0])
        part = len(off) // 10
        yield name, count, float(off[:part].max()), float(off[-part:].max())


def lines(steps: int) -> Iterator[str]:
    """The page's tables, line by line; `steps` of the energy band."""
    yield "| problem | scheme, step | published | ours | processor time |"
    yield "|---|---|---|---|---|"
    for what, how, published, ours, spent in rows():
        yield f"| {what} | {how} | {published} | {ours} | {spent:.2f} s |"
    yield ""
    yield "| order of RATTLie(order=4) | step [s] | error [m] | at half the step [m] | order |"
    yield "|---|---|---|---|---|"
    for name in ORDERS:
        coarse, fine, order = order_of(name)
        yield f"| {name} | {ORDERS[name][3]:g} | {coarse:.1e} | {fine:.1e} | {order:.2f} |"
    yield ""
    yield "| energy of RATTLie(order=4), steps of 1 ms | steps | first tenth [J] | last tenth [J] |"
    yield "|---|---|---|---|"
    for name, count, first, last in energy_band(steps):
        yield f"| {name} | {count:.0e} | {first:.1e} | {last:.1e} |"
