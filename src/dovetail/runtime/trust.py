"""Which folders native code is loaded from: those that no other user can write.

A compiled kernel is a pickle with machine code: whoever can write it runs code as whoever loads it.
So the folder and all folders above it must belong to the user or to root and must not be writable
by others, as ssh demands of its keys. A folder with the sticky bit (/tmp) may be above:
others cannot replace what is not theirs in it. Windows has no such bits; there the user's own
profile is taken for private, and any other folder is the choice of the user.
"""

import functools
import os
import stat
from pathlib import Path

_OWNER_ONLY = 0o700
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


@functools.cache
def why_mistrusted(folder: Path) -> str | None:
    """Who else could put files into `folder`; None if it is this user's alone or not there yet."""
    if os.name != "posix":
        return None
    at = folder.resolve()
    found = _open_to_others(at, may_be_shared=False)
    return found or next(filter(None, map(_open_to_others, at.parents)), None)


@functools.cache
def _open_to_others(folder: Path, may_be_shared: bool = True) -> str | None:
    try:
        status = folder.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{folder} cannot be examined ({error.strerror})"
    if status.st_uid not in (0, os.getuid()):
        return f"{folder} belongs to another user (uid {status.st_uid})"
    if may_be_shared and status.st_mode & stat.S_ISVTX:
        return None
    if _is_writable_by_others(status):
        return f"{folder} can be written by others (mode {stat.S_IMODE(status.st_mode):04o})"
    return None


def _is_writable_by_others(status: os.stat_result) -> bool:
    shared = status.st_mode & _WRITABLE_BY_OTHERS
    return bool(shared) and not (shared == stat.S_IWGRP and _is_private_group(status.st_gid))


@functools.cache
def _is_private_group(group: int) -> bool:
    """Whether a group is the user's own, as many systems make one for each user."""
    import grp
    import pwd

    try:
        user, entry = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    alone = {*entry.gr_mem} <= {user.pw_name}
    return alone and group == user.pw_gid and entry.gr_name == user.pw_name


def read_trusted(path: Path) -> bytes | None:
    """The content of a file of a trusted folder; None if it is absent or not this user's."""
    try:
        with path.open("rb") as file:
            if os.name == "posix":
                status = os.fstat(file.fileno())
                if status.st_uid not in (0, os.getuid()) or _is_writable_by_others(status):
                    return None
            return file.read()
    except OSError:
        return None


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for this user alone."""
    if folder.is_dir():
        return
    make_private(folder.parent)
    folder.mkdir(_OWNER_ONLY, exist_ok=True)
