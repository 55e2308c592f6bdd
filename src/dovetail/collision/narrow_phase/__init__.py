"""Narrow phase: contact points of pairs of bodies, vertex against face and edge against edge."""
