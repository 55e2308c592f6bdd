"""Contacts of one body's features in the signed distance field of another."""
