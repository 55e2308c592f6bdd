"""One page that says what a run was, what came out, and whether it can be trusted."""

from dovetail.view.report.writing import write_report

__all__ = ["write_report"]
