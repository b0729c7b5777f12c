"""What a pretraining run can choose in how it reads its text. Costs nothing to import."""

MASKINGS = ("tokens", "words", "spans")
PAIRS = ("nsp", "sop", "none")
