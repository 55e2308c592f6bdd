"""The columns of the parameters of compliant contact."""

# columns of the parameters of a pair, (n_pairs, N_COMPLIANT): k [N/m^n], n, tau [s], friction
# coefficients and their speeds [m/s], e; what bounds a derived k in steps of h (`stiffness_at`):
# CAP [kg] k h^2, 0 of a given k, ARREST [kg/s] k h; RECOVERY [m/s] at which overlaps part
(
    STIFFNESS, EXPONENT, RELAXATION, MU_S, MU_D, V_S, V_D, RESTITUTION, CAP, RECOVERY, ARREST,
) = range(11)  # fmt: skip
N_COMPLIANT = 11

# rows of the energies of pairs [J], (3, n_pairs): put in by motion, of springs before and after
STORED, START, END = range(3)
