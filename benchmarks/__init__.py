"""Speed, as ratios against a named peer in one process run: `make bench`."""
