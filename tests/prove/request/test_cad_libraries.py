"""`dt.prove` of the real objects of CadQuery and build123d; skipped where they are missing."""

import pytest

import dovetail as dt

TURN = ["turn: revolute pin about z, 0..360 deg"]
ASIDE = ["aside: prismatic two along x, 0..10 mm"]
PLAY = 20e-6  # [m] between a pin of 10 mm and its hole


def is_proven_on_the_true_surfaces(proof):
    assert proof.verdict == "proven" and proof.between == ("base", "pin")
    assert 15e-6 <= proof.proven_clearance <= proof.least_clearance <= PLAY


def cadquery_parts():
    cq = pytest.importorskip("cadquery", reason="CadQuery is not installed")
    base = cq.Workplane().box(20, 20, 10).faces(">Z").workplane().hole(10.04)
    return cq, base, cq.Workplane().cylinder(30, 5.0)


def test_a_pin_of_cadquery_turns_in_its_hole():
    _, base, pin = cadquery_parts()
    is_proven_on_the_true_surfaces(
        dt.prove({"base": base, "pin": pin}, joints=TURN, clearance=15e-6)
    )


def test_a_nested_assembly_of_cadquery_has_its_parts_in_place():
    cq, base, pin = cadquery_parts()
    inner = cq.Assembly(name="inner")
    inner.add(pin, name="pin", loc=cq.Location(cq.Vector(100, 0, 0)))
    whole = cq.Assembly(name="whole")
    whole.add(base, name="base")
    whole.add(inner, name="inner", loc=cq.Location(cq.Vector(-100, 0, 0)))
    is_proven_on_the_true_surfaces(dt.prove(whole, joints=TURN, clearance=15e-6))


def test_all_solids_of_a_workplane_are_examined():
    cq = pytest.importorskip("cadquery", reason="CadQuery is not installed")
    two = cq.Workplane().pushPoints([(0, 0), (0, 30)]).box(5, 5, 5, combine=False)
    wall = cq.Workplane().box(5, 5, 5).translate((10, 30, 0))  # in the way of the second
    proof = dt.prove({"two": two, "wall": wall}, joints=ASIDE)
    assert proof.verdict == "meets"
    assert proof.meets[0].low == pytest.approx(5e-3, abs=2e-8)


def build123d_parts():
    bd = pytest.importorskip("build123d", reason="build123d is not installed")
    base, pin = bd.Box(20, 20, 10) - bd.Cylinder(5.02, 10), bd.Cylinder(5, 30)
    base.label, pin.label = "base", "pin"
    return bd, base, pin


def test_a_pin_of_build123d_turns_in_its_hole():
    _, base, pin = build123d_parts()
    is_proven_on_the_true_surfaces(
        dt.prove({"base": base, "pin": pin}, joints=TURN, clearance=15e-6)
    )


def test_a_nested_compound_of_build123d_has_its_parts_in_place():
    bd, base, _ = build123d_parts()
    pin = bd.Pos(100, 0, 0) * bd.Cylinder(5, 30)
    pin.label = "pin"
    inner = bd.Compound(label="inner", children=[pin])
    inner.location = bd.Location((-100, 0, 0))
    whole = bd.Compound(label="whole", children=[base, inner])
    is_proven_on_the_true_surfaces(dt.prove(whole, joints=TURN, clearance=15e-6))
    whole.location = bd.Location((0, 7, 0))  # the axis of the joint is not that of the pin now
    assert dt.prove(whole, joints=TURN).verdict == "meets"


def test_builders_and_lists_of_build123d_are_parts():
    bd = pytest.importorskip("build123d", reason="build123d is not installed")
    with bd.BuildPart() as wall, bd.Locations((10, 30, 0)):
        bd.Box(5, 5, 5)
    two = bd.ShapeList([bd.Box(5, 5, 5), bd.Pos(0, 30, 0) * bd.Box(5, 5, 5)])
    proof = dt.prove({"two": two, "wall": wall}, joints=ASIDE)
    assert proof.verdict == "meets"
    assert proof.meets[0].low == pytest.approx(5e-3, abs=2e-8)
