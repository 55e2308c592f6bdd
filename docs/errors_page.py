"""Every message of the package's errors, read from its sources.

Values that come in at run time are shown as dots. Messages are those given to `InputError(...)` and
`RunError(...)`, and those that a function named after mistakes adds, yields or returns.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src" / "dovetail"
RAISED = ("InputError", "RunError")
ADDED = ("append", "add", "extend", "say", "note")
AREAS = {
    "model": "Describing bodies, shapes, joints and loads",
    "io": "Reading and writing scene files",
    "geometry": "Meshes and distances",
    "sdf": "Distance fields",
    "topology": "Mechanisms",
    "dynamics": "Joints in motion",
    "contact": "Contact methods",
    "lcp": "Complementarity problems",
    "stability": "Stability",
    "integrators": "Integrators",
    "simulate": "Runs",
    "results": "Result files",
    "view": "Pictures, pages and exports",
    "studies": "Studies",
    "reproduce": "Papers",
    "cli": "Commands",
}
SHORTEST = 12  # letters that a message has at least


def template(node: ast.expr) -> str | None:
    """The text of a string expression with dots for what is filled in; None for anything else."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            texts = [p.value if isinstance(p, ast.Constant) else "..." for p in parts]
            return "".join(str(text) for text in texts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            one, two = template(left), template(right)
            return (one or "...") + (two or "...") if one or two else None
        case ast.IfExp(body=body, orelse=other):
            return template(body) or template(other)
    return None


def messages_of(source: str) -> Iterator[str]:
    """Messages in one file, in its order."""
    nodes = list(ast.walk(ast.parse(source)))
    named = {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in RAISED:
                given = _listed(
                    named.get(first.id, first) if isinstance(first, ast.Name) else first
                )
            case ast.FunctionDef(name=name) if "mistake" in name or "problem" in name:
                yield from _told(node)
                continue
            case _:
                continue
        yield from (text for text in map(template, given) if text)


def _listed(node: ast.expr) -> list[ast.expr]:
    """An error may be given a list of mistakes."""
    match node:
        case ast.List(elts=elements):
            return elements
        case ast.ListComp(elt=element):
            return [element]
    return [node]


def _told(function: ast.FunctionDef) -> Iterator[str]:
    """Texts that a function on mistakes hands on."""
    for node in ast.walk(function):
        match node:
            case ast.Yield(value=ast.expr() as value) | ast.Return(value=ast.expr() as value):
                values = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
            case ast.Call(func=ast.Attribute(attr=attribute), args=values) if attribute in ADDED:
                pass
            case _:
                continue
        for one in values:
            text = template(one)
            if text and " " in text.strip():
                yield text


def catalogue() -> dict[str, list[str]]:
    """Messages by area, each once."""
    found: dict[str, list[str]] = {title: [] for title in AREAS.values()}
    for path in sorted(SOURCES.rglob("*.py")):
        part = path.relative_to(SOURCES).parts[0].removesuffix(".py")
        title = AREAS.get(part)
        for message in messages_of(path.read_text(encoding="utf-8")):
            words = " ".join(message.split()).replace("......", "...")
            if len(words.replace("...", "").strip()) < SHORTEST:
                continue
            found.setdefault(title or "Other", [])
            if words not in found[title or "Other"]:
                found[title or "Other"].append(words)
    return {title: sorted(messages) for title, messages in found.items() if messages}


def errors_markdown() -> str:
    """A list for each area."""
    lines = []
    for title, messages in catalogue().items():
        lines += [f"### {title}", ""]
        lines += [f"- {_shown(message)}" for message in messages]
        lines.append("")
    return "\n".join(lines)


def _shown(message: str) -> str:
    ticks = "``" if "`" in message else "`"
    padded = f" {message} " if message.startswith("`") or message.endswith("`") else message
    return f"{ticks}{padded}{ticks}"
