"""The npm packages of web/, where node is there to run them."""

import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"


def web_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like web/ with its packages installed; skips where that is not possible."""
    if shutil.which("node") is None:
        pytest.skip("no node on this machine")
    if (WEB / "node_modules").is_dir():
        return WEB
    if shutil.which("npm") is None:
        pytest.skip("no npm on this machine")
    folder = tmp_path_factory.mktemp("web")
    shutil.copytree(WEB, folder, dirs_exist_ok=True)
    done = subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"npm could not install the packages: {done.stderr.strip()[-200:]}")
    return folder
