"""Generated assemblies: right verdicts, examined by construction and by exact arithmetic."""

from dataclasses import replace

import numpy as np
import pytest
from assemblies import FAMILIES, SAMPLES, assemblies
from exact_sweeps import contradictions, exact_verdict

import dovetail as dt

MADE = list(assemblies(2 * len(FAMILIES), seed=7))


def is_clash(assembly):
    return assembly.meets


def sampled_proof(assembly):
    """What tests at sampled positions say: a proof that is wrong by intention."""
    low, high = assembly.span
    ((kind, ranges),) = assembly.question.items()
    for t in np.linspace(low, high, SAMPLES):
        at = dict.fromkeys(ranges, (t, t)) if kind == "sweep" else None
        if at is None:
            continue
        if dt.prove(assembly.scene, at).verdict == "meets":
            return "meets"
    return "proven"


@pytest.mark.parametrize("assembly", MADE, ids=lambda one: one.name)
def test_a_generated_assembly_is_decided_rightly(assembly):
    proof = dt.prove(assembly.scene, **assembly.question)
    assert proof.verdict == ("meets" if assembly.meets else "proven")
    if assembly.meets:
        assert any(one.low <= assembly.at <= one.high for one in proof.meets)
        step = (assembly.span[1] - assembly.span[0]) / (SAMPLES - 1)
        assert all(one.high - one.low < step for one in proof.meets)
    else:
        assert proof.proven_clearance <= proof.least_clearance <= assembly.gap * 1.2
    assert contradictions(assembly, proof) == []


def test_the_exact_oracle_applies_to_three_families_and_knows_their_verdicts():
    examined = [one for one in MADE if exact_verdict(one) is not None]
    assert {one.name.split()[0] for one in examined} == {"hinge", "latch", "slide"}
    assert all(exact_verdict(one) == one.meets for one in examined)


@pytest.mark.parametrize("name", ["hinge", "latch", "slide"])
def test_a_wrong_proof_is_caught_by_the_exact_oracle(name):
    """A proof by samples misses the clash; so would any verdict that is turned round."""
    free, clash = sorted((one for one in MADE if one.name.startswith(name)), key=is_clash)
    proof = dt.prove(clash.scene, **clash.question)
    assert contradictions(clash, proof) == []
    wrong = replace(proof, verdict=sampled_proof(clash))
    assert wrong.verdict == "proven"
    assert contradictions(clash, wrong) != []
    alarm = replace(dt.prove(free.scene, **free.question), verdict="meets")
    assert contradictions(free, alarm) != []
