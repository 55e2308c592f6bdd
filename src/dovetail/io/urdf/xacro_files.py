"""The text of a URDF file; xacro files are expanded by the package of that name.

xacro evaluates expressions of the file and opens what it includes, so only files that are named
`.xacro` are given to it.
"""

from pathlib import Path

from dovetail.errors import InputError
from dovetail.io.text_files import read_text
from dovetail.io.urdf.packages import PackageFolders
from dovetail.runtime.extras import require


def urdf_text(path: Path, packages: PackageFolders) -> str:
    """The XML of a robot without macros, as far as the name of the file promises it."""
    text = read_text(path)
    if path.suffix.lower() != ".xacro":
        return text
    xacro = require("xacro")
    arguments = require("xacro.substitution_args")
    found, arguments._eval_find = arguments._eval_find, lambda name: str(packages.folder(name))
    try:
        return str(xacro.process_file(str(path)).toxml())
    except InputError:
        raise
    except Exception as error:  # whatever the expressions of a file come across
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise InputError(f"{path.name} cannot be expanded by xacro: {reason}") from None
    finally:
        arguments._eval_find = found
