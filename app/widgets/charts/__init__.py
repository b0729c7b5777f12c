"""Pictures of numbers, which mouse, keyboard and screen readers can read."""
