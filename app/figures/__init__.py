"""Pictures and their numbers, as files."""
