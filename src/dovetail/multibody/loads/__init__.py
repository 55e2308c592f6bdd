"""Forces that do not come from contact or joints: gravity, springs, user functions."""
