"""What needs node: the Khronos validator on our GLB, and that the bundled player is up to date."""

import json
import subprocess
from pathlib import Path

import pytest
from npm_packages import web_folder

from dovetail.view.glb import write_glb

PLAYER = Path(__file__).parents[2] / "src" / "dovetail" / "view" / "page" / "player.min.js"
VALIDATE = """
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const validator = createRequire(process.argv[2] + '/package.json')('gltf-validator');
const report = await validator.validateBytes(new Uint8Array(readFileSync(process.argv[3])));
console.log(JSON.stringify(report));
"""


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return web_folder(tmp_path_factory)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["flight", "still_ball", "massless_picture"])
def test_the_khronos_validator_finds_nothing_in_a_glb(
    what: str, web: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    write_glb(request.getfixturevalue(what), tmp_path / "result.glb")
    (tmp_path / "validate.mjs").write_text(VALIDATE)
    done = subprocess.run(
        ["node", str(tmp_path / "validate.mjs"), str(web), str(tmp_path / "result.glb")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert report["mimeType"] == "model/gltf-binary"
    ours = [m for m in report["issues"]["messages"] if m["severity"] <= 2]  # errors to remarks
    messages = [m for m in ours if m["code"] != "NODE_EMPTY"]  # a body without a surface is one
    assert messages == [], messages
    assert report["info"]["animationCount"] == (1 if what == "flight" else 0)


@pytest.mark.slow
def test_the_bundled_player_is_made_from_its_sources(web: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "player.min.js"
    subprocess.run(["node", "build.mjs", str(bundle)], cwd=web, check=True)
    assert bundle.read_bytes() == PLAYER.read_bytes(), "run `npm run build` in web/"
