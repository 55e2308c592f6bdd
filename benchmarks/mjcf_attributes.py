"""Every attribute of MJCF in a small model of its own: read, refused, listed, or silent.

python benchmarks/mjcf_attributes.py [--only PART] [--all]

Elements and attributes are those of MuJoCo's own schema. Each attribute is written into a small
model with one value after another, until MuJoCo moves otherwise than without it. Then the scene
that is read here must differ too (read), or a note must name something more (listed), or the file
must be refused; else the attribute is silent, and the command fails. Attributes with which no value
that is tried changes MuJoCo's motion in this model are counted as without effect. Pictures, sensors
and what only names something are not tried. --all prints every row.
"""

import argparse
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mujoco
import numpy as np

from dovetail.errors import DovetailError
from dovetail.io import load_scene

DEEPEST = 12  # objects within objects that are compared
CONTROL, KEY = 0.7, '<keyframe><key name="k" ctrl="0.7"/></keyframe>'
STEPS, DIFFERENT = 80, 1e-9  # of MuJoCo; [m or rad] what counts as another motion
NOT_TRIED = {
    "visual", "statistic", "sensor", "custom", "size", "texture", "material", "layer", "camera",
    "light", "skin", "bone", "flexcomp", "deformable", "flex", "extension", "plugin", "config",
    "replicate", "composite", "keyframe", "default", "flexstrain", "lengthrange", "tuple",
}  # fmt: skip
OF_NAMES = {"name", "class", "childclass", "user", "group", "rgba", "material", "content_type",
            "texcoord", "normal"}  # fmt: skip
# Documented in `io.mjcf.reading`: contact and constraints are rigid, and how MuJoCo solves its own
# soft ones is not followed.
DOCUMENTED = re.compile(
    r"(o_)?(solref|solimp)(limit|friction)?|(o_)?margin|gap|o_friction|cone|impratio|integrator"
    r"|solver|(ccd_|ls_|noslip_|sdf_)?(iterations|tolerance)|jacobian|diagexact|sdf_initpoints"
)
RIGID = {("weld", "anchor")}  # of these too: what only matters where they give
CANDIDATES = (
    "true", "false", "enable", "disable", "0.5", "2", "3", "0", "-1", "30", "0.01", "0.2 0.3",
    "-0.1 0.1", "0.2 0.7", "-0.5 0.5", "1 2", "0 1 0", "0.1 0.2 0.3", "1 0 0", ".7 .7 0 0",
    "0 1 0 30", "1 0 0 0 0 1", ".2 .3 .4 .5 .6", "1 2 3 4 5 6", "0.1 0.1 0.1 0 0 0", "10 2 3",
    "0 0 1 0 0 0 1", "1 1 0.1 0.01 0.01", "0.01 1", "ellipsoid", "sphere", "box", "cylinder",
    "RK4", "implicit", "elliptic", "radian", "degree", "XYZ", "zyx", "legacy", "exact", "convex",
    "slide", "ball", "hinge", "integrator", "filter", "filterexact", "muscle", "affine", "user",
    "fixed", "joint", "init", "never", "auto", "h", "k", "s", "r", "w", "a", "b", "f", "ag", "fg",
    "floor", "t", "u", "CG", "Newton", "dense", "local", "0 0 1 1", "1.5 0 0 0 0",
)  # fmt: skip
MODEL = """<mujoco><compiler {compiler}/><option {option}><flag {flag}/></option>
<asset><mesh name="m" vertex="0 0 0 .2 0 0 0 .2 0 0 0 .2" {mesh}/></asset><worldbody {world}>
<geom name="floor" type="plane" size="5 5 .1"/>
<body name="f" pos="0 0 .11"><freejoint name="ff" {free}/>
<geom name="fg" type="box" size=".1 .1 .1"/></body>
<body name="a" pos="2 0 2" {body}>{inertial}<joint name="h" axis="0 1 0" {joint}/>
<geom name="ag" size=".05 .06 .07" {geom}/>{extra}<site name="s" pos=".2 0 .1" {site}/>
<body name="b" pos=".4 0 0"><joint name="k" axis="0 1 0"/>
<geom name="bg" type="capsule" size=".05" fromto="0 0 0 .4 0 0"/><site name="r" pos=".2 0 .1"/>
</body></body><site name="w" pos="2 0 2.6"/>
<body name="c" pos="-1 0 .09"><freejoint/><geom name="cg" size=".1" {touching}/></body>
</worldbody>{end}</mujoco>"""
SLOTS = ("compiler", "option", "flag", "mesh", "world", "free", "body", "inertial", "joint", "geom",
         "extra", "site", "touching", "end")  # fmt: skip
FIXED = '<tendon><fixed name="t" {at}><joint joint="h" coef="1"/><joint joint="k" coef=".5" {in}/>'
SPATIAL = ('<tendon><spatial name="t" springlength=".3" stiffness="3" {at}><site site="w"/>'
           '<geom geom="ag" {g}/><site site="r"/></spatial></tendon>')  # fmt: skip
EQUALITIES = {
    "connect": '<connect body1="b" anchor=".4 0 0" {at}/>', "weld": '<weld body1="b" {at}/>',
    "joint": '<joint joint1="h" joint2="k" {at}/>',
}  # fmt: skip
NEEDED = {  # of actuators, besides what they act on
    "position": 'kp="3"', "velocity": 'kv="2"', "intvelocity": 'kp="2" actrange="-1 1"',
    "pid": 'kp="3"', "damper": 'kv="2" ctrlrange="0 2"', "general": 'gainprm="2"',
    "orientation": 'kp="3"', "dcmotor": 'motorconst="1" resistance="1"',
    "muscle": 'lengthrange="-1 1"',  # or each model is moved to find it
}  # fmt: skip

RICH = {  # attributes with which others act
    "joint": 'stiffness="2" range="-15 10" frictionloss=".05" damping=".1"',
    "geom": 'type="capsule" condim="6" fluidshape="ellipsoid"',
    "spatial": 'stiffness="5" range=".1 .4" frictionloss=".1" damping=".2"',
    "fixed": 'stiffness="5" range="-.05 .05" frictionloss=".1" damping=".2"',
    "option": 'density="100" viscosity="1" wind="1 2 0" o_solref=".05 1" o_margin=".01"',
    "compiler": 'boundmass=".1" inertiafromgeom="true"', "mesh": 'scale="2 2 1"',
    "pair": 'condim="6" margin=".02"', "muscle": 'force="20"',
    "general": 'dyntype="filter" dynprm=".1" biastype="affine" biasprm="0 -2 -1"',
    "dcmotor": 'motorconst="1" resistance="1" inductance=".1 0"',
}  # fmt: skip


def schema() -> Iterator[tuple[tuple[str, ...], str]]:
    """Elements by the names on the way to them, with each of their attributes."""
    path: list[str] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        found = re.match(r"( *)([\w()]+) \(.\)", line)
        if found:
            name = found.group(2).replace("(world)", "")
            path = [*path[: len(found.group(1)) // 3], name]
        for attribute in line[30:].split():
            yield tuple(path), attribute


def once_each(text: str) -> str:
    """The document with the last of what an element gives twice."""

    def cleaned(element: re.Match[str]) -> str:
        given = dict(re.findall(r'([\w]+)="([^"]*)"', element.group(2)))
        words = "".join(f' {key}="{value}"' for key, value in given.items())
        return f"<{element.group(1)}{words}{element.group(3)}>"

    return re.sub(r'<(\w+)((?:\s+\w+="[^"]*")*)\s*(/?)>', cleaned, text)


def document(path: tuple[str, ...], written: str, rich: bool = False) -> str | None:
    """A model in which the element has `written` among its attributes; None: not tried.

    If it is `rich`, with others that may need it.
    """
    if rich:
        written = f"{RICH.get(path[-1], '')} {written}"
    text = _document(path, written)
    return None if text is None else once_each(text)


def _document(path: tuple[str, ...], written: str) -> str | None:
    slots = dict.fromkeys(SLOTS, "")
    tag, above = path[-1], path[-2] if len(path) > 1 else ""
    if tag in ("compiler", "option", "flag"):
        slots[tag] = written
    elif path[1:] == ("asset", "mesh"):
        slots["mesh"], slots["geom"] = written, 'type="mesh" mesh="m"'
    elif tag in ("body", "joint", "site") and above in ("mujoco", "body"):
        slots[tag] = written
    elif tag == "freejoint":
        slots["free"] = written
    elif tag == "inertial":
        slots["inertial"] = f'<inertial pos=".1 0 0" mass="1" diaginertia=".1 .1 .1" {written}/>'
    elif tag == "geom" and above == "body":
        slots["geom"] = slots["touching"] = written
    elif above == "contact":
        names = {"pair": 'geom1="cg" geom2="floor"', "exclude": 'body1="c" body2="world"'}[tag]
        slots["end"] = f"<contact><{tag} {names} {written}/></contact>"
    elif path[1:2] == ("tendon",):
        of_tendon = tag in ("spatial", "fixed")
        if "spatial" in path:
            slots["end"] = SPATIAL.replace("{at}", written if of_tendon else "").replace(
                "{g}", written if tag == "geom" else "")  # fmt: skip
        else:
            slots["end"] = FIXED.replace("{at}", written if of_tendon else "").replace(
                "{in}", written if tag == "joint" else "") + "</fixed></tendon>"  # fmt: skip
    elif above == "equality":
        if tag not in EQUALITIES:
            return None
        slots["end"] = f"<equality>{EQUALITIES[tag].replace('{at}', written)}</equality>"
    elif above == "actuator":
        target = "" if re.search(r"\b(joint|site|tendon|body|jointinparent|slidersite)=", written)\
            else 'body="b"' if tag == "adhesion" else 'joint="h"'  # fmt: skip
        needed = " ".join(
            one for one in NEEDED.get(tag, "").split('" ')
            if one.split("=")[0] not in written.split("=")[0]
        )  # fmt: skip
        needed = needed + '"' if needed.count('"') % 2 else needed
        slots["end"] = f"<actuator><{tag} {target} {needed} {written}/></actuator>" + KEY
    else:
        return None
    return MODEL.format(**slots)


def motion(text: str) -> np.ndarray | None:
    """Positions of all bodies after some of MuJoCo's steps, controls on; None: refused."""
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return None
    data = mujoco.MjData(model)
    data.qvel[:], data.ctrl[:] = 0.3, CONTROL
    mujoco.mj_step(model, data, STEPS)
    return np.concatenate((data.xipos, data.xmat), axis=1)[1:]


def differ(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape != other.shape or not np.abs(one - other).max() <= DIFFERENT


def described(one: Any, depth: int = 0) -> str:
    """All numbers and texts that an object holds; functions by what they hold."""
    if isinstance(one, np.ndarray):
        return repr(one.tolist())
    if isinstance(one, dict):
        return "".join(f"{key}:{described(value, depth + 1)};" for key, value in one.items())
    if isinstance(one, list | tuple | set | frozenset):
        return "[" + ",".join(described(value, depth + 1) for value in one) + "]"
    if one is None or isinstance(one, str | bytes | int | float | np.generic):
        return repr(one)
    held = getattr(one, "__closure__", None) or ()
    parts = [described(cell.cell_contents, depth + 1) for cell in held if depth < DEEPEST]
    if depth < DEEPEST and hasattr(one, "__self__"):
        parts.append(described(one.__self__, depth + 1))
    if depth < DEEPEST and hasattr(one, "__dict__"):
        parts.append(described(vars(one), depth + 1))
    return f"{type(one).__name__}({''.join(parts)})"


def seen(text: str, folder: Path) -> tuple[str, frozenset[str]] | None:
    """The scene and the notes that the model is read as; None: refused."""
    path = folder / "m.xml"
    path.write_text(text)
    try:
        loaded = load_scene(path, keyframe="k" if KEY in text else None)
    except DovetailError:
        return None
    return described([loaded.scene, loaded.run]), frozenset(loaded.notes)


def effective(path: tuple[str, ...], attribute: str) -> tuple[str, str, str] | None:
    """A model, the same with the attribute, which moves otherwise, and its value; None: none."""
    for rich in (False, True) if path[-1] in RICH else (False,):
        plain = document(path, "", rich)
        assert plain is not None
        before = motion(plain)
        for value in CANDIDATES:
            text = document(path, f'{attribute}="{value}"', rich)
            assert text is not None
            after = motion(text)
            if after is None and KEY in text:  # several controls
                text, plain = text.replace(KEY, ""), plain.replace(KEY, "")
                before, after = motion(plain), motion(text)
            if after is not None and (before is None or differ(after, before)):
                return plain, text, value
    return None


def verdict(path: tuple[str, ...], attribute: str, folder: Path) -> tuple[str, str]:
    """What is done with an attribute, and the value that shows it."""
    if set(path) & NOT_TRIED or attribute in OF_NAMES or document(path, "") is None:
        return "not tried", ""
    found = effective(path, attribute)
    if found is None:
        return "without effect", ""
    plain, text, value = found
    own, without = seen(text, folder), seen(plain, folder)
    if own is None:
        return "refused", value
    if own[1] - (frozenset() if without is None else without[1]):
        return "listed", value
    if without is None or own[0] != without[0]:
        return "read", value
    if DOCUMENTED.fullmatch(attribute) or (path[-1], attribute) in RIGID:
        return "documented", value
    bare = seen(once_each(MODEL.format(**dict.fromkeys(SLOTS, ""))), folder)
    assert bare is not None
    more = any("left out" in note for note in own[1] - bare[1])
    return ("listed with its element" if more else "SILENT"), value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="part of the path of elements")
    parser.add_argument("--all", action="store_true", help="print every row")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, attribute in schema():
            if options.only not in "/".join(path):
                continue
            what, value = verdict(path, attribute, Path(name))
            counts[what] += 1
            if what == "SILENT" or (options.all and what != "not tried"):
                print(f"{what}: {'/'.join(path[1:])} {attribute}={value!r}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    raise SystemExit(1 if counts["SILENT"] else 0)


if __name__ == "__main__":
    main()
