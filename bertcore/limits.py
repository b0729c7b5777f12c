"""The most that a file from elsewhere may ask of memory and time, and why so much. No torch.

Chosen well above what published models and data sets need, and low enough that no file takes more than some 500 MB
beyond what it is about. A packed file of a few kilobytes can hold gigabytes: what counts is what it unpacks to.
Those of JSON are in json_text.py and files.py.
"""

MIB = 2**20

# --- text to pretrain on: read piece by piece, so there is no limit to a file ---
LINE_BYTES = 16 * MIB  # a book in one JSON record; Cyrillic or Chinese escaped as \uXXXX takes six bytes a letter
DOCUMENT_CHARACTERS = 8 * MIB  # "War and Peace" has 3.2 million, the works of Shakespeare 5.5 million
DOCUMENT_PARAGRAPHS = 1_000_000  # one-word lines included
PIECE_CHARACTERS = MIB  # a longer paragraph is tokenised in pieces: the library takes some 40 bytes a character
XZ_BYTES = 128 * MIB  # of memory to unpack with: twice what `xz -9` needs
ZSTANDARD_WINDOW = 128 * MIB  # as the zstd program; `--long` asks for more, which large files may have:
ZSTANDARD_WINDOW_SHARE = 8  # up to so many times the packed file
LARGEST_ZSTANDARD_WINDOW = 2**31  # of the format, `--long=31`

# --- task files: all examples are held in memory ---
TASK_LINE_BYTES = 4 * MIB  # a long document as one line of JSON has a tenth of that
TASK_FILE_BYTES = 96 * MIB  # unpacked; MNLI, the largest of GLUE, has 75 MB, SQuAD 2.0 has 42
TASK_LINES = 1_500_000  # rows, or words in a CoNLL file: QQP has 364 thousand rows, OntoNotes 1.3 million words
JSON_VALUES = 3_000_000  # in a file that is one JSON value, some 100 bytes each; SQuAD 2.0 has 1.5 million
MOST_LISTED_TEXTS = 10_000  # of a list to score, one forward pass for each token; templates expanded
CONFUSION_LABELS = 200  # a confusion matrix has a number for each pair of labels: 40,000

# --- checkpoints ---
HEADER_BYTES = 16 * MIB  # of a safetensors file: names and shapes of some 100,000 tensors; BERT-large has 400

# --- tokenizers ---
TOKENIZER_BYTES = 64 * MIB  # XLM-RoBERTa's tokenizer.json, of 250,000 tokens, has 17 MB
VOCABULARY_BYTES = 32 * MIB  # of a vocab.txt or merges.txt; that of LaBSE, with 500,000 tokens, has 5 MB
ADDED_TOKENS = 100_000  # published ones add some hundreds
STEPS = 32  # of a normalizer or a pre-tokenizer; ALBERT's has 6
TEXT_GROWTH = 200.0  # how many times longer they may make a text; SentencePiece's own rules reach 18 (U+FDFA)
WORD_CHARACTERS = 10_000  # WordPiece: time grows with the square of a word's length; BERT's has 100
TEMPLATE_PIECES = 64  # special tokens and texts of a template; RoBERTa's pair has 6
UNTRIED_BYTES = 8 * MIB  # a larger tokenizer.json is tried in a process of its own first

# --- what is tried in a process of its own (trial.py): such a tokenizer, a Parquet file, a pytorch_model.bin ---
TRIAL_BYTES = 1024 * MIB  # of memory
TRIAL_SECONDS = 20  # of a core
