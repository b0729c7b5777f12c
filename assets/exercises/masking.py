"""Write it yourself: how words are hidden while BERT is trained.

Two functions have a gap: take out `raise NotImplementedError` and write what is missing. NumPy is all you need.
To have the file marked against what the trainer does:

    bertscope lesson check masking.py

Each function is called 2000 times, and the shares are counted. S: tokens of the text.
`rng` is a NumPy generator: `rng.random(5)` is five numbers from 0 to 1, `rng.choice(places, 3, replace=False)` three
different ones of an array, `rng.integers(0, 9)` a whole number from 0 to 8.
"""

import numpy as np

SHARE = 0.15  # of the words, to be predicted


def choose(is_special, rng):
    """Which tokens the model has to predict: 15% of the words, rounded to a whole number, and at least one.

    is_special: (S), True for [CLS], [SEP] and [PAD], which are never chosen. Returns (S): True where chosen.
    """
    raise NotImplementedError


def hide(ids, chosen, mask_id, words, rng):
    """What the model sees in place of the chosen tokens: in 80% [MASK], in 10% a random word, in 10% the token itself.

    Each chosen token has a fate of its own. ids: (S), whole numbers; chosen: (S), True or False; mask_id: the id of
    [MASK]; words: the ids that a random word may have. Returns (S), a new array.
    """
    raise NotImplementedError
