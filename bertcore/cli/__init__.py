"""The shell: thin commands over the engine."""
