"""The `run` section of a document as settings, in SI units."""

from inspect import signature
from typing import Any

from dovetail.contact.registries import METHODS
from dovetail.io.run_settings import Choice, RunSettings
from dovetail.io.scene_file.reading.in_si import friction_in_si, in_si, refuse_other_units
from dovetail.io.scene_file.reading.mistakes import closest, field_path
from dovetail.io.scene_file.schema.run import ContactEntry, IntegratorEntry, RunEntry
from dovetail.io.scene_file.units import DAMPING, Units
from dovetail.model.values import quote

DEFAULT_EXPONENT = 1.5  # of the force law delta^n, unless `exponent` says otherwise


def run_settings(entry: RunEntry | None, units: Units) -> RunSettings:
    if entry is None:
        return RunSettings()
    run = in_si(entry, units)
    integrator = run.integrator
    if isinstance(integrator, IntegratorEntry):
        method: Choice | None = Choice(integrator.name, dict(integrator.options))
    else:
        method = Choice(integrator) if integrator is not None else None
    return RunSettings(
        duration=run.duration,
        step=run.step,
        large_step=run.large_step,
        every=run.every,
        integrator=method,
        contact=None if run.contact is None else _contact(run.contact, units),
        monitor=run.monitor,
    )


def contact_exponent(entry: RunEntry | None) -> float:
    """n of a contact stiffness in force / length^n."""
    contact = entry.contact if entry is not None else None
    if isinstance(contact, str):
        return DEFAULT_EXPONENT
    return DEFAULT_EXPONENT if contact is None or contact.exponent is None else contact.exponent


def _contact(entry: ContactEntry | str, units: Units) -> Choice:
    if isinstance(entry, str):
        return Choice(entry)
    options: dict[str, Any] = {
        name: getattr(entry, name)
        for name in type(entry).model_fields
        if name != "method" and name in entry.model_fields_set
    } | dict(entry.model_extra or {})
    for name, value in options.items():
        refuse_other_units(value, f"{quote(name)} of `run.contact`", units)
    if "friction" in options:
        options["friction"] = friction_in_si(options["friction"], units)
    if "stiffness" in options:
        exponent = entry.exponent or DEFAULT_EXPONENT
        options["stiffness"] = units.stiffness_to_si(options["stiffness"], exponent)
    if "damping" in options:
        options["damping"] = units.to_si(options["damping"], DAMPING)
    return Choice(entry.method, options)


def unknown_options(contact: Any) -> list[str]:
    """Contact options, as written, that no method has or that resemble one of this method.

    Those of another method are left to the run, which may be asked to use that one.
    """
    method = contact.get("method") if isinstance(contact, dict) else None
    if not isinstance(method, str) or method not in METHODS:
        return []
    known = _options(method)
    unknown = [key for key in contact if isinstance(key, str) and key not in ("method", *known)]
    found = []
    for key in unknown:
        close = closest(key, known, alike=0.75)
        if close or not any(key in _options(other) for other in METHODS):
            path = field_path(("run", "contact", key))
            hint = f"did you mean `{close}`?" if close else f"known keys: {', '.join(known)}"
            found.append(f"`{path}` is not a key here; {hint}")
    return found


def _options(method: str) -> list[str]:
    """The arguments of a contact method's constructor."""
    return list(signature(METHODS.get(method)).parameters)
