"""The forms that start a run, and what they say of its data before the start."""
