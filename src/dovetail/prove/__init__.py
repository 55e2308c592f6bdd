"""Does an assembly move, and is it proven? Joints swept over their whole continuous range."""

import sys
from types import ModuleType
from typing import Any

from dovetail.prove.question import prove
from dovetail.prove.verdict import Meeting, Proof

__all__ = ["Meeting", "Proof", "prove"]


class _CallableModule(ModuleType):
    """`dovetail.prove` names both this layer and its function: calling either one proves."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return prove(*arguments, **options)


sys.modules[__name__].__class__ = _CallableModule
