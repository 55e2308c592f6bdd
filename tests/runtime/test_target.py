"""Kernels are compiled for a level that machines share, if the one at hand has it."""

import platform

import pytest
from test_cache import finish, start

from dovetail.runtime import target

CODE = """
import json, sys
from numba.core.registry import cpu_target
from dovetail.runtime import jit
from dovetail.runtime.target import key_of
print(json.dumps(key_of(cpu_target.target_context.codegen())))
"""


def key_in_new_process(folder, **environment):
    return finish(start(folder, CODE, **{"DOVETAIL_CPU": ""} | environment))[0]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the level of x86")
def test_the_level_is_the_target_where_the_processor_has_it(tmp_path):
    expected = "x86-64-v3" if target.host_has(target.X86_64_V3) else None
    triple, *cpu = key_in_new_process(tmp_path)
    assert triple.startswith("x86_64")
    assert cpu == [expected] or expected is None


def test_native_code_has_the_processor_and_its_features_in_the_key(tmp_path):
    key = key_in_new_process(tmp_path, DOVETAIL_CPU="native")
    assert len(key) == 3
    assert key[1] == target.binding.get_host_cpu_name()


def test_the_users_choice_of_numbas_target_stays(tmp_path):
    assert key_in_new_process(tmp_path, NUMBA_CPU_NAME="generic")[1:] == ["generic", ""]


@pytest.mark.parametrize(("lacks", "has"), [((), True), (("avx2",), False), (("fma",), False)])
def test_a_processor_must_have_all_features_of_the_level(monkeypatch, lacks, has):
    features = {name: name not in lacks for name in target.X86_64_V3.features}
    monkeypatch.setattr(target.binding, "get_host_cpu_features", lambda: features)
    assert target.host_has(target.X86_64_V3) is has


def test_machines_of_one_kind_share_a_level(monkeypatch):
    for machine, level in [("AMD64", "x86-64-v3"), ("aarch64", "generic"), ("arm64", "generic")]:
        monkeypatch.setattr(platform, "machine", lambda machine=machine: machine)
        assert target.level_of_architecture().name == level
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert target.level_of_architecture() is None
