"""Size of a fresh environment with the package in it, by package.

    python benchmarks/install_size.py            # what `pip install dovetail` brings
    python benchmarks/install_size.py plot study # with extras

Makes an environment in a temporary folder, installs this checkout into it and adds up the files.
"""

import subprocess
import sys
import tempfile
import venv
from collections import Counter
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]
MB = 2**20


def size(path: Path) -> int:
    """[bytes] on disk, in whole blocks."""
    return path.lstat().st_blocks * 512 if path.exists() else 0


def main(extras: list[str]) -> None:
    """Install and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        wanted = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
        subprocess.run([python, "-m", "pip", "install", "--quiet", wanted], check=True)
        place = subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
        sizes: Counter[str] = Counter()
        for package in distributions(path=[place]):
            name = package.metadata["Name"].lower()
            sizes[name] += sum(size(Path(str(package.locate_file(f)))) for f in package.files or ())
        total = sum(size(path) for path in Path(folder).rglob("*"))
    print("| package | MB |\n|---|---|")
    for name, bytes_ in sizes.most_common():
        if bytes_ >= 0.5 * MB:
            print(f"| {name} | {bytes_ / MB:.0f} |")
    print(f"| whole environment | {total / MB:.0f} |")


if __name__ == "__main__":
    main(sys.argv[1:])
