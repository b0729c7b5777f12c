"""A model with a task head at work: what it predicts, and how well."""
