"""Options and parts of a compiled model that a scene does not follow."""

from typing import Any

import numpy as np

from dovetail.io.mjcf.compiled import Compiled
from dovetail.io.mjcf.joints import joint_name
from dovetail.model.values import Array

SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)  # MuJoCo's own
WITHOUT_EFFECT = (
    "midphase", "warmstart", "sensor", "eulerdamp", "autoreset", "nativeccd", "island",
)  # fmt: skip
FOLLOWED = (
    "equality", "frictionloss", "limit", "contact", "gravity", "spring", "damper", "clampctrl",
    "actuation", "filterparent",
)  # fmt: skip


def left_out_options(compiled: Compiled) -> list[str]:
    """Names of what bears on the motion and is not followed."""
    model, option = compiled.model, compiled.model.opt
    found = []
    if np.any(option.wind) and not (option.density > 0 or option.viscosity > 0):
        found.append("option wind (without density or viscosity of a medium)")
    flags = compiled.mujoco.mjtDisableBit.__members__
    for name, code in flags.items():
        word = name.removeprefix("mjDSBL_").lower()
        if (
            name.startswith("mjDSBL_")
            and word not in (*WITHOUT_EFFECT, *FOLLOWED)
            and option.disableflags & int(code)
        ):
            found.append(f"flag {word}")
    if option.enableflags & int(compiled.mujoco.mjtEnableBit.mjENBL_OVERRIDE):
        found.append("flag override")
    if option.enableflags & _enabled(compiled, "SLEEP") and np.any(
        getattr(model, "tree_sleep_policy", np.zeros(0)) == _asleep(compiled)
    ):
        found.append("sleep='init' (all bodies start awake)")
    if model.nmocap:
        found.append("mocap bodies (they stay where they are)")
    if model.nplugin:
        found.append(f"plugins ({model.nplugin})")
    if np.any(model.geom_priority):
        found.append("geom priority")
    if np.any(model.geom_solmix != 1.0):
        found.append("geom solmix")
    if np.any(model.geom_margin) or np.any(model.geom_gap):
        found.append("geom margin and gap")
    if getattr(model, "flg_adhesion", False) or np.any(getattr(model, "geom_adhesion", 0)):
        found.append("geom adhesion")
    if np.any(getattr(model, "geom_surfacevel", 0)):
        found.append("geom surface velocity")
    return [*found, *_of_contact(model), *_of_joints(compiled)]


def _enabled(compiled: Compiled, flag: str) -> int:
    """The bit of an option that is off by default; 0 where this MuJoCo does not have it."""
    return int(getattr(compiled.mujoco.mjtEnableBit, f"mjENBL_{flag}", 0))


def _asleep(compiled: Compiled) -> int:
    kinds = getattr(compiled.mujoco, "mjtSleepPolicy", None)
    return int(getattr(kinds, "mjSLEEP_INIT", -1))


def _of_contact(model: Any) -> list[str]:
    """What rigid contact with one coefficient of friction does not have."""
    found = []
    collide = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    if np.any(model.geom_condim[collide] > 3):
        found.append("torsional and rolling friction (condim 4 and 6)")
    if _differs(model.geom_solref[collide], SOLREF) or _differs(model.geom_solimp[collide], SOLIMP):
        found.append("geom solref and solimp (contact is rigid)")
    if model.npair:
        found.append(f"friction, condim, solref, margin and gap of <pair> ({model.npair})")
    return found


def _of_joints(compiled: Compiled) -> list[str]:
    """What soft constraints of joints have and ours do not."""
    model, found = compiled.model, []
    active = model.eq_active0.astype(bool)
    if _differs(model.eq_solref[active], SOLREF) or _differs(model.eq_solimp[active], SOLIMP):
        found.append("equality solref and solimp (they are rigid)")
    rough = model.dof_frictionloss > 0
    if _differs(model.dof_solref[rough], SOLREF) or _differs(model.dof_solimp[rough], SOLIMP):
        found.append("solreffriction and solimpfriction of joints")
    for joint in np.flatnonzero(model.jnt_margin):
        found.append(f"margin (joint {joint_name(compiled, int(joint))})")
    for what in ("springyield", "plasticadr"):
        for kind in ("jnt", "tendon"):
            values = np.asarray(getattr(model, f"{kind}_{what}", 0.0))
            if np.any(values > 0.0):
                found.append(f"{'tendon' if kind == 'tendon' else 'joint'} springs that yield")
    if model.ntendon and np.any(getattr(model, "tendon_actfrclimited", 0)):
        found.append("actuatorfrcrange of tendons")
    return list(dict.fromkeys(found))


def _differs(rows: Array, usual: tuple[float, ...]) -> bool:
    return bool(np.any(np.abs(rows - np.array(usual)) > 1e-12))
