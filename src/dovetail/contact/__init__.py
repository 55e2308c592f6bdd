"""How hard: the contact methods and the three kinds of law they follow."""
