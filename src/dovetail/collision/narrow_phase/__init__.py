"""Contacts of pairs of bodies: vertex against face, edge against edge."""
