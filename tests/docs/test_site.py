"""The site builds without a warning, and a browser finds nothing missing."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_site_builds_strictly_from_the_sources(tmp_path):
    site = tmp_path / "site"
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    commands = (site / "reference" / "command-line" / "index.html").read_text()
    assert "--resume" in commands and "<!-- generated" not in commands
    free_motion = (site / "theory" / "free-motion" / "index.html").read_text()
    assert "<math" in free_motion and "arithmatex" not in free_motion
    scene = (site / "reference" / "api" / "scene" / "index.html").read_text()
    assert "add_body" in scene and "angular_velocity" in scene
    assert not _fetched_from_elsewhere(site), "the site must work without a network"


def _fetched_from_elsewhere(site: Path) -> set[str]:
    """Scripts, styles and pictures that are not part of the site."""
    pattern = re.compile(r'<(?:script|img|link)[^>]*(?:src|href)="(https?:[^"]+)"')
    return {url for page in site.rglob("*.html") for url in pattern.findall(page.read_text())}
