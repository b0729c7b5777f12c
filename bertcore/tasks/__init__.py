"""Tasks: their files, examples, features, answers and metrics."""
