"""Describing a scene starts nothing heavy."""

import subprocess
import sys


def test_describing_primitives_loads_no_compiler_and_no_mesh_library():
    program = (
        "import sys, dovetail.model as m; s = m.Scene(); s.add_body('a', m.Box((1, 1, 1)));"
        "s.build(); print([n for n in ('trimesh', 'numba', 'scipy') if n in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
