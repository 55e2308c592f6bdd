"""Make the archive of compiled kernels that a wheel contains: `python -m dovetail.runtime.packing`.

Of all kernels that `dovetail warmup` has compiled those that Python calls are packed, and the units
that these jump to. What else they call is part of them.
"""

import hashlib
import json
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

from dovetail.runtime.cache import loaded_entries
from dovetail.runtime.shipped import FOLDER, made_for
from dovetail.runtime.target import is_native_chosen
from dovetail.runtime.warmup import PACKAGES, warmup


def pack(folder: Path, packages: Iterable[str] = PACKAGES) -> int:
    """Write `kernels.bin` and `kernels.json` into `folder`; returns how many kernels they hold.

    All must have been compiled before, for the common level; raises SystemExit otherwise.
    """
    if is_native_chosen():
        raise SystemExit("kernels of a wheel are for all machines: unset DOVETAIL_CPU")
    if (FOLDER / "kernels.json").exists():
        raise SystemExit(f"{FOLDER} has kernels already: pack from a checkout, not from a wheel")
    done = warmup(packages=packages)
    if done.compiled:
        raise SystemExit(f"{done.compiled} kernels were not compiled: run `dovetail warmup` first")
    folder.mkdir(parents=True, exist_ok=True)
    places, offset = {}, 0
    with (folder / "kernels.bin").open("wb") as file:
        for name, payload in sorted(loaded_entries()):
            packed = zlib.compress(payload, 9)
            file.write(packed)
            places[name] = [offset, len(packed), hashlib.sha256(packed).hexdigest()]
            offset += len(packed)
    listed = {"made_for": made_for(), "kernels": places}
    (folder / "kernels.json").write_text(json.dumps(listed, indent=0) + "\n")
    return len(places)


if __name__ == "__main__":
    print(f"{pack(Path(sys.argv[1]))} kernels packed")
