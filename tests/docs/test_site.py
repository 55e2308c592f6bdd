"""The site builds without a warning, and a browser finds nothing missing."""

import os
import re
import subprocess
import sys
import tomllib
from html import unescape
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"dovetail\[(.+)\]")


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
    assert _broken_links(site) == []


def _broken_links(site: Path) -> list[str]:
    """Links of the built pages to a file or an anchor that is not there."""
    pages = {page: page.read_text() for page in site.rglob("*.html") if page.name != "404.html"}
    anchors = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    broken = []
    for page, text in pages.items():
        for link in map(unescape, re.findall(r'(?:href|src)="([^"]+)"', text)):
            if re.match(r"(https?|mailto|data|javascript):", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            missing = anchor and target in anchors and anchor not in anchors[target]
            if not target.exists() or (missing and not anchor.startswith("__")):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert len(anchors) > 50
    return broken


MODULES = {
    "plot": ["matplotlib", "PIL"], "gym": ["gymnasium"], "movie": ["imageio_ffmpeg"],
    "study": ["dask", "distributed"], "parquet": ["pyarrow"], "tables": ["pandas", "xarray"],
    "fmu": ["pythonfmu"], "analysis": ["scipy"], "cad": ["cascadio"], "sign": ["cryptography"],
    "mujoco": ["mujoco"], "urdf": ["collada", "xacro"],
}  # fmt: skip
WITHOUT = """
import importlib.abc, sys
class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
sys.path.insert(0, "docs")
import site_hooks
for make in site_hooks.GENERATED.values():
    make()
"""


def test_what_pages_import_is_in_the_docs_extra():
    """`pip install -e '.[docs]' && mkdocs build` is all that the pages ask for."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert set(MODULES) == set(re.search(r"\[(.+)\]", extras["all"][0])[1].split(","))
    named = [found[1].split(",") for found in map(NAMED.fullmatch, extras["docs"]) if found]
    there = {extra for some in named for extra in some}
    missing = {module for extra in MODULES.keys() - there for module in MODULES[extra]}
    script = WITHOUT.format(missing=missing)
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def _fetched_from_elsewhere(site: Path) -> set[str]:
    """Scripts, styles and pictures that are not part of the site."""
    pattern = re.compile(r'<(?:script|img|link)[^>]*(?:src|href)="(https?:[^"]+)"')
    return {url for page in site.rglob("*.html") for url in pattern.findall(page.read_text())}
