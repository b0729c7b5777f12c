"""The runs that there are, and what can be done with them."""
