"""Room Map: the whole model for this text in one picture."""
