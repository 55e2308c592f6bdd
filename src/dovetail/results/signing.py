"""Ed25519 signatures of sealed results, for those who hand them to others.

Keys are PEM files as other programs make them (`openssl genpkey -algorithm ed25519`). Needs the
package `cryptography`, an extra: pip install 'dovetail[sign]'.
"""

import os
from pathlib import Path
from typing import Any

from dovetail.errors import InputError
from dovetail.results.lock import locked
from dovetail.results.raw_bytes import write_at
from dovetail.results.seal import BLOCK, Seal, read_seal


def sign_file(path: Path, seal: Seal, key_file: str) -> Seal:
    """Put a signature beside the seal of a result that was verified to agree with it."""
    key = _private_key(key_file)
    signature = key.sign(seal.statement).hex()
    signed = Seal(seal.root, seal.size, _raw(key.public_key()), signature)
    with locked(path):
        descriptor = os.open(path, os.O_RDWR)
        try:
            there = read_seal(os.pread(descriptor, BLOCK, 0))
            if there is None or there.statement != seal.statement:
                raise InputError(f"{path} was changed while it was verified; verify it again")
            write_at(descriptor, signed.block(), 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    return signed


def signature_is_valid(seal: Seal) -> bool:
    """Whether the signature is that of the key beside it."""
    ed25519 = _ed25519()
    try:
        key = ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(seal.key))
        key.verify(bytes.fromhex(seal.signature), seal.statement)
    except Exception:  # InvalidSignature, or bytes that are no key
        return False
    return True


def public_key(key_file: str) -> str:
    """The public key of a PEM file, private or public, in hexadecimal."""
    serialization = _serialization()
    data = _file(key_file)
    try:
        if b"PRIVATE" in data:
            return _raw(_private_key(key_file).public_key())
        key = serialization.load_pem_public_key(data)
    except (ValueError, TypeError) as error:
        raise InputError(f"{key_file} must be a PEM file with an Ed25519 key ({error})") from error
    if not isinstance(key, _ed25519().Ed25519PublicKey):
        raise InputError(f"{key_file} must hold an Ed25519 key, it holds another kind")
    return _raw(key)


def _private_key(key_file: str) -> Any:
    serialization = _serialization()
    try:
        key = serialization.load_pem_private_key(_file(key_file), password=None)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"{key_file} must be a PEM file with an Ed25519 private key without a password "
            f"({error}); make one with `openssl genpkey -algorithm ed25519 -out {key_file}`"
        ) from error
    if not isinstance(key, _ed25519().Ed25519PrivateKey):
        raise InputError(f"{key_file} must hold an Ed25519 private key, it holds another kind")
    return key


def _file(key_file: str) -> bytes:
    try:
        return Path(key_file).read_bytes()
    except OSError as error:
        raise InputError(f"the key {key_file} cannot be read: {error.strerror}") from error


def _raw(key: Any) -> str:
    serialization = _serialization()
    raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
    return str(key.public_bytes(*raw).hex())


def _ed25519() -> Any:
    _serialization()
    from cryptography.hazmat.primitives.asymmetric import ed25519

    return ed25519


def _serialization() -> Any:
    try:
        from cryptography.hazmat.primitives import serialization
    except ImportError as error:
        raise InputError(
            "signatures need the package `cryptography`: pip install 'dovetail[sign]'"
        ) from error
    return serialization
