"""Papers reproduced and speed measured; only the command imports it."""
