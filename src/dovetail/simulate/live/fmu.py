"""A scene as a functional mock-up unit (FMI 2.0, co-simulation); needs the extra `fmu`.

The unit holds the scene file and runs it with the package, which must be installed where the unit
is used. Inputs are efforts of joints, outputs coordinates of joints and poses of bodies.
"""

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from dovetail import contact as methods
from dovetail.errors import InputError
from dovetail.io import load_scene
from dovetail.model.frozen import DYNAMIC
from dovetail.model.scene import Scene
from dovetail.model.values import positive, quote
from dovetail.runtime.extras import require
from dovetail.simulate.live.simulation import Simulation

SCENE, SETTINGS = "scene.yaml", "settings.json"
SCRIPT = '''"""Written by `dovetail export-fmu`."""
from pathlib import Path

from dovetail.simulate.live.fmu import advance, begin
from pythonfmu import Fmi2Slave


class {name}(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        begin(self, Path(self.resources))

    def do_step(self, current_time, step_size):
        return advance(self, step_size)
'''


def export_fmu(
    scene: Scene,
    path: Any,
    step: float,
    contact: Any = None,
    contact_options: dict[str, Any] | None = None,
    integrator: Any = None,
) -> Path:
    """Write `scene` as `path`, an .fmu.

    Args:
        scene: without Python functions, which no file can keep.
        path: of the unit.
        step: [s] of the simulation; communication steps are multiples of it.
        contact: name of the contact method, such as "lcp", or None.
        contact_options: its options, such as {"friction": 0.3}.
        integrator: name, or None for one that fits.
    """
    pythonfmu = require("pythonfmu")
    target = Path(path)
    if target.suffix.lower() != ".fmu":
        raise InputError(f"an FMU must end in .fmu, got {quote(str(target))}")
    h = positive(step, "`step`", "s")
    name = re.sub(r"\W", "_", target.stem)
    name = name if name.isidentifier() else f"scene_{name}"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        scene.save(folder / SCENE)
        settings = {
            "step": h, "contact": contact, "options": contact_options or {},
            "integrator": integrator,
        }  # fmt: skip
        (folder / SETTINGS).write_text(json.dumps(settings))
        script = folder / f"{name}.py"
        script.write_text(SCRIPT.format(name=name))
        others = [one for one in folder.iterdir() if one != script]
        made = pythonfmu.FmuBuilder.build_FMU(script, dest=folder, project_files=others)
        target.write_bytes(Path(made).read_bytes())
    return target


def begin(slave: Any, resources: Path) -> None:
    """Start the simulation of a unit and declare its variables."""
    pythonfmu = require("pythonfmu")
    settings = json.loads((resources / SETTINGS).read_text())
    scene = load_scene(resources / SCENE).scene
    contact = None
    if settings["contact"] is not None:
        contact = methods.named(settings["contact"], settings["options"])
    sim = Simulation(scene, settings["step"], contact, settings["integrator"], check=False)
    slave.simulation, causality = sim, pythonfmu.Fmi2Causality

    def add(name: str, kind: Any, getter: Any, setter: Any = None) -> None:
        initial = pythonfmu.Fmi2Initial.exact if kind == causality.output else None
        slave.register_variable(
            pythonfmu.Real(name, causality=kind, initial=initial, getter=getter, setter=setter)
        )

    for name in sim.joint_names:
        joint = sim.joint(name)
        if not isinstance(joint.position, float):
            continue
        if joint.can_be_steered:
            add(
                f"{name}.effort", causality.input, lambda joint=joint: joint.effort,
                lambda value, joint=joint: setattr(joint, "effort", float(value)),
            )  # fmt: skip
        add(f"{name}.position", causality.output, lambda joint=joint: joint.position)
        add(f"{name}.velocity", causality.output, lambda joint=joint: joint.velocity)
    for i, name in enumerate(sim.body_names):
        if sim.model.motion[i] == DYNAMIC:
            for k, axis in enumerate("xyz"):
                add(
                    f"{name}.{axis}", causality.output,
                    lambda i=i, k=k: float(sim.state.x[i, k]),
                )  # fmt: skip


def advance(slave: Any, step_size: float) -> bool:
    """One communication step: as many steps of the simulation as it holds."""
    sim: Simulation = slave.simulation
    count = round(step_size / sim.step_size)
    if count < 1 or abs(count * sim.step_size - step_size) > 1e-9 * step_size:
        raise InputError(
            f"the communication step must be a multiple of {sim.step_size:g} s, got {step_size:g} s"
        )
    sim.step(count)
    return True
