"""Contacts as stiff springs whose forces are solved for at the end of a step."""
