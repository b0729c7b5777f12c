"""One run: its strips, numbers, and result."""
