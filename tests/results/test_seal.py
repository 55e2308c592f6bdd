"""The seal: every changed bit of a finished result is noticed; a signature says whose it is."""

import hashlib
import shutil

import h5py
import numpy as np
import pytest
from click.testing import CliRunner

import dovetail as dt
from dovetail.cli.check_command import command as check
from dovetail.results.seal import BLOCK, NOT_SEALED, merkle_root, read_seal


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0, velocity=(1, 0, 1), position=(0, 0, 0.2))
    box = dt.Box((1, 1, 1)).surface()
    scene.add_body("mesh", dt.Mesh(box.vertices, box.faces), mass=1.0, position=(5, 5, 5))
    path = tmp_path_factory.mktemp("sealed") / "a.h5"
    dt.simulate(scene, 0.2, 0.01, out=path, progress=False)
    return path


def noticed(path):
    try:
        return dt.load(path).status == "damaged"
    except dt.InputError:
        return True


def test_every_flipped_bit_is_noticed(sealed, tmp_path):
    """A sample: `benchmarks/bit_flips.py` tries 10 000."""
    raw, path = sealed.read_bytes(), tmp_path / "b.h5"
    rng = np.random.default_rng(24)
    for bit in rng.integers(0, 8 * len(raw), 60).tolist() + list(range(0, 8 * BLOCK, 97)):
        data = bytearray(raw)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        assert noticed(path), f"bit {bit % 8} of byte {bit // 8}"


def changed(sealed, tmp_path, change):
    path = tmp_path / "b.h5"
    shutil.copyfile(sealed, path)
    with h5py.File(path, "r+") as file:
        change(file)
    return path


def shrink(file):
    (key,) = file["scene/meshes"]
    file[f"scene/meshes/{key}/vertices"][...] *= 1e-3


def other_scene(file):
    text = file["scene/document"][()]
    file["scene/document"][()] = text.replace(b"0.1", b"0.2")


CHANGES = {
    "a mesh": shrink,
    "the scene": other_scene,
    "the count of summed rows": lambda f: f["run/summed_rows"].__setitem__(0, 99),
    "a mass": lambda f: f["bodies/mass"].__setitem__(0, 2.0),
    "gravity": lambda f: f["gravity"].__setitem__(2, 0.0),
    "the settings": lambda f: f["run/settings"].__setitem__((), b"{}"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_scene_or_header_is_noticed(sealed, tmp_path, what):
    path = changed(sealed, tmp_path, CHANGES[what])
    result = dt.load(path)
    assert result.status == "damaged"
    assert "not as it was sealed" in result.reason
    said = CliRunner().invoke(check, [str(path)])
    assert said.exit_code == 3


@pytest.mark.parametrize("rows", [0, -1, 10**9])
def test_impossible_numbers_of_frames_end_in_a_message(sealed, tmp_path, rows):
    path = changed(sealed, tmp_path, lambda f: f["run/rows"].__setitem__(0, rows))
    with pytest.raises(dt.InputError, match=r"b\.h5"):
        dt.load(path)


def test_a_finished_file_without_its_seal_is_noticed(sealed, tmp_path):
    path = tmp_path / "b.h5"
    path.write_bytes(NOT_SEALED + sealed.read_bytes()[BLOCK:])
    assert "no seal" in dt.load(path).reason


def test_bytes_after_the_end_are_noticed(sealed, tmp_path):
    path = tmp_path / "b.h5"
    path.write_bytes(sealed.read_bytes() + b"\0")
    assert "sealed with" in dt.load(path).reason


def test_a_killed_run_is_not_sealed_and_a_stopped_one_is(tmp_path):
    scene = dt.Scene()
    scene.add_body("b", dt.Box((1, 1, 1)), density=1, velocity=(1, 0, 0))
    stop = dt.Event("stop", lambda t, state: t - 0.35, terminal=True)
    dt.simulate(scene, 1.0, 0.1, out=tmp_path / "a.h5", events=[stop], progress=False)
    raw = (tmp_path / "a.h5").read_bytes()
    assert read_seal(raw[:BLOCK]).size == len(raw)
    assert dt.load(tmp_path / "a.h5").status == "finished"


def test_the_root_is_that_of_the_merkle_tree_of_rfc_9162():
    """MTH(D_n) = H(01 | MTH(D[0:k]) | MTH(D[k:n])), k the largest power of two < n."""

    def tree(leaves):
        if len(leaves) == 1:
            return hashlib.sha256(b"\0" + leaves[0]).digest()
        k = 1 << (len(leaves) - 1).bit_length() - 1
        return hashlib.sha256(b"\1" + tree(leaves[:k]) + tree(leaves[k:])).digest()

    for n in (1, 2, 3, 4, 5, 7, 8, 11):
        leaves = [bytes([k]) * k for k in range(n)]
        assert merkle_root(iter(leaves)) == tree(leaves)


def test_the_root_of_no_leaves_is_the_hash_of_nothing():
    """RFC 9162, section 2.1.1."""
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert merkle_root(iter([])).hex() == empty


def key_files(folder, name):
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    from cryptography.hazmat.primitives import serialization as s

    key = ed25519.Ed25519PrivateKey.generate()
    private, public = folder / f"{name}.pem", folder / f"{name}.pub"
    pem, form = s.Encoding.PEM, s.PrivateFormat.PKCS8
    private.write_bytes(key.private_bytes(pem, form, s.NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(pem, s.PublicFormat.SubjectPublicKeyInfo))
    return str(private), str(public)


def test_a_signed_result_is_accepted_from_its_signer_alone(sealed, tmp_path):
    private, public = key_files(tmp_path, "mine")
    _, other = key_files(tmp_path, "other")
    path = str(shutil.copyfile(sealed, tmp_path / "b.h5"))
    run = CliRunner().invoke
    assert run(check, [path, "--signed-by", public]).exit_code == 4
    assert run(check, [path, "--sign", private]).exit_code == 0
    assert dt.load(path).status == "finished"
    assert run(check, [path, "--signed-by", public]).exit_code == 0
    assert run(check, [path, "--signed-by", other]).exit_code == 4
    raw = bytearray((tmp_path / "b.h5").read_bytes())
    block = bytes(raw[:BLOCK])
    seal = read_seal(block)
    forged = type(seal)(seal.root, seal.size, seal.key, "00" + seal.signature[2:])
    (tmp_path / "b.h5").write_bytes(forged.block() + raw[BLOCK:])
    said = run(check, [path])
    assert (said.exit_code, "signature is not valid" in said.output) == (4, True)
