"""The worker thread, and the only code of the window that reaches torch."""
