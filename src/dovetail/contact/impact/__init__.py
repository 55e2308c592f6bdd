"""Impact law of all contact methods: coefficients of Newton and Poisson, in generations."""
