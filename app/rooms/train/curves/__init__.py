"""The curves of a run, of one or of several."""
