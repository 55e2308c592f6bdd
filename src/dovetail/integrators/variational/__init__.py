"""The step of the variational schemes DH, DL and RATTLie."""
