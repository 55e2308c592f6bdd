"""The text of a file that may be anything: missing, a folder, binary, or far too large."""

import os
import re
import stat
from pathlib import Path

from dovetail.errors import InputError
from dovetail.io.limits import LARGEST_SCENE_BYTES

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
OTHER_ENCODINGS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


def read_text(path: Path, largest: int = LARGEST_SCENE_BYTES) -> str:
    """The file as UTF-8 text, or an InputError that says what it is instead."""
    data = _read_bytes(path, largest)
    for mark, encoding in OTHER_ENCODINGS.items():
        if data.startswith(mark):
            raise InputError(f"{path.name}: must be UTF-8 text, got {encoding}; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path.name}: must be UTF-8 text, line {line} has the byte "
            f"0x{data[error.start]:02x}; save it as UTF-8"
        ) from None
    binary = CONTROL.search(text)
    if binary:
        line = text.count("\n", 0, binary.start()) + 1
        raise InputError(
            f"{path.name}: must be a text file, line {line} has the control character "
            f"0x{ord(binary.group()):02x}; this looks like binary data"
        )
    if not text.strip():
        raise InputError(f"{path.name}: is empty; a scene starts with `version: 1`")
    return text


def _read_bytes(path: Path, largest: int) -> bytes:
    """At most `largest` bytes of a regular file; a pipe or device is never opened."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"{path.name or path}: is a folder; give the scene file inside it")
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path.name}: must be a regular file, not a device or a pipe")
        with path.open("rb") as file:
            data = file.read(largest + 1)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; check the name and the folder") from None
    except PermissionError:
        raise InputError(f"{path}: may not be read; check its permissions") from None
    except (OSError, ValueError) as error:  # name too long, zero byte in the name
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        raise InputError(f"{path}: cannot be read: {reason}") from None
    if len(data) > largest:
        raise InputError(
            f"{path.name}: must be at most {largest // 1024**2} MiB, got more; "
            "put large meshes into files of their own"
        )
    return data
