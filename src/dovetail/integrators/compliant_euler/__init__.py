"""Semi-implicit Euler with compliant contact: stiff springs solved for with joints and friction."""
