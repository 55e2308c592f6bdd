"""The command group: finds each command when it is called, turns failures into exit codes.

Exit codes: 0 done, 1 the run failed, 2 bad input, 130 stopped by Ctrl-C.
"""

import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from dovetail import __version__
from dovetail.errors import DovetailError, InputError

COMMANDS = {
    "run": "Simulate a scene file or a built-in example to a result file.",
    "examples": "List what is built in, one line each.",
    "check": "Examine a scene before a run, or a result after it.",
    "prove": "Does an assembly move? Prove it for every position of its joints.",
    "topology": "Cut joints, labels and loops of a scene or incidence list.",
    "view": "Play a result in the browser.",
    "plot": "Draw energy, momentum, velocity, ... of a result to a picture.",
    "export": "Write a result as .html, .glb, .usda, .vtkhdf, .csv, .png, .gif, .mp4.",
    "export-fmu": "Write a scene as a unit for co-simulation (FMI 2.0).",
    "report": "Write one page (HTML, PDF) about a run and whether to trust it.",
    "stability": "Say whether a frictional contact is solvable, unique and stable; draw maps.",
    "study": "Run a scene many times with varied values; resumable, on many workers.",
    "reproduce": "Make a paper's figures and tables, ours beside the published numbers.",
    "bench": "Measure the speed figures, side by side with what is installed.",
    "schema": "Print the JSON Schema of scene files.",
    "warmup": "Compile all kernels now, so that later runs start at once.",
}


class LazyGroup(click.Group):
    """Commands live in dovetail.cli.<name>_command; --help imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"dovetail.cli.{cmd_name.replace('-', '_')}_command")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name not in COMMANDS:
            from difflib import get_close_matches

            close = get_close_matches(name, COMMANDS, 1)
            hint = f"; did you mean `{close[0]}`?" if close else ""
            if Path(name).is_file():
                hint = f"; did you mean `dovetail run {name}`?"
            ctx.fail(f"no command named {name!r}{hint} (dovetail --help lists them)")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dovetail")
def group() -> None:
    """Rigid multibody dynamics with frictional contact that can be trusted."""


def _missing(error: ModuleNotFoundError) -> InputError | None:
    from dovetail.runtime.extras import missing_extra

    return missing_extra(error)


def _show_warning(message: Warning | str, *_: Any) -> None:
    """In place of `warnings.showwarning`, which adds a file and a line of source code."""
    print(f"dovetail: warning: {message}", file=sys.stderr)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command and exit; a failure the package understands is a sentence."""
    try:
        if not sys.warnoptions:  # -W and PYTHONWARNINGS ask for Python's own form
            warnings.showwarning = _show_warning  # type: ignore[assignment]
        code = group.main(args=arguments, prog_name="dovetail", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        print("stopped", file=sys.stderr)
        sys.exit(130)
    except InputError as error:
        for mistake in error.mistakes:
            print(f"error: {mistake}", file=sys.stderr)
        sys.exit(2)
    except DovetailError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except ModuleNotFoundError as error:
        missing = _missing(error)
        if missing is None:
            raise
        print(f"error: {missing}", file=sys.stderr)
        sys.exit(2)
    except MemoryError:
        print("error: out of memory; use smaller meshes, fewer frames or bodies", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"error: {where}{error.strerror or error}", file=sys.stderr)
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)  # an int is what click's Exit carried
