"""Sound bytes damaged at random, as a transmission, an editor or an attacker would."""

import random
import re

NUMBER = re.compile(rb"(?<![\w.])[-+]?\d[\d.]*(?:e[-+]?\d+)?")
WORD = re.compile(rb"[A-Za-z_]{2,}")
NUMBERS = (
    b"0", b"-1", b"1e9", b"1000000000", b"4294967295", b"18446744073709551616", b"nan", b"inf",
    b"-inf", b"1e308", b"-1e-320", b"1e999", b"2147483648", b"0x10", b"1_0", b"", b"true",
)  # fmt: skip
BYTES = (b"\x00", b"\xff", b"\xff\xff\xff\xff", b"\x00\x00\x00\x80", b"\x00\x00\x80\x7f", b"[",
         b"{", b"&a ", b"*a ", b"<<: ", b"!!x ", b"<", b"&lt;", b'"', b"'", b"/", b"\\\n", b"\n",
         b"..", b"#", b"- ", b": ", b"\xc3\x28", b"\xef\xbb\xbf")  # fmt: skip


def mutated(data: bytes, seed: int) -> bytes:
    """`data` with one to five damages; the same for the same seed."""
    dice = random.Random(seed)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 5))):
        data = dice.choice(DAMAGES)(data, dice)
    return data


def _flip(data: bytes, dice: random.Random) -> bytes:
    if not data:
        return data
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 4, 30))):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _overwrite(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    new = dice.choice(BYTES) if dice.random() < 0.7 else dice.randbytes(dice.randrange(1, 9))
    return data[:at] + new + data[at + len(new) :]


def _insert(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(BYTES) * dice.choice((1, 1, 2, 100)) + data[at:]


def _cut(data: bytes, dice: random.Random) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


def _remove(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + data[at + dice.randrange(1, 60) :]


def _repeat(data: bytes, dice: random.Random) -> bytes:
    at, size = dice.randrange(len(data) + 1), dice.randrange(1, 200)
    return data[:at] + data[at : at + size] * dice.choice((2, 3, 50)) + data[at + size :]


def _other_number(data: bytes, dice: random.Random) -> bytes:
    found = list(NUMBER.finditer(data))
    if not found:
        return _flip(data, dice)
    where = dice.choice(found)
    return data[: where.start()] + dice.choice(NUMBERS) + data[where.end() :]


def _other_word(data: bytes, dice: random.Random) -> bytes:
    found = list(WORD.finditer(data))
    if len(found) < 2:
        return _flip(data, dice)
    where, new = dice.sample(found, 2)
    return data[: where.start()] + new.group() + data[where.end() :]


DAMAGES = (_flip, _overwrite, _insert, _cut, _remove, _repeat, _other_number, _other_number,
           _other_word)  # fmt: skip
