"""Matplotlib's figures; importing this says what to install where Matplotlib is missing."""

from dovetail.runtime.extras import require

require("matplotlib")

import matplotlib  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.backends.backend_pdf import PdfPages  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

__all__ = ["Axes", "Figure", "PdfPages", "matplotlib"]
