"""`scene` of a run: a `Scene`, or a file, whose `run` section says what the call leaves open."""

from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.contact.law import ContactMethod
from dovetail.errors import InputError
from dovetail.integrators.interface import Integrator
from dovetail.io.run_settings import RunSettings
from dovetail.runtime.options import OptionError
from dovetail.simulate.requested import requested_contact, requested_integrator
from dovetail.simulate.step_control import LargeAndSmallSteps, StepControl

if TYPE_CHECKING:
    from dovetail.stability.monitor import Monitor


@dataclass(frozen=True)
class RunChoices:
    """How to run, as far as the caller says it; None is left to the file."""

    duration: float | None = None  # [s]
    step: float | None = None  # [s]
    contact: ContactMethod | str | None = None
    integrator: Integrator | str | None = None
    every: int | None = None  # steps between recorded frames
    step_control: StepControl | None = None
    monitor: "Monitor | None" = None

    def completed(self, run: RunSettings) -> "RunChoices":
        """With what the `run` section of a file says of the rest.

        A contact method given by its name takes the options that the file has for that method.
        """
        step = run.step if self.step is None else self.step
        control = self.step_control
        if control is None and run.large_step is not None and step is not None:
            control = LargeAndSmallSteps(run.large_step, step)
        return replace(
            self,
            duration=run.duration if self.duration is None else self.duration,
            step=step,
            contact=contact_of_run(self.contact, run),
            integrator=_integrator(self.integrator, run),
            every=run.every if self.every is None else self.every,
            step_control=control,
            monitor=_monitor() if self.monitor is None and run.monitor else self.monitor,
        )


def found_scene(
    scene: Any, choices: RunChoices, who: str, needed: tuple[str, ...]
) -> tuple[Any, RunChoices]:
    """The scene and how to run it, read from the file if `scene` names one.

    Args:
        scene: a `Scene`, or the path of a scene file.
        choices: what the caller says.
        who: the function called, for messages.
        needed: fields of `choices` that must be known in the end.
    """
    if not isinstance(scene, (str, PathLike)):
        missing = [f"`{name}`" for name in needed if getattr(choices, name) is None]
        if missing:
            raise OptionError([f"{who} needs {' and '.join(missing)}"])
        return scene, choices
    from dovetail.io import load_scene  # only where a file is named

    if not Path(scene).suffix and not Path(scene).exists():
        raise InputError(
            f"`scene` must be a dt.Scene or a scene file, and there is no file {str(scene)!r}; "
            f"of a built-in example take dt.examples.get({str(scene)!r}).build() and its RUN"
        )
    loaded = load_scene(scene)
    loaded.print_notes()
    choices = choices.completed(loaded.run)
    missing = [
        f"{scene}: the scene sets no `run.{name}`; add it there or give `{name}=` to {who}"
        for name in needed
        if getattr(choices, name) is None
    ]
    if missing:
        raise InputError(missing)
    return loaded.scene, choices


def contact_of_run(
    given: ContactMethod | str | None, run: RunSettings
) -> ContactMethod | str | None:
    """The contact method; 'none' where the call or the file says so."""
    if given is not None and not isinstance(given, str):
        return given
    said = given if given is not None or run.contact is None else run.contact.name
    return "none" if said == "none" else requested_contact(run, given)


def _integrator(given: Integrator | str | None, run: RunSettings) -> Integrator | str | None:
    return requested_integrator(run) if given is None else given


def _monitor() -> "Monitor":
    from dovetail.stability.monitor import Monitor  # with kernels that other runs do not need

    return Monitor()
