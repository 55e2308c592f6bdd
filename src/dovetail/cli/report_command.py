"""`dovetail report`: one page about a run."""

from pathlib import Path

import click

from dovetail.results import load


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path),
    help="Page: .html or .pdf; default: RESULT-report.html and .pdf beside the result.",
)  # fmt: skip
@click.option("--no-certificate", is_flag=True, help="Leave the test for intersections out.")
def command(result: Path, out: Path | None, no_certificate: bool) -> None:
    """Write what the run was, what came out and whether it can be trusted, on one page.

    Scene, pictures at key times, energy, momentum, contacts, joint residuals, certificate, derived
    parameters with units, timing. A PDF is printed by Chromium where there is one, else drawn.
    """
    from dovetail.errors import InputError
    from dovetail.view.report.sections import sections_of
    from dovetail.view.report.writing import write_sections

    loaded = load(result)
    targets = [out] if out else [
        result.with_name(f"{result.stem}-report{ending}") for ending in (".html", ".pdf")
    ]  # fmt: skip
    for target in targets:
        if target.suffix.lower() not in (".html", ".pdf"):
            raise InputError(f"a report must end in .html or .pdf, got {str(target)!r}")
    if len(loaded.time) == 0:
        raise InputError(f"{result} has no frame to report; was the run stopped at once?")
    sections = sections_of(loaded, not no_certificate)
    for target in targets:
        how = write_sections(loaded, sections, target, result.stem)
        click.echo(f"wrote {target} ({how})")
