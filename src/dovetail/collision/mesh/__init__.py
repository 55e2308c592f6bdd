"""Surfaces as contact sees them: coplanar patches, features, what is inside."""
