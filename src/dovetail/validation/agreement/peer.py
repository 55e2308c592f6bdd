"""A case under MuJoCo, with its defaults."""

from collections import defaultdict
from importlib.util import find_spec
from time import process_time
from typing import Any

import numpy as np

from dovetail.validation.agreement.case import Array, Case, Outcome

HEAD = (
    '<mujoco><compiler angle="radian"/><option timestep="{step}" gravity="{gravity}" '
    'cone="elliptic" integrator="implicitfast"><flag energy="enable"/></option>'
    '<default><geom friction="{friction} 0 0" condim="3"/></default>'
)


def installed() -> bool:
    """Whether the peer can be asked."""
    return find_spec("mujoco") is not None


def run(case: Case) -> Outcome:
    """The case stepped and read after every step, as our runs are recorded."""
    import mujoco

    gravity = " ".join(str(float(g)) for g in case.build().gravity)
    head = HEAD.format(step=case.step, gravity=gravity, friction=case.friction)
    model = mujoco.MjModel.from_xml_string(f"{head}{case.mjcf()}</mujoco>")
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    record = _Record(mujoco, model, case)
    steps, used = round(case.duration / case.step), 0.0
    for _ in range(steps):
        if case.controls is not None:
            data.ctrl[:] = case.controls(data.time)
        mujoco.mj_forward(model, data)
        record.add(data)
        began = process_time()
        mujoco.mj_step(model, data)
        used += process_time() - began
    mujoco.mj_forward(model, data)
    record.add(data)
    return record.outcome(used / steps)


class _Record:
    """Frames of a run."""

    def __init__(self, mujoco: Any, model: Any, case: Case) -> None:
        self.mujoco, self.model, self.case = mujoco, model, case
        self.names = {b: model.body(b).name for b in range(1, model.nbody)}
        self.time: list[float] = []
        self.energy: list[float] = []
        self.rows: dict[str, list[Array]] = defaultdict(list)
        self.forces: dict[tuple[str, str], list[Array]] = {pair: [] for pair in case.pairs}

    def add(self, data: Any) -> None:
        self.time.append(float(data.time))
        self.energy.append(float(data.energy.sum()))
        twist = np.zeros(6)  # angular, then linear, at the centre of mass, world axes
        for b, name in self.names.items():
            kind = self.mujoco.mjtObj.mjOBJ_BODY
            self.mujoco.mj_objectVelocity(self.model, data, kind, b, twist, 0)
            self.rows[f"x {name}"].append(data.xipos[b].copy())
            arm = data.xipos[b] - data.xpos[b]
            self.rows[f"w {name}"].append(twist[:3].copy())
            self.rows[f"v {name}"].append(twist[3:] + np.cross(twist[:3], arm))
        for pair, kept in self.forces.items():
            kept.append(self._net(data, *pair))

    def _net(self, data: Any, first: str, second: str) -> Array:
        total, wrench = np.zeros(3), np.zeros(6)
        for k in range(data.ncon):
            contact = data.contact[k]
            ends = [self._body_of(g) for g in (contact.geom1, contact.geom2)]
            if ends not in ([first, second], [second, first]):
                continue
            self.mujoco.mj_contactForce(self.model, data, k, wrench)
            force = contact.frame.reshape(3, 3).T @ wrench[:3]  # of geom1 on geom2
            total += force if ends == [first, second] else -force
        return total

    def _body_of(self, geom: int) -> str:
        """The body's name; geoms of the world have the name of ours themselves."""
        body = int(self.model.geom_bodyid[geom])
        return self.names.get(body) or str(self.model.geom(geom).name)

    def outcome(self, step_time: float) -> Outcome:
        def rows(letter: str) -> dict[str, Array]:
            return {name: np.array(self.rows[f"{letter} {name}"]) for name in self.names.values()}

        forces = {pair: np.array(kept) for pair, kept in self.forces.items()}
        return Outcome(
            np.array(self.time), rows("x"), rows("v"), rows("w"), np.array(self.energy),
            forces, step_time,
        )  # fmt: skip
