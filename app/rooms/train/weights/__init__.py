"""How the weights move, and slow motion."""
