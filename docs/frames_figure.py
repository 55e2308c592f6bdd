"""The figure of the conventions page: frames of a body, of a joint and of a contact."""

from pathlib import Path
from typing import Any

import numpy as np

INK, RED, BLUE, GREEN = "#222222", "#c0392b", "#1f5fa8", "#2e7d32"
FILL = {"a": "#dfe6ee", "b": "#f3e3cf"}


def rotation(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def block(ax: Any, centre: Any, size: tuple[float, float], angle: float, body: str) -> None:
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(size) / 2
    ax.fill(*(np.asarray(centre) + corners @ rotation(angle).T).T, fc=FILL[body], ec=INK, lw=1.2)


def arrow(ax: Any, start: Any, end: Any, colour: str, text: str = "", at: Any = (0, 0)) -> None:
    style = {"arrowstyle": "-|>", "color": colour, "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops=style)
    ax.text(*(np.asarray(end) + at), text, color=colour, fontsize=10, ha="center", va="center")


def frame(ax: Any, origin: Any, angle: float, colour: str, names: tuple[str, str]) -> None:
    for axis, name in zip(rotation(angle).T, names, strict=True):
        arrow(ax, origin, np.asarray(origin) + 0.75 * axis, colour, name, 0.16 * axis)


def point(ax: Any, where: Any, text: str, at: Any, **align: str) -> None:
    ax.plot(*where, "o", color=INK, ms=4)
    ax.text(*(np.asarray(where) + at), text, fontsize=9, color=INK, **align)


def draw_body(ax: Any) -> None:
    """A body whose shape has its origin at a corner, as STL files often have."""
    ax.set_title("body", fontsize=11)
    frame(ax, (0, 0), 0, INK, ("x", "z"))
    ax.text(-0.3, -0.25, "world", fontsize=9)
    turn = 0.45
    corner = np.array((1.5, 0.6))
    centre = corner + rotation(turn) @ (0.8, 0.5)
    block(ax, centre, (1.6, 1.0), turn, "a")
    frame(ax, centre, turn, BLUE, ("", ""))
    arrow(ax, (0, 0), centre, GREEN)
    ax.text(0.3, 1.3, "result.position", color=GREEN, fontsize=9, ha="center")
    arrow(ax, (0, 0), corner, RED)
    ax.text(1.1, -0.05, "position=", color=RED, fontsize=9)
    ax.text(2.75, 1.75, "at the centre of mass,\naxes of the shape", color=BLUE, fontsize=9)
    ax.plot(*centre, "o", color=INK, ms=4)
    point(ax, corner, "origin of\nthe shape", (0.22, -0.4))


def draw_joint(ax: Any) -> None:
    """A revolute joint: its coordinate is the angle of b relative to a."""
    ax.set_title("joint(name, a, b)", fontsize=11)
    hinge, angle = np.array((1.2, 0.7)), 0.7
    block(ax, hinge - (0.55, 0), (1.3, 0.32), 0.0, "a")
    block(ax, hinge + rotation(angle) @ (0.6, 0), (1.4, 0.28), angle, "b")
    ax.plot([hinge[0], hinge[0] + 1.5], [hinge[1]] * 2, "--", color=INK, lw=0.8)
    arc = np.linspace(0, angle, 30)
    ax.plot(*(hinge[:, None] + 1.15 * np.array([np.cos(arc), np.sin(arc)])), color=RED, lw=1.6)
    end = hinge + 1.15 * rotation(angle) @ (1, 0)
    arrow(ax, end - 0.12 * rotation(angle) @ (0, 1), end + 0.02 * rotation(angle) @ (0, 1), RED)
    ax.text(hinge[0] + 1.32, hinge[1] + 0.42, "q > 0,\nmotor on b", color=RED, fontsize=9)
    ax.plot(*hinge, "o", ms=11, mfc="white", mec=INK, zorder=5)
    ax.plot(*hinge, "o", ms=3, color=INK, zorder=6)
    ax.text(1.2, 0.12, "point; axis towards you", fontsize=9, ha="center")
    ax.text(0.3, 0.7, "a", fontsize=11, va="center")
    ax.text(*(hinge + rotation(angle) @ (0.75, 0)), "b", fontsize=11, ha="center", va="center")


def draw_contact(ax: Any) -> None:
    """Two bodies that are apart: gap > 0, normal from b to a, force on a."""
    ax.set_title("contact of a and b", fontsize=11)
    block(ax, (1.2, 0.2), (2.4, 0.5), 0.0, "b")
    circle = np.linspace(0, 2 * np.pi, 80)
    ax.fill(1.2 + 0.55 * np.cos(circle), 1.25 + 0.55 * np.sin(circle), fc=FILL["a"], ec=INK, lw=1.2)
    ax.text(1.2, 1.4, "a", fontsize=11, ha="center", va="center")
    ax.text(0.25, 0.2, "b", fontsize=11, va="center")
    arrow(ax, (1.2, 0.45), (1.2, 1.15), BLUE)
    ax.text(1.28, 0.95, "normal", color=BLUE, fontsize=9)
    arrow(ax, (1.2, 0.575), (0.86, 1.45), RED)
    ax.text(0.5, 1.3, "force on a,\nfriction included", color=RED, fontsize=9, ha="right")
    ax.annotate("", (1.95, 0.7), (1.95, 0.45), arrowprops={"arrowstyle": "<->", "color": INK})
    ax.plot([1.2, 2.05], [0.7, 0.7], ":", color=INK, lw=0.8)
    ax.text(2.03, 0.575, "gap > 0", fontsize=9, va="center")


def draw(path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(9.4, 2.7), dpi=140)
    for ax, panel in zip(axes, (draw_body, draw_joint, draw_contact), strict=True):
        panel(ax)
        ax.set_aspect("equal")
        ax.axis("off")
        ax.set_ylim(-0.35, 2.2)
    axes[0].set_xlim(-0.5, 4.2)
    axes[1].set_xlim(-0.3, 3.5)
    axes[2].set_xlim(-1.0, 2.9)
    figure.tight_layout()
    figure.savefig(path, bbox_inches="tight", pad_inches=0.05)
    plt.close(figure)
