"""What a run leaves behind, by name."""

from collections.abc import Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.by_name import ByName
from dovetail.model.scene import Scene
from dovetail.model.values import Array, quote
from dovetail.results.contacts import Contacts
from dovetail.results.net_forces import NetForce, NetWrench, pair_wrench
from dovetail.results.path import MotionPath
from dovetail.results.stored import Stored
from dovetail.runtime.options import named_options
from dovetail.runtime.registry import did_you_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dovetail.results.histories import BodyHistory, JointHistory, RecordedJoints
    from dovetail.stability.finding import Finding

ENERGIES = ("kinetic", "potential", "contact", "total")


class EventRecord(NamedTuple):
    """An event that happened."""

    name: str
    time: float  # [s]


class Result:
    """The motion of every body and what was measured, one row per frame.

    SI units; world axes. `status` is 'finished', 'interrupted' or 'failed'; `reason` says why
    a run did not finish.
    """

    def __init__(
        self, stored: Stored, wall_time: Array | None = None, scene: Scene | None = None
    ) -> None:
        self.stored = stored
        self._wall_time = wall_time
        self._scene = scene
        self.findings: tuple[Finding, ...] | None = None  # of a monitor; None: none was on
        self.warnings: tuple[str, ...] = ()  # what the run said about its scene and its energy

    def __repr__(self) -> str:
        frames = len(self.time)
        until = f"{self.time[-1]:.6g}" if frames else "0"
        count = len(self.names)
        bodies = "1 body" if count == 1 else f"{count} bodies"
        how = self.status if not self.reason else f"{self.status}: {self.reason}"
        return f"<Result: {bodies}, {frames} frames to t = {until} s, {how}>"

    def _repr_html_(self) -> str:
        """How a notebook shows the result: the player and a table."""
        from dovetail.view.notebook import notebook_html  # upward: see the import contract

        return notebook_html(self)

    @property
    def status(self) -> str:
        return self.stored.status

    @property
    def reason(self) -> str:
        return self.stored.reason

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bodies, in the order of the file."""
        return self.stored.header.names

    @cached_property
    def time(self) -> Array:
        """(frames,) [s]."""
        return self._rows("time")

    @named_options
    def position(self, name: str) -> Array:
        """(frames, 3) [m] of the centre of mass."""
        return self._of_body("position", name)

    @named_options
    def rotation(self, name: str) -> Array:
        """(frames, 3, 3) body to world."""
        return self._of_body("rotation", name)

    @named_options
    def velocity(self, name: str) -> Array:
        """(frames, 3) [m/s] of the centre of mass."""
        return self._of_body("velocity", name)

    @named_options
    def angular_velocity(self, name: str) -> Array:
        """(frames, 3) [rad/s] in world axes."""
        return self._of_body("angular_velocity", name)

    @named_options
    def joint_force(self, name: str) -> Array:
        """(frames, 3) [N] of a joint on its second body, world axes; nan where not known."""
        return self._of_joint("joints/force", name)

    @named_options
    def joint_torque(self, name: str) -> Array:
        """(frames, 3) [N m] likewise, about the joint's point on that body."""
        return self._of_joint("joints/torque", name)

    @cached_property
    def recorded_joints(self) -> "RecordedJoints":
        """Coordinates of all joints, measured off the frames."""
        from dovetail.results.histories import RecordedJoints  # with kernels

        return RecordedJoints(self)

    @named_options
    def joint(self, name: str) -> "JointHistory":
        """A joint over time: position, velocity, effort, power, reaction."""
        from dovetail.results.histories import JointHistory, joint_number

        names = self.stored.header.joint_names
        return JointHistory(
            self.recorded_joints, joint_number(names, name, did_you_mean(name, names))
        )

    @named_options
    def body(self, name: str) -> "BodyHistory":
        """A body over time: its motion, and the net wrenches on it."""
        from dovetail.results.histories import BodyHistory

        return BodyHistory(self, name)

    @named_options
    def contact_force(self, a: str, b: str) -> NetForce:
        """Net force [N] of body `b` on body `a` by contact, and the point [m] it acts at."""
        net = pair_wrench(self, a, b)
        return NetForce(net.force, net.point)

    @named_options
    def contact_wrench(self, a: str, b: str) -> NetWrench:
        """The same with the torque about that point [N m]."""
        return pair_wrench(self, a, b)

    @named_options
    def to_pandas(self) -> Any:
        """Motion, joints, net contact forces and energies as a DataFrame by time."""
        from dovetail.results.tables import to_pandas

        return to_pandas(self)

    @named_options
    def to_xarray(self) -> Any:
        """The same as an xarray Dataset over time, body, axis and joint."""
        from dovetail.results.tables import to_xarray

        return to_xarray(self)

    @cached_property
    def energy(self) -> Mapping[str, Array]:
        """[J] kinetic, potential, contact and total, (frames,) each."""
        return MappingProxyType(
            ByName("energy", {name: self._rows(f"energy/{name}") for name in ENERGIES})
        )

    @cached_property
    def momentum(self) -> Mapping[str, Array]:
        """Linear [kg m/s] and angular [kg m^2/s] about the world origin, (frames, 3) each."""
        return MappingProxyType(
            ByName("momentum", {k: self._rows(f"momentum/{k}") for k in ("linear", "angular")})
        )

    @property
    def contacts(self) -> Contacts:
        return Contacts(self.stored)

    @cached_property
    def motion_path(self) -> MotionPath:
        """The path of the bodies: the frames and, where the run left some, waypoints between."""
        return MotionPath(self.stored)

    @cached_property
    def min_distance(self) -> Array:
        """(frames,) [m] smallest gap between bodies; inf where nothing measured it."""
        return self._rows("min_distance")

    @cached_property
    def constraint_violation(self) -> Mapping[str, Array]:
        """Largest joint violation: position [m or rad], velocity [m/s or rad/s]."""
        kinds = ("position", "velocity")
        return MappingProxyType({k: self._rows(f"constraint_violation/{k}") for k in kinds})

    @cached_property
    def orthogonality(self) -> Array:
        """Largest |R^T R - I| over the bodies, (frames,): how far rotations are from being such."""
        R = self._rows("rotation")
        product = np.einsum("fnji,fnjk->fnik", R, R)
        return np.asarray(np.abs(product - np.eye(3)).max(axis=(1, 2, 3), initial=0.0))

    @cached_property
    def stats(self) -> Mapping[str, NDArray[Any]]:
        """Per frame, since the one before: solver iterations, rejected steps, residual, creep.

        creep [m/s] is the speed of the fastest contact that sticks, unsettled the number of steps
        whose friction was not in balance, unconverged that of steps whose equations were not
        solved; wall_time [s] where known.
        """
        kinds = ("iterations", "rejected", "residual", "creep", "unsettled", "unconverged")
        there = [k for k in kinds if f"stats/{k}" not in self.stored.header.without]
        found = {k: self._rows(f"stats/{k}") for k in there}
        if self._wall_time is not None:
            found["wall_time"] = self._wall_time
        return MappingProxyType(found)

    @named_options
    def behind(self, name: str) -> Array:
        """(frames,) [m] how far a kinematic body is off its trajectory at most.

        More than a fraction of its step where it was held back: going on would have forced an
        intersection.
        """
        header = self.stored.header
        driven = [n for n, how in zip(header.names, header.motion) if how == "kinematic"]
        if name not in driven or "kinematic/behind" in header.without:
            raise InputError(
                f"{quote(name)} must be a kinematic body of this result, whose bodies of that kind "
                f"are {', '.join(map(quote, driven)) or 'none'}; `position` gives where any body is"
            )
        return np.asarray(self._rows("kinematic/behind")[:, driven.index(name)])

    @cached_property
    def events(self) -> tuple[EventRecord, ...]:
        """What happened when, in order of time."""
        names = self.stored.header.event_names
        which = self.stored.column("events/which")
        times = self.stored.column("events/time")
        return tuple(EventRecord(names[i], float(t)) for i, t in zip(which, times))

    @property
    def scene(self) -> Scene:
        """The scene of the run."""
        if self._scene is None:
            from dovetail.results.scene_text import scene_from  # the only use of io here

            self._scene = scene_from(self.stored.header, self.stored.name)
        return self._scene

    @named_options
    def save(self, path: str | PathLike[str]) -> None:
        """Write the result file: the same bytes as a run with `out=path`."""
        from dovetail.results.saving import save

        save(self.stored, path)

    @named_options
    def export(self, path: str | PathLike[str], format: str | None = None, **options: Any) -> Path:
        """Write the result in another format, which the ending of `path` chooses.

        .html, .glb, .usda, .vtkhdf, .csv, .png, .gif, .mp4, and what installed packages add.
        `format` names the exporter where the ending is another; options are those of
        `dovetail export`, such as every=10 or fps=25.
        """
        from dovetail.view.exporters import export  # upward on purpose: see the import contract

        return export(self, path, format, **options)

    def view(self) -> None:
        """Play the result in the browser."""
        from dovetail.view.viewer import show  # upward on purpose: see the import contract

        show(self)

    @named_options
    def plot(self, what: str = "energy", path: str | PathLike[str] | None = None) -> "Figure":
        """Draw energy, momentum, velocity, contacts, ... over time."""
        from dovetail.view.plots import plot  # upward on purpose: see the import contract

        return plot(self, what, path=path)

    def _rows(self, path: str) -> NDArray[Any]:
        return np.array(self.stored.column(path))

    def _of_joint(self, path: str, name: str) -> Array:
        names = self.stored.header.joint_names
        if name not in names:
            known = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
            raise InputError(
                f"there is no joint {quote(name)} in this result; it has: {known or 'none'}"
            )
        values = np.array(self.stored.column(path)[:, names.index(name)])
        if np.isnan(values).all():
            raise InputError(
                f"the forces of joint {quote(name)} were not recorded by the integrator of this "
                "run; run it with another than JointCoordinates"
            )
        return values

    def _of_body(self, path: str, name: str) -> Array:
        try:
            body = self.names.index(name)
        except ValueError:
            known = ", ".join(self.names[:20]) + (", ..." if len(self.names) > 20 else "")
            raise InputError(
                f"there is no body {quote(name)} in this result; it has: {known}"
            ) from None
        return np.array(self.stored.column(path)[:, body])
