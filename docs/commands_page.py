"""The command line as Markdown, from the commands' own definitions."""

import click

from dovetail.cli.main import COMMANDS, group


def commands_markdown() -> str:
    """A section for each command: usage, what it does, its options."""
    context = click.Context(group, info_name="dovetail")
    rows = "\n".join(
        f"| [`dovetail {name}`](#{name}) | {text} |" for name, text in COMMANDS.items()
    )
    sections = [f"| command | does |\n|---|---|\n{rows}\n"]
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert command is not None
        sections.append(_section(name, command, context))
    return "\n".join(sections)


def _section(name: str, command: click.Command, above: click.Context) -> str:
    context = click.Context(command, info_name=name, parent=above, terminal_width=400)
    usage = command.get_usage(context).removeprefix("Usage: ")
    text = "\n\n".join(" ".join(part.split()) for part in (command.help or "").split("\n\n"))
    parts = [f"## {name}", f"```text\n{' '.join(usage.split())}\n```", text]
    records = [p.get_help_record(context) for p in command.params if isinstance(p, click.Option)]
    rows = [f"| `{record[0]}` | {record[1]} |" for record in records if record is not None]
    if rows:
        parts.append("\n".join(["| option | what it does |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"
