"""Papers reproduced and speed measured; nothing of the product imports this."""
