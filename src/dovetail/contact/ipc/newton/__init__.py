"""The Newton solver of one step: system, Hessian projection, iterations."""
