"""What is measured of a pretrained model: held-out text, a cloze set, minimal pairs, and what its heads do."""
