"""A model as MuJoCo's own compiler makes it, at its initial state or at a keyframe."""

import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.io.mjcf.document import MAIN, Document, safe_document
from dovetail.io.safe_paths import MeshFolder
from dovetail.model.values import GROUND_NAME, LARGEST_NAME, Array, quote
from dovetail.runtime.extras import require
from dovetail.runtime.registry import did_you_mean

LINE = re.compile(r"[Ll]ine (\d+)(?:, column \d+)?")


@dataclass(eq=False)
class Compiled:
    """The arrays of the compiler, with poses and velocities at the initial state."""

    mujoco: Any
    model: Any
    data: Any
    controls: Array  # (nu,) clamped to their ranges
    document: Document
    warnings: list[str]  # of the compiler

    def name(self, kind: str, number: int) -> str:
        """The name of an object, empty where it has none."""
        code = getattr(self.mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
        return self.mujoco.mj_id2name(self.model, code, number) or ""

    def label(self, kind: str, number: int) -> str:
        """A name that every object has, for messages and for the scene."""
        name = self.name(kind, number)[:LARGEST_NAME] or f"{kind}-{number}"
        return f"{name}-{number}" if name == GROUND_NAME else name

    def control(self, actuator: int) -> float:
        """The control of an actuator that has one; some have several, or none."""
        first = getattr(self.model, "actuator_ctrladr", np.arange(self.model.nu))
        return float(self.controls[first[actuator]])

    def place(self) -> None:
        """Compute poses and velocities of all bodies from the state."""
        for stage in (self.mujoco.mj_kinematics, self.mujoco.mj_comPos, self.mujoco.mj_comVel):
            stage(self.model, self.data)

    def frame(self, body: int) -> tuple[Array, Array]:
        """Position [m] and rotation (3, 3) of a body's own frame."""
        return self.data.xpos[body].copy(), self.data.xmat[body].reshape(3, 3).copy()

    def velocity(self, body: int) -> tuple[Array, Array]:
        """Angular and linear velocity of a body's centre of mass, world axes."""
        found = np.zeros(6)
        code = self.mujoco.mjtObj.mjOBJ_BODY
        self.mujoco.mj_objectVelocity(self.model, self.data, code, body, found, 0)
        return found[:3], found[3:]

    def disabled(self, flag: str) -> bool:
        """Whether <option><flag> turns something off."""
        code = getattr(self.mujoco.mjtDisableBit, f"mjDSBL_{flag.upper()}")
        return bool(self.model.opt.disableflags & code)


def compiled(path: Path, folders: MeshFolder, keyframe: str | None) -> Compiled:
    """Compile a file; what MuJoCo refuses is an InputError with the line of the file."""
    mujoco = require("mujoco")
    document = safe_document(path, folders)
    model, said = _model(mujoco, document)
    data = mujoco.MjData(model)
    controls = np.zeros(model.nu)
    if keyframe is not None:
        key = _keyframe(mujoco, model, keyframe)
        mujoco.mj_resetDataKeyframe(model, data, key)
        controls = data.ctrl.copy()
    limited = model.actuator_ctrllimited.astype(bool)
    if not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL and model.nu:
        low, high = model.actuator_ctrlrange[:, 0], model.actuator_ctrlrange[:, 1]
        controls = np.where(limited, np.clip(controls, low, high), controls)
    made = Compiled(mujoco, model, data, controls, document, said)
    made.place()
    for values in (model.body_mass, model.body_inertia, data.xpos, data.xmat):
        wrong = np.flatnonzero(~np.isfinite(values.reshape(model.nbody, -1)).all(axis=1))
        if len(wrong):
            raise InputError(
                f"mass, inertia and place of body {quote(made.label('body', int(wrong[0])))} must "
                "be finite numbers; check what places it"
            )
    if not np.all(np.isfinite(data.qvel)):
        raise InputError("all velocities of a keyframe must be finite numbers")
    return made


def _model(mujoco: Any, document: Document) -> tuple[Any, list[str]]:
    """The model, and what the compiler warns of, which it would else write to a file."""
    said: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: said.append(str(text)))
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            spec = mujoco.MjSpec.from_string(
                document.text, include=document.models or None, assets=document.files
            )
            model = spec.compile()
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as error:
        words = _with_lines(str(error), document)
        raise InputError(f"MuJoCo cannot compile it: {words}") from None
    finally:
        mujoco.set_mju_user_warning(before)
    said += [str(entry.message) for entry in caught]
    return model, list(dict.fromkeys(_with_lines(text, document) for text in said))


def _with_lines(message: str, document: Document) -> str:
    """A message of the compiler in one line, with the lines of the files instead of its own."""
    lines = document.lines[MAIN]

    def original(match: re.Match[str]) -> str:
        number = int(match.group(1))
        if not 1 <= number <= len(lines):
            return ""
        file, line = lines[number - 1]
        return f"line {line} of {file}"

    words = " ".join(LINE.sub(original, message).split())
    for path, name in document.names.items():
        words = words.replace(f"'{name}'", quote(path.name))
    words = re.sub(r"^(XML )?Error:? ?", "", words)
    return words[:600]


def _keyframe(mujoco: Any, model: Any, name: str) -> int:
    """The number of the keyframe of that name, or at that place."""
    names = [
        mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_KEY, i) or str(i) for i in range(model.nkey)
    ]
    if name in names:
        return names.index(name)
    known = ", ".join(names[:20]) or "none"
    raise InputError(
        f"keyframe {quote(name)} is not in the model{did_you_mean(name, names)}; it has: {known}"
    )
