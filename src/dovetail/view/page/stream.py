"""Frames of a run that goes on, for the player, and what its user asks for.

The player has two sources of frames: a recording, or a `FrameStream` beside the recording of the
first frame. The run pushes frames and takes commands; the page's server is the other side. Both
ends may be in different threads. docs/explanation/viewer.md has the messages.
"""

import json
import struct
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dovetail.errors import InputError
from dovetail.linalg.lie import so3
from dovetail.model.values import quote

COMMANDS = ("pause", "resume", "step", "reset", "drag", "release", "record")
MAX_MESSAGE = 65536  # [bytes] of a command
MAX_KEPT = 64_000_000  # [bytes] of frames for pages that come late; older ones are forgotten
XYZW = [1, 2, 3, 0]


@dataclass(frozen=True)
class News:
    """What is sent to a page at once."""

    frames: bytes
    next_frame: int  # number of the frame that follows
    reports: int  # number of the report
    report: dict[str, Any]


class FrameStream:
    """Frames and reports in, commands out."""

    def __init__(self, n_bodies: int) -> None:
        self.n_bodies = n_bodies
        self._frames: deque[bytes] = deque()
        self._first, self._size = 1, 0  # number of the first frame that is kept; [bytes] of all
        self._report: dict[str, Any] = {}
        self._reports = 0  # so far
        self._commands: list[dict[str, Any]] = []
        self._closed = False
        self._changed = threading.Condition()

    def push(
        self,
        time: float,
        positions: ArrayLike,
        rotations: ArrayLike,
        pairs: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
    ) -> None:
        """A frame: centres of mass (n, 3) [m], rotations (n, 3, 3), net contact forces.

        `pairs` are bodies (m, 2), points (m, 3) [m] and forces as they are drawn (m, 3) [N].
        """
        x = np.asarray(positions, "<f4").reshape(self.n_bodies, 3)
        R = np.asarray(rotations, float).reshape(self.n_bodies, 3, 3)
        q = so3.to_quaternion(R)[..., XYZW].astype("<f4")
        bodies, points, forces = pairs or (np.zeros((0, 2)), np.zeros((0, 3)), np.zeros((0, 3)))
        rows = np.zeros(
            len(np.asarray(bodies)), [("b", "<i4", 2), ("p", "<f4", 3), ("f", "<f4", 3)]
        )
        rows["b"], rows["p"], rows["f"] = bodies, points, forces
        head = struct.pack("<d", time)
        frame = head + x.tobytes() + q.tobytes() + struct.pack("<I", len(rows)) + rows.tobytes()
        with self._changed:
            self._frames.append(frame)
            self._size += len(frame)
            while self._size > MAX_KEPT and len(self._frames) > 1:
                self._size -= len(self._frames.popleft())
                self._first += 1
            self._changed.notify_all()

    def report(self, **facts: Any) -> None:
        """What the page shows besides the frames: `playing`, `recording`, `note`."""
        with self._changed:
            self._report, self._reports = facts, self._reports + 1
            self._changed.notify_all()

    def close(self) -> None:
        """No more frames will come."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def commands(self) -> list[dict[str, Any]]:
        """What was requested since the last call, in order; each has a `kind` of `COMMANDS`."""
        with self._changed:
            found, self._commands = self._commands, []
        return found

    def wait(self, seconds: float) -> None:
        """Sleep until a command comes, or for so long; for a run that is paused."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._commands) or self._closed, seconds)

    def after(self, number: int, seconds: float, seen: int = 0) -> "News | None":
        """What a page has not got, b"" of frames if none comes; None: the run is over.

        Args:
            number: of the next frame of the page; the first one pushed is 1.
            seconds: to wait for something.
            seen: number of the report that the page has.
        """
        number = max(number, 1)
        with self._changed:
            self._changed.wait_for(
                lambda: self._next > number or self._reports != seen or self._closed, seconds
            )
            frames = list(self._frames)[max(number - self._first, 0) :]
            if not frames and self._closed:
                return None
            return News(b"".join(frames), self._next, self._reports, dict(self._report))

    @property
    def _next(self) -> int:
        return self._first + len(self._frames)

    def take(self, message: bytes) -> None:
        """A command as the page sent it; InputError if it is none."""
        try:
            command = json.loads(message)
        except ValueError:
            command = None
        if not isinstance(command, Mapping) or command.get("kind") not in COMMANDS:
            raise InputError(
                f"a command must have a kind of {', '.join(COMMANDS)}, got {quote(command)}"
            )
        with self._changed:
            self._commands.append(dict(command))
            self._changed.notify_all()
