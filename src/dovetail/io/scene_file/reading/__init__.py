"""A document as a scene, in SI units, or every mistake in it as a sentence."""
