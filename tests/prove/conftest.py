"""Lets tests in the folders below import the assemblies that lie beside this file."""
