"""What a reader of a proof might take for granted and must not."""

from dovetail.model.frozen import KINEMATIC, Model


def notes_of(model: Model) -> tuple[str, ...]:
    """Of surfaces that bound no solid, and of bodies whose own motion is not examined."""
    notes = []
    for k, body in enumerate(model.bodies):
        diagnosis = getattr(body.shape, "diagnosis", None)
        if diagnosis is not None and len(body.surface.faces) and not diagnosis.closed:
            notes.append(
                f"{body.name!r} has an open surface ({diagnosis.boundary_edges} edges of one "
                "triangle): the proof is about its faces, and not about what lies between them"
            )
        if model.motion[k] == KINEMATIC:
            notes.append(
                f"{body.name!r} is kinematic: its motion in time is not part of the question"
            )
    return tuple(notes)
