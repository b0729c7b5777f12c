"""A batch of a run as the model read it."""
