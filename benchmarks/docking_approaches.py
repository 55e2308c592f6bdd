"""Do cheap docking approaches end as those of the whole mechanism do?

    python benchmarks/docking_approaches.py [--halved] [ASIDE,ABOVE ...]    # [mm]
Each approach is run twice from the same start: as in `dovetail study docking-approaches` (legs
without mass, soft latches, 0.4 ms, ended when decided) and with the legs and latches of the
example `docking` at its own step of 0.1 ms for 0.35 s from where the rings touch. Printed: how near
the rings came, which latches caught their strikers, the verdicts and CPU times. With --halved the
cheap one is run again at half its step. Exit code 1 when a verdict differs.
"""

import argparse
import os
import sys
import time
import warnings

import dovetail as dt
from dovetail.contact.penalty.law import PenetrationWarning
from dovetail.examples import docking, study_file
from dovetail.examples.docking import approach, docking_scene
from dovetail.examples.docking.measures import ring_distance
from dovetail.studies.document import read_study

STUDY = read_study(study_file("docking-approaches"))
OFFSETS = (
    (0, 0), (1, 0), (1.5, 0), (1.75, 0), (2, 0), (-1.5, 0), (-1.75, 0), (-2, 0), (0, 1.75), (0, 2),
    (1.2, -1.2), (-1, 1.5), (2.5, -1), (-3, 3),
)  # fmt: skip
LATER = 0.35  # [s] for which the whole mechanism goes on after the rings touch


def approached(aside: float, above: float, *, light: bool, step: float) -> tuple[bool, str]:
    """The verdict on one approach [mm], and a line about it."""
    study = approach(1e-3 * aside, 1e-3 * above, light)
    ends = [until.event(name) for name, until in STUDY.until.items()] if light else []
    scheme = dt.integrators.JointCoordinates() if light else dt.integrators.RATTLie()
    duration = STUDY.run["duration"] if light else study.gap / study.speed + LATER
    before = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenetrationWarning)  # hooks of light ones are soft
        result = dt.simulate(
            docking_scene(study), duration, step, contact=docking.contact(study), events=ends,
            every=round(4e-3 / step), integrator=scheme, progress=False,
        )  # fmt: skip
    spent = time.process_time() - before
    caught = [k for k in (1, 2, 3) if STUDY.outputs[f"caught_{k}"](result)]
    latched = bool(STUDY.outputs["latched"](result))
    nearest = 1e3 * ring_distance(result).min()
    line = f"{nearest:6.2f} mm | {caught!s:9} | {'latched' if latched else 'missed '}"
    return latched, f"{line} | {spent:5.1f} s"


def main() -> None:
    os.environ["DOVETAIL_QUIET"] = "1"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--halved", action="store_true")
    parser.add_argument("offsets", nargs="*")
    options = parser.parse_args()
    offsets = [tuple(map(float, text.split(","))) for text in options.offsets] or OFFSETS
    step = float(STUDY.run["step"])
    approached(0, 0, light=True, step=step)  # compiles what is not there yet
    differ = 0
    print("off the axis | nearest | caught | verdict | CPU time")
    for aside, above in offsets:
        runs = {"light": (True, step), "whole": (False, float(docking.RUN["step"]))}
        if options.halved:
            runs["halved"] = (True, step / 2)
        verdicts = set()
        for name, (light, h) in runs.items():
            latched, line = approached(aside, above, light=light, step=h)
            verdicts.add(latched)
            print(f"{aside:5.2f} {above:5.2f} mm {name:6} | {line}", flush=True)
        differ += len(verdicts) > 1
    print(f"{len(offsets) - differ} of {len(offsets)} approaches end alike")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
