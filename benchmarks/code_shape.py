"""The shape of the code: files per folder, parameters per function, types of record fields.

    python benchmarks/code_shape.py [SRC]
SRC is another checkout's src/dovetail, to compare.
"""

import ast
import sys
from collections import Counter
from pathlib import Path

OURS = Path(__file__).parents[1] / "src" / "dovetail"
LONG = 12  # parameters


def files_per_folder(root: Path) -> Counter[str]:
    """How many Python files lie directly in each folder."""
    return Counter(str(path.parent.relative_to(root)) for path in root.rglob("*.py"))


def functions(tree: ast.AST) -> list[tuple[str, int]]:
    """(name, number of parameters) of all functions of a file."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            found.append((node.name, len(given.posonlyargs + given.args + given.kwonlyargs)))
    return found


def record_fields(tree: ast.AST) -> list[str]:
    """The annotations of all fields of named tuples of a file."""
    return [
        ast.unparse(line.annotation)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id == "NamedTuple" for base in node.bases)
        for line in node.body
        if isinstance(line, ast.AnnAssign)
    ]


def main() -> None:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else OURS
    trees = {path: ast.parse(path.read_text()) for path in sorted(root.rglob("*.py"))}
    lines = {path: path.read_text().count("\n") for path in trees}
    print(f"{len(trees)} files, {sum(lines.values())} lines, longest {max(lines.values())}")
    print("files in the fullest folders:")
    for folder, count in files_per_folder(root).most_common(8):
        print(f"  {count:4d}  {folder}")
    counted: Counter[int] = Counter()
    long = []
    for path, tree in trees.items():
        for name, parameters in functions(tree):
            counted[parameters] += 1
            if parameters > LONG:
                long.append((parameters, f"{path.relative_to(root)}:{name}"))
    print("functions by number of parameters:")
    for low, high in ((0, 4), (5, 8), (9, 12), (13, 20), (21, 99)):
        print(f"  {low:3d} to {high:2d}  {sum(counted[k] for k in range(low, high + 1)):5d}")
    for parameters, where in sorted(long, reverse=True):
        print(f"    {parameters:3d}  {where}")
    fields = [field for tree in trees.values() for field in record_fields(tree)]
    print(f"fields of records typed Any: {fields.count('Any')} of {len(fields)}")


if __name__ == "__main__":
    main()
