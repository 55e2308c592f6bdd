"""Equality constraints between joints or fixed tendons as couplings."""

import numpy as np
from numpy.polynomial import Polynomial

from dovetail.io.mjcf.compiled import Compiled
from dovetail.io.mjcf.joints import HINGE, SLIDE, joint_name
from dovetail.io.mjcf.tendons import fixed_terms
from dovetail.model.couplings import Coupling
from dovetail.model.scene import Scene
from dovetail.model.values import Array

TENDON = 3  # mjtEq
PULLED = 1e-3  # [m, rad] what starts further off is said to be closed at the start


def couple(
    compiled: Compiled, number: int, name: str, scene: Scene, left_out: list[str]
) -> list[str]:
    """One that follows another: y - y_0 = a_0 + a_1 (x - x_0) + ... + a_4 (x - x_0)^4.

    y_0 and x_0 are the values at `qpos0`. With y_s and x_s those of the start, our coordinates are
    y - y_s and x - x_s, and the polynomial is taken about x_s - x_0. Returns notes.
    """
    model = compiled.model
    of_tendons = int(model.eq_type[number]) == TENDON
    ends = (int(model.eq_obj1id[number]), int(model.eq_obj2id[number]))
    follower, leader = (_summed(compiled, end, of_tendons) if end >= 0 else {} for end in ends)
    if follower is None or leader is None:
        left_out.append(f"equality {name} (it couples what is no sum of joint coordinates)")
        return []
    shift = _value(leader, compiled.data.qpos, compiled) - _value(leader, model.qpos0, compiled)
    about = Polynomial(model.eq_data[number, :5])(Polynomial([shift, 1.0])).coef
    about = np.concatenate((about, np.zeros(5)))[:5]
    if len(leader) > 1 and np.any(about[2:]):
        left_out.append(f"equality {name} (a polynomial of a tendon)")
        return []
    terms: dict[str, float | tuple[float, ...]] = {
        joint_name(compiled, joint): c for joint, c in follower.items()
    }
    for joint, c in leader.items():
        rates = tuple(-float(about[k]) * c**k for k in range(1, 5))
        terms[joint_name(compiled, joint)] = rates if any(rates[1:]) else rates[0]
    moved = _value(follower, compiled.data.qpos, compiled)
    offset = float(about[0]) - (moved - _value(follower, model.qpos0, compiled))
    scene.add_coupling(_free_name(name, scene), Coupling(terms, offset=offset))
    if abs(offset) > PULLED:
        return [f"equality {name} starts {abs(offset):.3g} m or rad off and is closed at the start"]
    return []


def _summed(compiled: Compiled, number: int, is_tendon: bool) -> dict[int, float] | None:
    if is_tendon:
        return fixed_terms(compiled, number)
    kind = int(compiled.model.jnt_type[number])
    return {number: 1.0} if kind in (HINGE, SLIDE) else None


def _value(terms: dict[int, float], q: Array, compiled: Compiled) -> float:
    return sum(c * float(q[compiled.model.jnt_qposadr[j]]) for j, c in terms.items())


def _free_name(name: str, scene: Scene) -> str:
    found, count = name, 1
    while found in scene.couplings:
        count += 1
        found = f"{name[:180]}-{count}"
    return found
