"""Options and parts of a compiled model that a scene does not follow."""

import numpy as np

from dovetail.io.mjcf.compiled import Compiled

CONE, INTEGRATOR = "cone", "integrator"
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
    for name in ("wind", "density", "viscosity", "magnetic"):
        value = np.atleast_1d(getattr(option, name))
        if name != "magnetic" and np.any(value):
            found.append(f"option {name}")
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
    return found
