"""What is installed on request: optional packages, each with the extra that brings it."""

from importlib import import_module
from typing import Any

from dovetail.errors import InputError

EXTRAS = {  # package that is imported -> (its name for pip, the extra, what needs it)
    "matplotlib": ("matplotlib", "plot", "plots, pictures and reports"),
    "PIL": ("pillow", "plot", "GIF movies and pictures"),
    "imageio_ffmpeg": ("imageio-ffmpeg", "movie", "MP4 movies"),
    "dask": ("dask", "study", "studies"),
    "distributed": ("distributed", "study", "studies"),
    "pandas": ("pandas", "tables", "`result.to_pandas`"),
    "xarray": ("xarray", "tables", "`result.to_xarray`"),
    "pythonfmu": ("pythonfmu", "fmu", "`dovetail export-fmu`"),
    "gymnasium": ("gymnasium", "gym", "Gymnasium environments"),
    "pyarrow": ("pyarrow", "parquet", "Parquet tables"),
    "cascadio": ("cascadio", "cad", "STEP files"),
    "collada": ("pycollada", "urdf", "Collada meshes (.dae)"),
    "xacro": ("xacro", "urdf", "xacro files"),
    "mujoco": ("mujoco", "mujoco", "MuJoCo models (MJCF)"),
    "scipy": ("scipy", "analysis", "sparse LCPs and stiff motion of `dt.stability.kelvin_rod`"),
}


class MissingExtraError(InputError, ImportError):
    """Something was asked for that needs a package which is not installed."""


def require(package: str) -> Any:
    """The module `package`; raises MissingExtraError, which names the extra that brings it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        sentence = missing_extra(error)
        if sentence is None:
            raise
        raise sentence from error


def missing_extra(error: ModuleNotFoundError) -> MissingExtraError | None:
    """The sentence about a module that was not found; None where no extra brings it."""
    root = (error.name or "").partition(".")[0]
    if root not in EXTRAS:
        return None
    package, extra, purpose = EXTRAS[root]
    return MissingExtraError(
        f"{package} is needed for {purpose} and is not installed; "
        f"install it with: pip install 'dovetail[{extra}]'"
    )
