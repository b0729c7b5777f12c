"""How `attention.py` is marked: likely mistakes, each as a function that makes it.

Its name is that of the gap, two underscores and what is wrong. Where an answer equals what it returns, its first
paragraph is shown, and the second for those who ask for a hint.
"""

import numpy as np


def _norm(x, axis=-1):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + 1e-12)


def _softmax(scores, axis=-1):
    shares = np.exp(scores - scores.max(axis, keepdims=True))
    return shares / shares.sum(axis, keepdims=True)


def _scores(query, key, allowed):
    return np.where(allowed, query @ key.T / np.sqrt(query.shape[1]), -1e9)


def layer_norm__columns(x, weight, bias):
    """The columns have mean 0, not the rows.

    Each token is normalised by itself: mean and variance go along the last side, `axis=-1, keepdims=True`.
    """
    return _norm(x, 0) * weight + bias


def layer_norm__whole(x, weight, bias):
    """All rows were normalised with the same mean.

    Each token has a mean and a variance of its own: `axis=-1, keepdims=True`.
    """
    return _norm(x, None) * weight + bias


def layer_norm__not_learned(x, weight, bias):
    """The rows have mean 0 and variance 1, but one step is missing.

    After that multiply by `weight` and add `bias`: they are learned.
    """
    return _norm(x)


def layer_norm__variance(x, weight, bias):
    """The rows have mean 0, but not variance 1.

    Divide by the square root of the variance, not by the variance.
    """
    return (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + 1e-12) * weight + bias


def layer_norm__mean_left(x, weight, bias):
    """The rows were divided, but their mean is not 0.

    Subtract the mean of each row before you divide.
    """
    return x / np.sqrt(x.var(-1, keepdims=True) + 1e-12) * weight + bias


def layer_norm__one_less(x, weight, bias):
    """Almost: the rows are a little too small, for their variance was divided by H - 1.

    Here it is the mean of the squares, divided by H: `x.var(axis=-1, keepdims=True)`, without `ddof`.
    """
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True, ddof=1) + 1e-12) * weight + bias


def layer_norm__large_addition(x, weight, bias):
    """Almost: the rows are a little too small, for what was added to the variance is not small enough.

    Add 1e-12, as BERT does; 1e-5 is what other models add.
    """
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * weight + bias


def embed__no_segment(token_ids, segment_ids, token_table, segment_table, position_table, weight, bias):
    """One of the three parts is missing: the model could not tell sentence A from sentence B.

    Add the row of `segment_table` for each of the `segment_ids`.
    """
    return _norm(token_table[token_ids] + position_table[: len(token_ids)]) * weight + bias


def embed__no_position(token_ids, segment_ids, token_table, segment_table, position_table, weight, bias):
    """One of the three parts is missing: the model could not tell in which order the words stand.

    Add the first S rows of `position_table`, one for each place.
    """
    return _norm(token_table[token_ids] + segment_table[segment_ids]) * weight + bias


def embed__token_alone(token_ids, segment_ids, token_table, segment_table, position_table, weight, bias):
    """Two of the three parts are missing.

    Add rows of `segment_table` and of `position_table` to those of `token_table`.
    """
    return _norm(token_table[token_ids]) * weight + bias


def embed__no_norm(token_ids, segment_ids, token_table, segment_table, position_table, weight, bias):
    """The sum of the three is right, but it is not yet what enters the model.

    Bring the sum to a common size: `layer_norm(sum, weight, bias)`.
    """
    return token_table[token_ids] + segment_table[segment_ids] + position_table[: len(token_ids)]


def embed__norm_of_token(token_ids, segment_ids, token_table, segment_table, position_table, weight, bias):
    """LayerNorm comes too early.

    Add up all three parts first, then normalise the sum.
    """
    rest = segment_table[segment_ids] + position_table[: len(token_ids)]
    return _norm(token_table[token_ids]) * weight + bias + rest


def embed__position_by_id(token_ids, segment_ids, token_table, segment_table, position_table, weight, bias):
    """The position part does not follow from where the token stands.

    The first token gets row 0 of `position_table`, the next row 1: whichever words they are.
    """
    found = token_table[token_ids] + segment_table[segment_ids] + position_table[token_ids % len(position_table)]
    return _norm(found) * weight + bias


def embed__position_from_1(token_ids, segment_ids, token_table, segment_table, position_table, weight, bias):
    """The position part is that of the place next to it.

    The first token gets row 0 of `position_table`.
    """
    found = token_table[token_ids] + segment_table[segment_ids] + position_table[1 : len(token_ids) + 1]
    return _norm(found) * weight + bias


def attention_weights__no_root(query, key, allowed):
    """The rows add up to 1, but they are too sharp: almost all of the attention is on one token.

    Divide the scores by the square root of D before the softmax, so that they stay moderate.
    """
    return _softmax(np.where(allowed, query @ key.T, -1e9))


def attention_weights__by_d(query, key, allowed):
    """The rows add up to 1, but they are too even.

    Divide the scores by the square root of D, not by D.
    """
    return _softmax(np.where(allowed, query @ key.T / query.shape[1], -1e9))


def attention_weights__by_root_of_s(query, key, allowed):
    """The rows add up to 1, but the scores were divided by another number.

    Divide by the square root of D, the length of a query: `query.shape[1]`, not of how many tokens there are.
    """
    return _softmax(np.where(allowed, query @ key.T / np.sqrt(len(query)), -1e9))


def attention_weights__columns(query, key, allowed):
    """The columns add up to 1, not the rows.

    Each token that looks gives away its own attention: the softmax goes along the last side, `axis=-1, keepdims=True`.
    """
    return _softmax(_scores(query, key, allowed), 0)


def attention_weights__whole(query, key, allowed):
    """All weights together add up to 1, not each row.

    The softmax is of each row by itself: `axis=-1, keepdims=True`.
    """
    return _softmax(_scores(query, key, allowed), None)


def attention_weights__no_mask(query, key, allowed):
    """Some of the attention goes to padding.

    Where `allowed` is False, set the score to a very low number, such as -1e9, before the softmax.
    """
    return _softmax(query @ key.T / np.sqrt(query.shape[1]))


def attention_weights__mask_after(query, key, allowed):
    """Nobody looks at padding, but now the rows do not add up to 1.

    The mask comes before the softmax: what is set to 0 after it is missing from the row.
    """
    return _softmax(query @ key.T / np.sqrt(query.shape[1])) * allowed


def attention_weights__mask_of_zero(query, key, allowed):
    """Some of the attention goes to padding: a score of 0 is not low, e to the power of 0 is 1.

    Set the score to a very low number where `allowed` is False, such as -1e9.
    """
    return _softmax(query @ key.T / np.sqrt(query.shape[1]) * allowed)


def attention_weights__mask_of_rows(query, key, allowed):
    """The mask is on the rows: padding does not look, but is looked at.

    `allowed` is about what is looked at, the columns: `np.where(allowed, scores, -1e9)`.
    """
    return _softmax(np.where(allowed[:, None], query @ key.T / np.sqrt(query.shape[1]), -1e9))


def attention_weights__swapped(query, key, allowed):
    """Rows and columns have changed places.

    The row is the token that looks: its query, multiplied by the keys of all, `query @ key.T`.
    """
    return _softmax(_scores(key, query, allowed))


def attention_weights__root_after(query, key, allowed):
    """The rows do not add up to 1: they were divided after the softmax.

    Divide the scores by the square root of D before the softmax.
    """
    return _softmax(np.where(allowed, query @ key.T, -1e9)) / np.sqrt(query.shape[1])


def attention_weights__scores(query, key, allowed):
    """These are the scores, not yet shares.

    Take the softmax of each row: e to the power of each score, divided by the sum of the row.
    """
    return _scores(query, key, allowed)


def attend__columns(weights, value):
    """The weights of the columns were used, not those of the rows.

    Row i of `weights` says how much token i takes of each value: `weights @ value`, without `.T`.
    """
    return weights.T @ value


def attend__mean(weights, value):
    """Each token got the mean of what it picks up, not the sum.

    The weights of a row add up to 1 already: do not divide once more.
    """
    return weights @ value / len(value)
