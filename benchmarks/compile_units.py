"""How much LLVM code each kernel of a first step is made of, and what several of them share.

    python benchmarks/compile_units.py          # after the kernels were compiled once: seconds

A kernel that Python calls (an entry) is linked with all kernels below it and optimised as a whole
(`runtime/pieces.py`), so a piece below five entries is optimised five times. A kernel that is
`apart` (a unit) is optimised once, for all that jump to it. Sizes are of LLVM code as lowered.
Kernels that were compiled for several argument types are listed at the end.
"""

from collections import defaultdict

import dovetail as dt
from dovetail.runtime import warmup
from dovetail.simulate.methods import chosen_methods
from dovetail.simulate.needed_kernels import needed_kernels

LEAST = 0.02  # of all: smaller entries are not listed


def entries() -> dict[str, list]:
    """Name -> the pieces of every kernel that two boxes under IPC call."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("a", dt.Box((1, 1, 1)), density=1000, motion="static")
    scene.add_body("b", dt.Box((1, 1, 1)), density=1000, position=(0, 0, 1.001))
    model = scene.build()
    methods = chosen_methods(model, dt.contact.IPC(friction=0.3), None)
    modules, kernels = needed_kernels(model, *methods)
    warmup.gather(modules)
    found = {}
    for kernel, examples in warmup.registered():
        function = kernel.py_func
        place = f"{function.__module__}:{function.__name__}"
        if {function.__module__, place} & set(kernels):
            piece = kernel.piece(warmup.argument_types(kernel, examples)).library
            found[place] = list(piece.with_all_below())
            _add_units(found, piece)
    return found


def _add_units(found: dict[str, list], piece) -> None:
    for unit in piece.units_below():
        name = f"{unit.kernel[0]}:{unit.kernel[1]} (unit)"
        if name not in found:
            found[name] = list(unit.with_all_below())
            _add_units(found, unit)


def main() -> None:
    found = entries()
    size, types = {}, defaultdict(set)
    for piece in {id(piece): piece for pieces in found.values() for piece in pieces}.values():
        module, name, arguments, symbol = piece.kernel
        size[symbol] = len(piece.as_bytes())
        types[f"{module}.{name}"].add(arguments)
    of = {name: sum(size[piece.kernel[-1]] for piece in pieces) for name, pieces in found.items()}
    total, once = sum(of.values()), sum(size.values())
    sizes = f"{total / 1e6:.1f} MB; each piece once: {once / 1e6:.1f} MB"
    print(f"{len(found)} entries and units, {sizes}")
    for name in sorted(of, key=lambda name: -of[name]):
        if of[name] > LEAST * total:
            print(f"  {of[name] / 1e6:5.1f} MB, {len(found[name]):4d} pieces  {name}")
    print("compiled for several argument types:")
    for name, arguments in sorted(types.items()):
        if len(arguments) > 1:
            print(f"  {len(arguments)} x {name}")


if __name__ == "__main__":
    main()
