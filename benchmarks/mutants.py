"""Small wrong versions of plain Python functions, made from their syntax trees.

A mutant changes one node of one function body. Kernels (functions that Numba compiles) are left
alone: each mutant of one would cost a compilation. So are texts of messages, assertions, default
arguments and module-level code; and what nobody can notice: values of the examples that kernels are
compiled with (`_register`: only their types count), and one more entry in an array that is scratch
or empty (shapes in functions named `...workspace`, `make_space`, `empty_...`, `no_...`, and numbers
given to functions named `...workspace`), and `stacklevel` of warnings, which names a line of the
package in any case.
"""

import ast
import copy
import functools
import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
SETTER = ".setter"  # after the name of a property
FIELDS_SKIPPED = {"annotation", "returns", "decorator_list", "args", "type_comment"}


@dataclass(frozen=True)
class Mutant:
    """One change: `number` counts the changes possible in the module."""

    path: Path
    module: str
    function: str  # qualified name
    line: int
    lines: tuple[int, int]  # of the statement, without those inside of it
    text: str  # of the line
    change: str
    number: int

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names the mutant while lines above it come and go."""
        return str(self.path), self.function, self.text, self.change

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.function}: {self.change[:110]}"


def mutants_of(path: Path, module: str) -> list[Mutant]:
    """Every mutant of the plain functions of one file."""
    tree, texts = ast.parse(_source(path)), _source(path).split("\n")
    spans = _statements(tree)
    plain = {name for name in _function_names(tree) if function_named(module, name) is not None}
    found = []
    for number, (name, node, change, _) in enumerate(_changes(tree)):
        if name in plain:
            line = node.lineno
            text = texts[line - 1].strip()
            lines = min(
                (span for span in spans if span[0] <= line <= span[1]), key=lambda s: s[1] - s[0]
            )
            found.append(Mutant(path, module, name, line, lines, text, change, number))
    return found


def apply(mutant: Mutant) -> None:
    """Give the function, wherever it was imported to, the code of the mutant."""
    tree = ast.parse(_source(mutant.path))
    changes = list(_changes(tree))
    changes[mutant.number][3]()
    code = compile(ast.fix_missing_locations(tree), str(mutant.path), "exec")
    function = function_named(mutant.module, mutant.function)
    assert function is not None
    old = function.__code__  # a property and its setter have one name
    function.__code__ = next(
        c
        for c in codes_in(code)
        if c.co_qualname == old.co_qualname and c.co_firstlineno == old.co_firstlineno
    )


def imported(mutant: Mutant) -> None:
    """Import the mutant's module once more, with its change: some functions run only then."""
    tree = ast.parse(_source(mutant.path))
    list(_changes(tree))[mutant.number][3]()
    code = compile(ast.fix_missing_locations(tree), str(mutant.path), "exec")
    exec(code, dict(vars(importlib.import_module(mutant.module))))


def function_named(module: str, name: str) -> FunctionType | None:
    """The plain function behind a qualified name; None for kernels and what is not reachable."""
    found: Any = importlib.import_module(module)
    own, sets = name.removesuffix(SETTER), name.endswith(SETTER)
    for part in own.split("."):
        found = inspect.getattr_static(found, part, None)
    if isinstance(found, property):
        found = found.fset if sets else found.fget
    if isinstance(found, functools.cached_property):
        found = found.func
    if isinstance(found, classmethod | staticmethod):
        found = found.__func__
    if hasattr(found, "py_func"):  # a kernel
        return None
    found = inspect.unwrap(found) if callable(found) else found
    plain = isinstance(found, FunctionType) and found.__qualname__ == own
    return found if plain else None


def plain_functions(source: Path, folder: str) -> Iterator[tuple[str, str, FunctionType]]:
    """(module, qualified name, function) of every plain function of a folder of the package."""
    for path in sorted((source / "dovetail" / folder).rglob("*.py")):
        module = module_of(path, source)
        for name in _function_names(ast.parse(_source(path))):
            if (function := function_named(module, name)) is not None:
                yield module, name, function


def module_of(path: Path, source: Path) -> str:
    """The name under which a file is imported."""
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


@functools.cache
def _source(path: Path) -> str:
    """The text of a file as it was when its mutants were counted."""
    return path.read_text()


def _statements(tree: ast.Module) -> list[tuple[int, int]]:
    """First and last line of every statement; of a compound one, of its head."""
    spans = []
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            inside = getattr(node, "body", None)
            last = inside[0].lineno - 1 if inside else node.end_lineno
            spans.append((node.lineno, max(node.lineno, last or 0)))
    return spans


def _function_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    yield f"{node.name}.{_own_name(part)}"


Change = tuple[str, Any, str, Callable[[], None]]


def _changes(tree: ast.Module) -> Iterator[Change]:
    """(function, node, what changes, how to change it in place) in the order of the file."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield from _in_function(node, node.name)
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    yield from _in_function(part, f"{node.name}.{_own_name(part)}")


def _own_name(function: ast.FunctionDef) -> str:
    """The name in its class; that of a property's setter has `SETTER`."""
    sets = any(ast.unparse(one).endswith(SETTER) for one in function.decorator_list)
    return function.name + SETTER if sets else function.name


def _in_function(function: ast.FunctionDef, name: str) -> Iterator[Change]:
    if function.name == "_register":
        return
    for size in _workspace_sizes(function):
        size.is_of_workspace = True  # type: ignore[attr-defined]
    for statement in function.body[1 if ast.get_docstring(function) is not None else 0 :]:
        for node in _walk(statement):
            for change, act in _at(node):
                yield name, node, change, act
    for block, i in _blocks(function):
        statement = block[i]
        if _deletable(statement):
            text = ast.unparse(statement).split("\n")[0]
            yield name, statement, f"delete `{text}`", functools.partial(_delete, block, i)


def _workspace_sizes(function: ast.FunctionDef) -> Iterator[ast.Constant]:
    """Numbers in the shapes of arrays that are scratch or empty, and first sizes of workspaces."""
    for call in ast.walk(function):
        if isinstance(call, ast.Call):
            name = ast.unparse(call.func)
            if name.endswith("workspace"):
                yield from (size for size in call.args if isinstance(size, ast.Constant))
            elif _is_of_workspace(function.name) and name in {"np.zeros", "np.empty"}:
                shape = call.args[0]
                for size in shape.elts if isinstance(shape, ast.Tuple) else [shape]:
                    sums = isinstance(size, ast.BinOp) and isinstance(size.op, ast.Add | ast.Mult)
                    terms = [size.left, size.right] if sums else [size]  # type: ignore[attr-defined]
                    yield from (term for term in terms if isinstance(term, ast.Constant))


def _is_of_workspace(name: str) -> bool:
    words = ("workspace", "make_space", "make_lists")
    return any(word in name for word in words) or name.lstrip("_").startswith(("empty_", "no_"))


def _walk(node: Any) -> Iterator[Any]:
    """As ast.walk, without annotations, assertions and the texts of raised errors."""
    if isinstance(node, ast.Assert | ast.JoinedStr | ast.Raise | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.keyword) and node.arg == "stacklevel":
        return
    yield node
    for field, value in ast.iter_fields(node):
        if field not in FIELDS_SKIPPED or isinstance(node, ast.Call):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _walk(child)


def _at(node: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    """The changes of one node."""
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            new = COMPARISONS[type(operator)]
            change = f"`{ast.unparse(node)}`: {type(operator).__name__} -> {new.__name__}"
            yield change, functools.partial(node.ops.__setitem__, i, new())
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"`{ast.unparse(node)}`: and <-> or", functools.partial(setattr, node, "op", other)
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        new_operator = OPERATORS[type(node.op)]
        change = f"`{ast.unparse(node)}`: {type(node.op).__name__} -> {new_operator.__name__}"
        yield change, functools.partial(setattr, node, "op", new_operator())
    elif isinstance(node, ast.Constant) and type(node.value) in (bool, int, float):
        if hasattr(node, "is_of_workspace"):
            return
        value = not node.value if isinstance(node.value, bool) else node.value + 1
        change = f"{node.value} -> {value}"
        yield change, functools.partial(setattr, node, "value", value)
    elif isinstance(node, ast.Return) and not _is_none(node.value):
        nothing = ast.Constant(None)
        change = f"`{ast.unparse(node)}` -> return None"
        yield change, functools.partial(setattr, node, "value", nothing)
    elif isinstance(node, ast.Call) and len(node.args) > 1 and not _is_symmetric(node):
        if not any(isinstance(argument, ast.Starred) for argument in node.args):
            swapped = [node.args[1], node.args[0], *node.args[2:]]
            if not _same(node.args[0], node.args[1]):
                change = f"`{ast.unparse(node)}`: swap the first two arguments"
                yield change, functools.partial(setattr, node, "args", swapped)
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not _is_or_in(node.test):
        test = ast.UnaryOp(ast.Not(), copy.deepcopy(node.test))
        change = f"negate `{ast.unparse(node.test)}`"
        yield change, functools.partial(setattr, node, "test", test)
    if (
        isinstance(node, ast.Dict)
        and len(node.keys) > 1
        and None not in node.keys[:2]
        and not _same(node.values[0], node.values[1])
    ):
        keys = [node.keys[1], node.keys[0], *node.keys[2:]]
        change = f"swap the first two keys of `{ast.unparse(node)[:60]}`"
        yield change, functools.partial(setattr, node, "keys", keys)


def _is_symmetric(call: ast.Call) -> bool:
    """A function whose result does not depend on the order of its first two arguments.

    np.clip(x, a, b) is min(max(x, a), b).
    """
    symmetric = {"max", "min", "np.maximum", "np.minimum", "np.hypot", "np.array_equal", "np.clip"}
    name = ast.unparse(call.func)
    of_two_bodies = name.endswith((".may_collide", ".pair_material"))
    return name in symmetric | {"os.path.samestat"} or (of_two_bodies and len(call.args) == 2)


def _same(a: Any, b: Any) -> bool:
    return ast.unparse(a) == ast.unparse(b)


def _is_or_in(test: Any) -> bool:
    """A comparison whose mutant is its negation already."""
    kinds = ast.Is | ast.IsNot | ast.In | ast.NotIn | ast.Eq | ast.NotEq
    return isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], kinds)


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _blocks(node: Any) -> Iterator[tuple[list[Any], int]]:
    """Every statement inside `node`, as its block and its place in it."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, [])
        if isinstance(block, list):
            for i, statement in enumerate(block):
                yield block, i
                yield from _blocks(statement)
    for handler in getattr(node, "handlers", []):
        yield from _blocks(handler)


def _deletable(statement: Any) -> bool:
    """A statement whose absence is not an error at once, as that of a local variable is."""
    if isinstance(statement, ast.Expr):
        return not isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Assign):
        return not any(isinstance(target, ast.Name | ast.Tuple) for target in statement.targets)
    return isinstance(statement, ast.AugAssign | ast.Raise | ast.Continue | ast.Break)


def _delete(block: list[Any], i: int) -> None:
    block[i] = ast.copy_location(ast.Pass(), block[i])


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A code and those of the functions that it makes."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)
