"""Text to tokens and back, for every family."""

VOCABULARIES = ("wordpiece", "bpe", "words")  # kinds that can be learned from text
LEAST_BPE = 261  # entries of a byte-level vocabulary: every byte, and five special tokens
