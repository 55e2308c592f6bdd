"""Rigid multibody dynamics with frictional contact that can be trusted."""
