"""A variable of its own for every assignment: `numba.core.ssa`, one look at each statement.

Numba goes through all statements of a function twice for every variable that is assigned several
times. Here it is written down once which statements a variable is in. Names of variables and the
order of phi nodes are Numba's. Algorithm: Choi, Sarkar and Schonberg, CC 1996; chapters 4.1 and 5
of the SSA book (http://ssabook.gforge.inria.fr).
"""

from copy import copy
from typing import Any, NamedTuple

from numba.core import ir, ir_utils, ssa
from numba.core.analysis import compute_cfg_from_blocks

Blocks = dict[int, Any]


class _Places(NamedTuple):
    """Where each variable is, in the order of the statements: label and index."""

    assigned: dict[str, list[tuple[int, int]]]
    used: dict[str, list[tuple[int, int]]]
    elsewhere: dict[str, set[int]]  # labels of where it is used, but for its own assignments


def reconstruct(blocks: Blocks) -> Blocks:
    """The blocks of a function with one assignment to each variable, as `ssa._run_ssa`."""
    if not blocks:
        return {}
    graph = compute_cfg_from_blocks(blocks)
    frontiers = ssa._iterated_domfronts(graph)
    places = _places(blocks)
    bodies = {label: list(block.body) for label, block in blocks.items()}
    phis: dict[int, list[Any]] = {label: [] for label in blocks}
    scope = next(iter(blocks.values())).scope
    for name in _names(places, graph.dominators()):
        where = places.assigned.get(name, []), places.used.get(name, [])
        variable = _Variable(name, *where, bodies, graph, frontiers, scope, blocks)
        variable.replace()
        for label, added in variable.phis.items():
            phis[label] = added + phis[label]
    made = {}
    for label, block in blocks.items():
        made[label] = ir.Block(scope=block.scope, loc=block.loc)
        made[label].body = phis[label] + bodies[label]
    return made


def _places(blocks: Blocks) -> _Places:
    places = _Places({}, {}, {})
    for label, block in blocks.items():
        for index, statement in enumerate(block.body):
            target = None
            used: Any = ()
            if isinstance(statement, ir.Assign):
                target, value = statement.target.name, statement.value
                places.assigned.setdefault(target, []).append((label, index))
                if isinstance(value, ir.Var):
                    used = (value,)
                elif isinstance(value, ir.Inst):
                    used = value.list_vars()
            else:
                used = statement.list_vars()
            for name in {variable.name: None for variable in used}:
                places.used.setdefault(name, []).append((label, index))
                if name != target:
                    places.elsewhere.setdefault(name, set()).add(label)
    return places


def _names(places: _Places, dominators: dict[int, set[int]]) -> list[str]:
    """Variables that are assigned several times, or not on every path to where they are used."""
    several = [name for name, where in places.assigned.items() if len(where) > 1]
    known = set(several)
    for name, labels in places.elsewhere.items():
        assigned = {label for label, _ in places.assigned.get(name, ())}
        if name not in known and any(assigned.isdisjoint(dominators[label]) for label in labels):
            several.append(name)
    return several


class _Variable:
    """One variable, of which every assignment becomes a variable of its own."""

    def __init__(
        self, name: str, assigned: list[tuple[int, int]], used: list[tuple[int, int]],
        bodies: dict[int, list[Any]], graph: Any, frontiers: dict[int, set[int]], scope: Any,
        blocks: Blocks,
    ) -> None:  # fmt: skip
        self._name, self._places, self._used = name, assigned, used
        self._bodies, self._graph = bodies, graph
        self._scope, self._blocks = scope, blocks
        self._loc: Any = None  # of the block at hand
        self._assigned: dict[int, list[tuple[Any, int]]] = {}  # by label, with the index; phi: -1
        self.phis: dict[int, list[Any]] = {}
        self._phi_labels: set[int] = set().union(*(frontiers[label] for label, _ in assigned))

    def replace(self) -> None:
        """New variables for all assignments, and in their place where they are used."""
        for number, (label, index) in enumerate(self._places):
            old = self._bodies[label][index]
            target = old.target if number == 0 else self._scope.redefine(self._name, loc=old.loc)
            new = ir.Assign(target=target, value=old.value, loc=old.loc)
            self._bodies[label][index] = new
            self._assigned.setdefault(label, []).append((new, index))
        for label, index in self._used:
            self._loc = self._blocks[label].loc
            statement = self._bodies[label][index]
            target = self._reaching(label, index).target
            if target is not ir.UNDEFINED and target.name != self._name:
                self._bodies[label][index] = _with(statement, {self._name: target})

    def _reaching(self, label: int, index: int) -> Any:
        """The assignment that a statement sees."""
        for assign, at in reversed(self._assigned.get(label, [])):
            if at < index:  # a phi node comes before all statements
                return assign
        return self._from_top(label)

    def _from_top(self, label: int) -> Any:
        """The assignment that reaches the top of a block; makes phi nodes where several do."""
        if label in self._phi_labels:
            target = self._scope.redefine(self._name, loc=self._loc)
            value: Any = ir.Expr.phi(loc=self._loc)
            phi = ir.Assign(target=target, value=value, loc=self._loc)
            self._assigned.setdefault(label, []).insert(0, (phi, -1))
            self.phis.setdefault(label, []).append(phi)
            for before, _ in self._graph.predecessors(label):
                value.incoming_values.append(self._from_bottom(before).target)
                value.incoming_blocks.append(before)
            return phi
        above = self._graph.immediate_dominators()[label]
        if above == label:
            ssa._warn_about_uninitialized_variable(self._name, self._loc)
            return ssa.UndefinedVariable
        return self._from_bottom(above)

    def _from_bottom(self, label: int) -> Any:
        assigned = self._assigned.get(label)
        return assigned[-1][0] if assigned else self._from_top(label)


def _with(statement: Any, new: dict[str, Any]) -> Any:
    """A statement with other variables in the place of those it reads."""
    if not isinstance(statement, ir.Assign):
        statement = copy(statement)
        ir_utils.replace_vars_stmt(statement, new)
        return statement
    value = statement.value
    if isinstance(value, ir.Var):
        value = new[value.name]
    else:
        value = copy(value)
        ir_utils.replace_vars_inner(value, new)
    return ir.Assign(target=statement.target, value=value, loc=statement.loc)
