"""Looking inside: results as plain NumPy, the same for the window, the shell and a notebook."""
