"""The snapshots of a run: what they predict, how their heads look, and the way back to them."""
