"""Surfaces as contact sees them: coplanar patches, features, containment."""
