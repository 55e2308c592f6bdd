"""The warning of bodies that are too deep inside each other."""

DEEP = 0.01  # of the smaller body: from here on the user is warned


class PenetrationWarning(UserWarning):
    """Bodies are further inside each other than a force law should let them."""
