"""The seal of a result: one digest over all bytes of the file, in its first 512 bytes.

HDF5 leaves the bytes before its own first block to the application (a user block). There a finished
result says
    dovetail result, sealed
    sha256-merkle <root>                    of the rest of the file
    bytes <length of the file>
    ed25519 <public key> <signature>        where it was signed, of the two lines above
    block <sha256 of the lines before>
and zeros. The root is that of a Merkle tree over pieces of 64 KiB (RFC 9162, section 2.1: a leaf is
SHA-256(00 | piece), a node SHA-256(01 | left | right)): document, meshes, header, columns and the
structure of the file, spare bytes included. A file that is being written says that it is not
sealed.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

BLOCK = 512  # [bytes]
PIECE = 1 << 16  # [bytes]
NOT_SEALED = b"dovetail result, not sealed\n".ljust(BLOCK, b"\0")
TITLE = "dovetail result, sealed"
LEAF, NODE = b"\x00", b"\x01"

ReadAt = Callable[[int, int], bytes]  # size, offset


@dataclass(frozen=True)
class Seal:
    """What the first bytes of a sealed result say."""

    root: str  # hexadecimal, of the Merkle tree
    size: int  # [bytes] of the file
    key: str = ""  # hexadecimal public key of the signature
    signature: str = ""

    @property
    def statement(self) -> bytes:
        """What a signature signs."""
        return f"{TITLE}\nsha256-merkle {self.root}\nbytes {self.size}\n".encode()

    def block(self) -> bytes:
        """The first bytes of the file."""
        text = self.statement
        if self.signature:
            text += f"ed25519 {self.key} {self.signature}\n".encode()
        text += f"block {hashlib.sha256(text).hexdigest()}\n".encode()
        return text.ljust(BLOCK, b"\0")


def read_seal(block: bytes) -> Seal | None:
    """The seal in the first bytes of a file, None where it says there is none.

    Raises ValueError where they are neither.
    """
    if block == NOT_SEALED:
        return None
    lines = block.rstrip(b"\0").decode("ascii").split("\n")
    words = {line.partition(" ")[0]: line.split(" ")[1:] for line in lines[1:]}
    key, signature = words.get("ed25519", ["", ""])
    seal = Seal(words["sha256-merkle"][0], int(words["bytes"][0]), key, signature)
    if seal.block() != block:
        raise ValueError("the first bytes are not those of a seal")
    return seal


def make_seal(read: ReadAt, size: int) -> Seal:
    """The seal of a file of `size` bytes."""
    return Seal(merkle_root(_pieces(read, size)).hex(), size)


def _pieces(read: ReadAt, size: int) -> Iterator[bytes]:
    for at in range(BLOCK, size, PIECE):
        yield read(min(PIECE, size - at), at)


def merkle_root(pieces: Iterator[bytes]) -> bytes:
    """Root of the Merkle tree of RFC 9162, section 2.1.1.

    Subtrees of 2^k leaves are joined as soon as two of them are complete.
    """
    waiting: list[tuple[int, bytes]] = []  # (leaves, hash), sizes falling
    for piece in pieces:
        one = (1, hashlib.sha256(LEAF + piece).digest())
        while waiting and waiting[-1][0] == one[0]:
            left = waiting.pop()
            one = (2 * one[0], hashlib.sha256(NODE + left[1] + one[1]).digest())
        waiting.append(one)
    if not waiting:
        return hashlib.sha256(b"").digest()
    root = waiting.pop()[1]
    while waiting:
        root = hashlib.sha256(NODE + waiting.pop()[1] + root).digest()
    return root
