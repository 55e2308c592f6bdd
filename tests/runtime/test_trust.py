"""Native code is loaded only from folders that this user alone can write."""

import functools
import hashlib
import os
import pickle
import re

import pytest
from test_cache import RUN, finish, modules, start, write_modules  # noqa: F401

from dovetail.runtime import trust

pytestmark = pytest.mark.skipif(os.name != "posix", reason="no owner and mode bits")


class Planted:
    """Unpickling it makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def make_folder(tmp_path):
    folder = tmp_path / "above" / "kernels"
    trust.make_private(folder)
    return folder


def why(folder):
    """As a new process would find it."""
    for remembered in (trust.why_mistrusted, trust._open_to_others, trust._is_private_group):
        remembered.cache_clear()
    return trust.why_mistrusted(folder)


@pytest.mark.parametrize("mode", [0o777, 0o702, 0o722])
@pytest.mark.parametrize("which", ["itself", "the one above"])
def test_a_folder_that_others_can_write_is_not_trusted(tmp_path, which, mode):
    folder = make_folder(tmp_path)
    assert why(folder) is None
    opened = folder if which == "itself" else folder.parent
    opened.chmod(mode)
    assert why(folder) == f"{opened} can be written by others (mode {mode:04o})"


def test_a_group_of_others_is_not_trusted_and_the_users_own_is(tmp_path, monkeypatch):
    folder = make_folder(tmp_path)
    folder.chmod(0o770)
    monkeypatch.setattr(trust, "_is_private_group", functools.cache(lambda group: False))
    assert why(folder) == f"{folder} can be written by others (mode 0770)"
    monkeypatch.setattr(trust, "_is_private_group", functools.cache(lambda group: True))
    assert why(folder) is None


def test_a_group_is_private_if_it_has_the_name_of_the_user_and_no_other_member(monkeypatch):
    import grp
    import pwd

    user = pwd.getpwuid(os.getuid())
    group = grp.getgrgid(user.pw_gid)
    for name, members, private in [
        (user.pw_name, [], True),
        (user.pw_name, [user.pw_name], True),
        (user.pw_name, ["somebody"], False),
        ("staff", [], False),
    ]:
        entry = grp.struct_group((name, "x", group.gr_gid, members))
        monkeypatch.setattr(grp, "getgrgid", lambda gid, entry=entry: entry)
        trust._is_private_group.cache_clear()
        assert trust._is_private_group(user.pw_gid) is private
    assert trust._is_private_group(user.pw_gid + 1) is False


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root")
def test_a_folder_of_another_user_is_not_trusted(tmp_path):
    folder = make_folder(tmp_path)
    os.chown(folder.parent, 54321, -1)
    assert why(folder) == f"{folder.parent} belongs to another user (uid 54321)"


def test_below_a_folder_with_the_sticky_bit_a_private_one_is_trusted(tmp_path):
    folder = make_folder(tmp_path)
    folder.parent.chmod(0o1777)
    assert why(folder) is None
    folder.chmod(0o1777)
    assert why(folder) is not None


@pytest.fixture
def kept(modules, tmp_path):  # noqa: F811
    """A cache folder with the entries of two kernels."""
    write_modules(modules, factor="2.0")
    folder = tmp_path / "kernels"
    code = "import os\nos.umask(0)\n" + RUN  # whatever the mask of the user
    assert finish(start(modules, code, DOVETAIL_CACHE_DIR=str(folder)))[0]["misses"] == 1
    return folder


def test_what_is_written_is_for_the_user_alone_whatever_his_mask(kept):
    assert {path.stat().st_mode & 0o077 for path in (kept, *kept.rglob("*"))} == {0}


@pytest.mark.parametrize("private", [True, False])
def test_code_planted_in_a_shared_folder_does_not_run(modules, kept, tmp_path, private):  # noqa: F811
    """In a private one it would: whoever can write there is the user himself."""
    mark = tmp_path / "planted code was here"
    payload = pickle.dumps(Planted(mark))
    for entry in (kept / "caller").glob("caller.response-*.nbc"):
        entry.write_bytes(hashlib.sha256(payload).digest() + payload)
    kept.chmod(0o700 if private else 0o777)
    process = start(modules, DOVETAIL_CACHE_DIR=str(kept), DOVETAIL_QUIET="")
    out, err = process.communicate(timeout=120)
    assert mark.exists() == private
    if not private:
        assert '"value": 5.0, "hits": 0, "misses": 1' in out
        assert err.count(f"{kept} can be written by others (mode 0777)") == 1


def test_a_file_that_others_can_write_is_not_loaded_either(modules, kept):  # noqa: F811
    """As one that was put there while the folder was open to others."""
    for entry in (kept / "caller").glob("caller.response-*.nbc"):
        entry.chmod(0o666)
    assert finish(start(modules, DOVETAIL_CACHE_DIR=str(kept)))[0]["misses"] == 1


def test_distance_fields_are_not_taken_from_a_shared_folder(tmp_path, monkeypatch, capsys):
    from dovetail.collision.sdf.field_cache import field_folder

    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    monkeypatch.setenv("DOVETAIL_CACHE_DIR", str(tmp_path / "mine"))
    assert field_folder() == tmp_path / "mine" / "fields"
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    monkeypatch.setenv("DOVETAIL_CACHE_DIR", str(tmp_path / "shared"))
    assert field_folder() is None
    assert re.search("shared can be written by others", capsys.readouterr().err)
