"""Generated assemblies: right verdicts, examined by construction and by exact arithmetic."""

from dataclasses import replace
from fractions import Fraction
from math import atan

import numpy as np
import pytest
from assemblies import FAMILIES, SAMPLES, assemblies
from exact_poses import atan_between, root_between
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
        at = dict.fromkeys(ranges, (t, t))
        if kind == "path":
            values = {name: np.interp(t, range(len(v)), v) for name, v in ranges.items()}
            at = {name: (v, v) for name, v in values.items()}
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


DECIDED = {"hinge", "latch", "slide", "bayonet"}  # freedom too; of the others clashes alone


def test_the_exact_oracle_shows_every_clash_and_the_freedom_of_four_families():
    for one in MADE:
        free = False if one.name.split()[0] in DECIDED else None
        assert exact_verdict(one) is (True if one.meets else free)


def test_enclosures_of_angles_and_roots_hold_their_numbers_and_are_narrow():
    for t in (Fraction(1, 7), Fraction(1, 2), Fraction(9, 10), Fraction(1), Fraction(40, 3)):
        for sign in (1, -1):
            found = atan_between(sign * t)
            assert found.low <= found.high < found.low + Fraction(1, 10**30)
            assert float(found.low) == pytest.approx(sign * atan(t), rel=1e-15)
    root = root_between(Fraction(2, 3))
    assert root.low**2 < Fraction(2, 3) < root.high**2 and root.high - root.low < Fraction(
        1, 10**29
    )


@pytest.mark.parametrize("name", ["gears", "thread", "cam", "four-bar"])
def test_a_wrong_proof_of_a_family_that_is_not_algebraic_is_caught_too(name):
    (clash,) = [one for one in MADE if one.name.startswith(name) and one.meets]
    proof = dt.prove(clash.scene, **clash.question)
    assert contradictions(clash, proof) == []
    assert contradictions(clash, replace(proof, verdict="proven")) != []


@pytest.mark.parametrize("name", ["hinge", "latch", "slide", "bayonet"])
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
