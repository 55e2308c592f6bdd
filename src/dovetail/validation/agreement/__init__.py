"""The same scenes under every contact method and under MuJoCo: positions, forces, energy, time.

`dovetail bench agreement` prints one table per case; docs/made/agreement.md is that print. A case
is a module of `cases` with a CASE; its closed form, where there is one, is the last row.
"""

from importlib import import_module

from dovetail.validation.agreement.case import Case

NAMES = ("crate", "cam", "gripper", "stack", "heap", "ball", "cradle")


def case(name: str) -> Case:
    """The case of that name."""
    made: Case = import_module(f"{__name__}.cases.{name}").CASE
    return made


def named(name: str) -> list[Case]:
    """All cases of `agreement`, that of `agreement-NAME`, none of another name."""
    if name == "agreement":
        return [case(each) for each in NAMES]
    one = name.removeprefix("agreement-")
    return [case(one)] if one != name and one in NAMES else []
