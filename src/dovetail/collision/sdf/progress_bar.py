"""The bar shown while a field is built."""

from collections.abc import Callable


class SlabBar:
    """A bar on stderr; entering gives the function that moves it."""

    def __init__(self, total: int, always: bool) -> None:
        from rich.console import Console
        from rich.progress import Progress

        console = Console(stderr=True, force_terminal=True if always else None)
        self._rich = Progress(console=console, transient=True)
        self._task = self._rich.add_task("distance field", total=total)

    def __enter__(self) -> Callable[[int, int], None]:
        self._rich.start()
        return self._show

    def __exit__(self, *_: object) -> None:
        self._rich.stop()

    def _show(self, done: int, total: int) -> None:
        self._rich.update(self._task, completed=done, total=total)
