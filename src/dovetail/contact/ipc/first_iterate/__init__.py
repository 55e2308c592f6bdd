"""Where the minimisation of a step begins: with all contacts, linearised and solved for at once."""
