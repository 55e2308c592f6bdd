"""One HTML page about a run: scene, energies, contacts, certificate."""

from dovetail.view.report.writing import write_report

__all__ = ["write_report"]
