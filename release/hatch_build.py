"""Puts compiled kernels into a wheel if `DOVETAIL_KERNELS` names the folder that has them.

Set by `release/build_wheel.py`. Without it, and for an editable install, the wheel is pure Python.
"""

import json
import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        chosen = os.environ.get("DOVETAIL_KERNELS")
        if version == "editable" or not chosen:
            return
        folder = Path(chosen)
        for name in ("kernels.json", "kernels.bin"):
            build_data["force_include"][str(folder / name)] = f"dovetail/runtime/kernels/{name}"
        made_for = json.loads((folder / "kernels.json").read_text())["made_for"]
        build_data["pure_python"] = False
        build_data["tag"] = os.environ["DOVETAIL_WHEEL_TAG"]
        build_data["dependencies"] += [
            f"{name}=={made_for[name]}" for name in ("numba", "llvmlite")
        ]
