"""A solution of the exercise `attention.py`."""

import numpy as np


def layer_norm(x, weight, bias):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12) * weight + bias


def embed(token_ids, segment_ids, token_table, segment_table, position_table, weight, bias):
    added = token_table[token_ids] + segment_table[segment_ids] + position_table[np.arange(len(token_ids))]
    return layer_norm(added, weight, bias)


def attention_weights(query, key, allowed):
    weights = []
    for one in query:  # row by row, to be sure that loops are as good
        scores = np.array([one @ other for other in key]) / np.sqrt(len(one))
        shares = np.where(allowed, np.exp(scores), 0)
        weights.append(shares / shares.sum())
    return np.array(weights)


def attend(weights, value):
    return (weights[:, :, None] * value).sum(axis=1)
