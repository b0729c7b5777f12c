"""Text to tokens and back, for every family."""
