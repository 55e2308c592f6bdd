"""Numbers of the docking study: those of Zhang, You and Liu 2024, and those they leave open."""

from dataclasses import dataclass

G_MM2 = 1e-6  # kg mm^2 in kg m^2


@dataclass(frozen=True)
class Inertia:
    """Mass [kg] and principal moments [kg m^2]."""

    mass: float
    moments: tuple[float, float, float]


def _in_mm(mass: float, *moments: float) -> Inertia:
    return Inertia(mass, (moments[0] * G_MM2, moments[1] * G_MM2, moments[2] * G_MM2))


ACTIVE_VEHICLE = _in_mm(7.9e3, 8.6e9, 4.3e10, 4.1e10)
LEG = _in_mm(0.21, 33.48, 4.7e3, 4.7e3)  # x along the leg
# printed as 1.4e7 about x, more than the other two together, which no body can have; 1.37e7 is the
# largest possible and rounds to it
ACTIVE_RING = _in_mm(47.5, 1.37e7, 6.9e6, 6.8e6)
LATCH = _in_mm(0.063, 32.24, 49.30, 54.66)  # x along the axis, y radial
PASSIVE_VEHICLE = _in_mm(8.6e3, 1.3e10, 7.9e10, 7.9e10)


@dataclass(frozen=True)
class Docking:
    """The whole study in SI units; x is the axis of docking. Table 1 and section 4.3, then ours."""

    active_vehicle: Inertia = ACTIVE_VEHICLE
    leg: Inertia = LEG
    active_ring: Inertia = ACTIVE_RING
    latch: Inertia = LATCH
    passive_vehicle: Inertia = PASSIVE_VEHICLE
    speed: float = 0.040  # [m/s] of approach
    leg_stiffness: float = 1.5e7  # [N/m]
    latch_contact: float = 2.0e6  # [N/m] of a point, latch against striker
    ring_contact: float = 3.0e6  # [N/m] of a point, ring against ring
    friction: tuple[float, float, float, float] = (0.3, 0.2, 5e-3, 1e-2)  # mu_s, mu_d, v_s, v_d

    # not published
    gap: float = 0.100  # [m] between the rings at the start: they meet after gap / speed
    latch_stiffness: float = 600.0  # [N/m] of the spring that holds a latch in the ring
    latch_damping: float = 6.0  # [N s/m] beside it, half of critical
    radius: float = 0.58  # [m] of the active ring's front edge
    cone_angle: float = 30.0  # [degrees] of the passive ring's inner face to the axis
    segments: int = 48  # of the rings
    play: float = 0.5e-3  # [m] a latched striker can move before it pulls
    offset: tuple[float, float] = (0.0, 0.0)  # [m] of the passive vehicle across the axis
    light_legs: bool = False  # legs without mass: springs between vehicle and ring
    latches_lifted: bool = False  # at the start, onto the strikers they are about to fall behind

    @property
    def common_velocity(self) -> float:
        """[m/s] along x, of everything once docked: momentum over mass."""
        moving = self.active_vehicle.mass + self.active_ring.mass
        moving += 6 * self.leg.mass + 3 * self.latch.mass
        return -self.speed * self.passive_vehicle.mass / (moving + self.passive_vehicle.mass)
