"""Compiled inner loops: how they are compiled, cached and given arrays; imports nothing above."""
