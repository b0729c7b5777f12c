"""Task files: the classic tasks, and a reader for each layout that their files come in. Imports no torch."""
