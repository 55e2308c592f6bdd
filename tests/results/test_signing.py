"""Keys that cannot sign are refused in a sentence, and so is a machine that has no signatures."""

import sys

import pytest

import dovetail as dt
from dovetail.results import signing
from dovetail.results.seal import BLOCK, NOT_SEALED, Seal, read_seal

pytest.importorskip("cryptography")
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, x25519

PEM, PRIVATE = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
PUBLIC = serialization.PublicFormat.SubjectPublicKeyInfo


def written(path, key, password=None):
    hidden = serialization.NoEncryption()
    if password:
        hidden = serialization.BestAvailableEncryption(password)
    path.write_bytes(key.private_bytes(PEM, PRIVATE, hidden))
    public = path.with_suffix(".pub")
    public.write_bytes(key.public_key().public_bytes(PEM, PUBLIC))
    return str(path), str(public)


def test_the_public_key_is_the_same_from_both_files(tmp_path):
    key = ed25519.Ed25519PrivateKey.generate()
    private, public = written(tmp_path / "key", key)
    raw = key.public_key().public_bytes_raw().hex()
    assert signing.public_key(private) == raw == signing.public_key(public)


def test_keys_of_another_kind_are_refused(tmp_path):
    private, public = written(tmp_path / "key", x25519.X25519PrivateKey.generate())
    with pytest.raises(dt.InputError, match="must hold an Ed25519 private key, it holds another"):
        signing.public_key(private)
    with pytest.raises(dt.InputError, match="must hold an Ed25519 key, it holds another kind"):
        signing.public_key(public)


def test_a_key_with_a_password_is_refused_with_how_to_make_another(tmp_path):
    key = ed25519.Ed25519PrivateKey.generate()
    private, _ = written(tmp_path / "key", key, b"secret")
    with pytest.raises(dt.InputError, match=r"without a password .*openssl genpkey"):
        signing.public_key(private)


def test_what_is_no_key_or_no_file_is_refused(tmp_path):
    (tmp_path / "a").write_text("-----BEGIN PUBLIC KEY-----\n")
    with pytest.raises(dt.InputError, match="must be a PEM file with an Ed25519 key"):
        signing.public_key(str(tmp_path / "a"))
    with pytest.raises(dt.InputError, match="cannot be read: No such file"):
        signing.public_key(str(tmp_path / "none"))


@pytest.mark.parametrize("use", ["public_key", "_private_key", "_file", "_ed25519"])
def test_without_cryptography_it_is_said_what_to_install(use, tmp_path, monkeypatch):
    private, _ = written(tmp_path / "key", ed25519.Ed25519PrivateKey.generate())
    for name in [name for name in sys.modules if name.startswith("cryptography")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    if use == "_file":  # reading needs nothing
        assert signing._file(private).startswith(b"-----BEGIN")
        return
    arguments = () if use == "_ed25519" else (private,)
    with pytest.raises(dt.InputError, match=r"pip install 'dovetail\[sign\]'"):
        getattr(signing, use)(*arguments)


def test_a_loaded_result_has_its_seal_and_a_damaged_one_has_none(tmp_path):
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.1), density=1000, velocity=(1, 0, 0))
    path = tmp_path / "run.h5"
    dt.simulate(scene, 0.1, 0.05, out=path, progress=False, check=False)
    raw = bytearray(path.read_bytes())
    seal = read_seal(bytes(raw[:BLOCK]))
    assert seal is not None and dt.load(path).stored.seal == seal
    raw[-5] ^= 1
    path.write_bytes(raw)
    assert dt.load(path).stored.seal is None


def test_what_was_changed_since_it_was_verified_is_not_signed(tmp_path):
    private, _ = written(tmp_path / "key", ed25519.Ed25519PrivateKey.generate())
    verified, path = Seal("ab" * 32, 4096), tmp_path / "run.h5"
    for block in (Seal("cd" * 32, 4096).block(), Seal("ab" * 32, 4097).block(), NOT_SEALED):
        path.write_bytes(block + b"rest")
        with pytest.raises(dt.InputError, match="was changed while it was verified"):
            signing.sign_file(path, verified, private)
        assert path.read_bytes() == block + b"rest"
    path.write_bytes(verified.block() + b"rest")
    signed = signing.sign_file(path, verified, private)
    assert path.read_bytes() == signed.block() + b"rest"
    assert signed.key == signing.public_key(private) and signing.signature_is_valid(signed)
    assert not signing.signature_is_valid(Seal("ab" * 32, 4097, signed.key, signed.signature))
    assert not signing.signature_is_valid(Seal("ab" * 32, 4096, "no key", signed.signature))
