"""The window: frame, commands, sessions, settings, what is saved."""
