"""How a result shows itself in a notebook: the player, and a table of what came out."""

import html

import numpy as np

from dovetail.results import Result
from dovetail.view.html import html_of
from dovetail.view.page.recording import Recording

MAX_FRAMES = 300  # in a notebook, which keeps all it shows
MAX_NUMBERS = 2_000_000  # of all poses: about 20 MB
MAX_BODIES = 10  # in the table


def notebook_html(result: Result, height: int = 420) -> str:
    """A frame that plays `result`, and below it a table; needs no network."""
    frames = len(result.time)
    if frames == 0:
        return f"<p>{html.escape(repr(result))}</p>"
    max_frames = max(2, min(MAX_FRAMES, MAX_NUMBERS // (7 * max(len(result.names), 1))))
    every = max(1, int(np.ceil(frames / max_frames)))
    page = html_of(Recording(result, "", every))
    note = f" (one frame of {every} is shown)" if every > 1 else ""
    return (
        f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts allow-downloads" '
        'title="motion" '
        f'style="width:100%;height:{height}px;border:1px solid #ccc"></iframe>'
        f"<p>{html.escape(repr(result) + note)}</p>{_table(result)}"
    )


def _table(result: Result) -> str:
    """Where each body ends and how fast, with units."""
    rows = []
    for name in result.names[:MAX_BODIES]:
        x, v, w = result.position(name), result.velocity(name), result.angular_velocity(name)
        cells = [
            name,
            result.scene.bodies[name].motion,
            ", ".join(f"{c:.4g}" for c in x[-1]),
            f"{np.linalg.norm(v[-1]):.4g}",
            f"{np.linalg.norm(w[-1]):.4g}",
        ]
        rows.append("".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
    head = ("body", "motion", "ends at [m]", "speed [m/s]", "spin [rad/s]")
    heads = "".join(f"<th>{name}</th>" for name in head)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    left_out = len(result.names) - MAX_BODIES
    more = f"<p>and {left_out} more bodies</p>" if left_out > 0 else ""
    return f"<table><tr>{heads}</tr>{body}</table>{more}"
