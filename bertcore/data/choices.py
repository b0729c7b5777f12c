"""What a pretraining run can choose in how it reads its text. Costs nothing to import."""

VOCABULARIES = ("wordpiece", "bpe", "words")
LEAST_BPE = 261  # entries: every byte, and five special tokens
MASKINGS = ("tokens", "words", "spans")
PAIRS = ("nsp", "sop", "none")
