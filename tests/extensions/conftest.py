"""The example extensions as modules, outside the package."""

import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "examples" / "extensions"
sys.path.insert(0, str(FOLDER))
