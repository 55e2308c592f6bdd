"""The columns of the parameters of compliant contact."""

# columns of the parameters of a pair, (n_pairs, N_COMPLIANT)
STIFFNESS, EXPONENT, RELAXATION, MU_S, MU_D, V_S, V_D, RESTITUTION, CAP, RECOVERY = range(10)
N_COMPLIANT = 10

# rows of the energies of pairs [J], (3, n_pairs): put in by motion, of springs before and after
STORED, START, END = range(3)
