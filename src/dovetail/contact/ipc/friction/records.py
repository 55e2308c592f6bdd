"""What friction reads and writes, as arrays: the lagged contacts and the presliding state."""

from typing import NamedTuple

import numpy as np

from dovetail.contact.ipc.friction.coefficients import FrictionLaws
from dovetail.runtime.records import FloatArray, Int32Array, Int64Array, bundler

# Columns of `LaggedContacts.rows`; vectors take three from theirs on.
POINT_A, POINT_B = 0, 3  # [m] contact points from the centres of a and b, body axes
START_A, START_B = 6, 9  # [m] the same in world axes at the start of the step
NORMAL = 12  # unit, from b to a
PRESLIDING = 15  # [m] e, the presliding displacement at the start of the step
LIMIT = 18  # [kg m] h^2 mu lambda
EPS = 19  # [m] length of the presliding displacement at which the contact slips
SHARE = 20  # of the contact, below 1 where contacts of several laggings are mixed
FORCE = 21  # [kg m] h^2 times the friction force on a at the end of the step
CONTACT_COLUMNS = 24

FIELD_COLUMNS = 6  # s [m] and w [rad] of a presliding field, see `friction.presliding_field`
FIT_SIZE = 27  # 21 of a symmetric 6x6 matrix by rows, 6 of the right side


class LaggedContacts(NamedTuple):
    """Contacts whose points, normals and normal forces stay fixed during a solve."""

    n_contacts: Int64Array  # (1,)
    needed: Int64Array  # (1,) contacts there were in a solve that had memory for fewer
    rows: FloatArray  # (c, CONTACT_COLUMNS)
    bodies: Int32Array  # (c, 2) a < b


class PreslidingState(NamedTuple):
    """What sticking contacts carry from one step to the next, by pair of bodies."""

    n_pairs: Int64Array  # (1,)
    pairs: Int32Array  # (q, 2) a < b, ascending
    fields: FloatArray  # (q, FIELD_COLUMNS)
    next_pairs: Int32Array  # (q, 2) workspace: those of the step's end
    next_fields: FloatArray  # (q, FIELD_COLUMNS)
    fit: FloatArray  # (FIT_SIZE,) workspace


class LaggingSettings(NamedTuple):
    """Set before each step."""

    eps: FloatArray  # (1,) [m]
    max_laggings: Int64Array  # (1,) solves at most in a step


class FrictionReport(NamedTuple):
    """What the last step says of its friction."""

    sticking_speed: FloatArray  # (1,) [m/s] of the fastest contact of pairs that stick
    slipping_speed: FloatArray  # (1,) [m/s] of the fastest contact that slips
    n_laggings: Int64Array  # (1,) solves
    converged: Int64Array  # (1,) whether the last of them moved nothing


class FrictionArrays(NamedTuple):
    """Friction of one run."""

    laws: FrictionLaws
    contacts: LaggedContacts
    presliding: PreslidingState
    settings: LaggingSettings
    report: FrictionReport
    stiffening: FloatArray  # (1,) how much Newton's method stiffens slipping contacts, 0 to 1


bundle_friction = bundler(FrictionArrays)


def empty_friction(laws: FrictionLaws, contacts: int) -> FrictionArrays:
    """Arrays with memory for so many contacts."""
    return FrictionArrays(
        laws,
        LaggedContacts(
            np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros((contacts, CONTACT_COLUMNS)),
            np.zeros((contacts, 2), np.int32),
        ),
        PreslidingState(
            np.zeros(1, np.int64), np.zeros((contacts, 2), np.int32),
            np.zeros((contacts, FIELD_COLUMNS)), np.zeros((contacts, 2), np.int32),
            np.zeros((contacts, FIELD_COLUMNS)), np.zeros(FIT_SIZE),
        ),
        LaggingSettings(np.zeros(1), np.zeros(1, np.int64)),
        FrictionReport(np.zeros(1), np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.int64)),
        stiffening=np.zeros(1),
    )  # fmt: skip
