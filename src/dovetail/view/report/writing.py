"""A report as HTML, and as PDF: printed by Chromium where there is one, else drawn as pages."""

import base64
import html
import io
import os
import shutil
import subprocess
import tempfile
from os import PathLike
from pathlib import Path

from dovetail.errors import InputError
from dovetail.results import Result
from dovetail.view.figures import Figure, PdfPages
from dovetail.view.plots import plot
from dovetail.view.report.sections import Section, sections_of

PRINT_LIMIT = 120  # [s]
LINES_A_PAGE = 60
STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; color: #222; max-width: 860px; margin: 24px auto; }
h1 { font-size: 24px; } h2 { font-size: 17px; border-bottom: 1px solid #ccd; margin-top: 28px; }
table { border-collapse: collapse; } td, th { padding: 2px 12px 2px 0; text-align: left; }
td { vertical-align: top; font-variant-numeric: tabular-nums; } img { max-width: 100%; }
tr { break-inside: avoid; } img { break-inside: avoid; }
"""


def write_report(
    result: Result, path: str | PathLike[str], title: str = "", with_certificate: bool = True
) -> str:
    """Write `path` (.html or .pdf); returns how it was made."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".pdf"):
        raise InputError(f"a report must end in .html or .pdf, got {str(path)!r}")
    if len(result.time) == 0:
        raise InputError("the result has no frame to report; was the run stopped at once?")
    sections = sections_of(result, with_certificate)
    return write_sections(result, sections, target, title or target.stem)


def write_sections(result: Result, sections: list[Section], target: Path, title: str) -> str:
    """Write sections that are made already."""
    if target.suffix.lower() == ".html":
        target.write_text(_page(result, sections, title), encoding="utf-8")
        return "HTML"
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium and _printed(chromium, _page(result, sections, title), target):
        return "printed by Chromium"
    _draw_pages(result, sections, target, title)
    return "drawn by Matplotlib"


def _page(result: Result, sections: list[Section], title: str) -> str:
    parts = [f"<h1>{html.escape(title)}</h1>"]
    for section in sections:
        parts.append(f"<h2>{html.escape(section.title)}</h2>")
        if section.note:
            parts.append(f"<p>{html.escape(section.note)}</p>")
        if section.rows:
            parts.append(_table(section))
        parts += [_image(result, what) for what in section.plots]
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _table(section: Section) -> str:
    def row(cells: list[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"

    head = [row(section.head, "th")] if section.head else []
    return f"<table>{''.join([*head, *(row(cells, 'td') for cells in section.rows)])}</table>"


def _image(result: Result, what: str) -> str:
    buffer = io.BytesIO()
    plot(result, what).savefig(buffer, format="png", metadata={"Software": None})
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<p><img alt="{what}" src="data:image/png;base64,{data}"></p>'


def _printed(chromium: str, page: str, target: Path) -> bool:
    """Whether Chromium printed the page to `target`."""
    with tempfile.TemporaryDirectory() as folder:
        source, printed = Path(folder) / "report.html", Path(folder) / "report.pdf"
        source.write_text(page, encoding="utf-8")
        command = [
            chromium, "--headless", "--disable-gpu", "--no-pdf-header-footer", "--no-first-run",
            "--disable-background-networking", f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={printed}", source.as_uri(),
        ]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # which the superuser cannot have
        try:
            subprocess.run(command, capture_output=True, timeout=PRINT_LIMIT, check=True)
            target.write_bytes(printed.read_bytes())
        except (OSError, subprocess.SubprocessError):
            return False
        return True


def _draw_pages(result: Result, sections: list[Section], target: Path, title: str) -> None:
    """Texts in lines, then each plot on a page."""
    lines = [title, ""]
    for section in sections:
        lines += [section.title.upper(), *([section.note] if section.note else [])]
        rows = [section.head, *section.rows] if section.head else section.rows
        lines += ["  " + "   ".join(row) for row in rows] + [""]
    with PdfPages(target, metadata={"CreationDate": None}) as pages:
        for begin in range(0, len(lines), LINES_A_PAGE):
            figure = Figure(figsize=(8.27, 11.69))
            text = "\n".join(line[:110] for line in lines[begin : begin + LINES_A_PAGE])
            text = text.replace("$", r"\$")
            figure.text(0.06, 0.96, text, va="top", family="monospace", fontsize=8)
            pages.savefig(figure)
        for section in sections:
            for what in section.plots:
                pages.savefig(plot(result, what))
