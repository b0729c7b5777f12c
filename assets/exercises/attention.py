"""Write it yourself: from token ids to attention.

Four functions have a gap: take out `raise NotImplementedError` and write what is missing. NumPy is all you need.
To have the file marked against the numbers of the built-in model:

    bertscope lesson check attention.py

S: tokens of the text, H: numbers of a hidden state, D: numbers of one head, V: entries of the vocabulary.
"""

import numpy as np


def layer_norm(x, weight, bias):
    """Bring each row to mean 0 and variance 1, then stretch and shift it.

    x: (S,H), one row for each token; weight, bias: (H). Returns (S,H).
    Add 1e-12 to the variance, so that nothing is divided by 0.
    """
    raise NotImplementedError


def embed(token_ids, segment_ids, token_table, segment_table, position_table, weight, bias):
    """What enters the model: token + segment + position, then LayerNorm.

    token_ids, segment_ids: (S), whole numbers. token_table: (V,H), one row for each entry of the vocabulary;
    segment_table: (2,H); position_table: (512,H), row 0 for the first token. weight, bias: (H), of the LayerNorm.
    Returns (S,H). You may use your `layer_norm`.
    """
    raise NotImplementedError


def attention_weights(query, key, allowed):
    """How much each token looks at each other one, in one head.

    query, key: (S,D). allowed: (S), True for tokens and False for padding, which nobody may look at.
    Returns (S,S): the row is the token that looks, the column what it looks at. Each row adds up to 1.
    """
    raise NotImplementedError


def attend(weights, value):
    """What each token picks up: the values of all tokens, mixed by its weights.

    weights: (S,S), as `attention_weights` returns them; value: (S,D). Returns (S,D).
    """
    raise NotImplementedError
