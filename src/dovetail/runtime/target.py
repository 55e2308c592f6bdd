"""For which processors kernels are compiled.

Not for the processor at hand but for a level that most machines have: x86-64-v3 (AVX2, FMA; Intel
since 2013, AMD since 2015) on x86, plain ARMv8-A on ARM. Then a kernel is the same machine code on
every machine of that level, whether it came with the package or was compiled here, and the results
are the same. A processor below that level, or `DOVETAIL_CPU=native`, compiles for itself.
"""

import os
import platform
from dataclasses import dataclass

from llvmlite import binding  # type: ignore[import-untyped]
from numba.core import config


@dataclass(frozen=True)
class Level:
    """A level of an architecture, in the words of LLVM."""

    name: str
    features: tuple[str, ...]  # that a host must have

    @property
    def feature_text(self) -> str:
        """As Numba takes them; never empty, and so the mark of code for this level."""
        return ",".join(f"+{feature}" for feature in self.features)


X86_64_V3 = Level(
    "x86-64-v3",
    (
        "64bit", "avx", "avx2", "bmi", "bmi2", "cmov", "crc32", "cx16", "cx8", "f16c", "fma",
        "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1",
        "sse4.2", "ssse3", "xsave",
    ),
)  # fmt: skip
ARMV8_A = Level("generic", ("fp-armv8", "neon"))
_LEVELS = {"x86_64": X86_64_V3, "amd64": X86_64_V3, "aarch64": ARMV8_A, "arm64": ARMV8_A}


def level_of_architecture() -> Level | None:
    """The level that kernels are compiled for on machines of this kind; None: no common one."""
    return _LEVELS.get(platform.machine().lower())


def host_has(level: Level) -> bool:
    """Whether the processor at hand runs code of `level`."""
    if level is ARMV8_A:
        return True  # there is no lower one, and LLVM reports no features on some systems
    features = binding.get_host_cpu_features()
    return all(features.get(feature, False) for feature in level.features)


def is_native_chosen() -> bool:
    """Whether the user wants code for one processor, not for the level."""
    chosen = (os.environ.get(name) for name in ("DOVETAIL_CPU", "NUMBA_CPU_NAME"))
    return any(chosen)


def choose_target() -> None:
    """Let Numba compile for the level of the architecture, before its first compilation.

    Has no effect where the user has chosen a processor (`NUMBA_CPU_NAME`, `DOVETAIL_CPU=native`)
    or where other code has used Numba before.
    """
    level = level_of_architecture()
    if level is None or is_native_chosen() or not host_has(level):
        return
    config.CPU_NAME, config.CPU_FEATURES = level.name, level.feature_text  # type: ignore[attr-defined]


def key_of(codegen) -> tuple[str, ...]:
    """What machine code made by `codegen` runs on: platform, and level or processor."""
    triple, name, features = codegen.magic_tuple()
    level = level_of_architecture()
    if level is not None and features == level.feature_text:
        return triple, level.name
    return triple, name, features


def key_of_level(codegen) -> tuple[str, ...] | None:
    """As `key_of`, of code for the level of the architecture."""
    level = level_of_architecture()
    return None if level is None else (codegen.magic_tuple()[0], level.name)
