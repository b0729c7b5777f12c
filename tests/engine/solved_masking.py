"""A solution of the exercise `masking.py`."""

import numpy as np

SHARE = 0.15


def choose(is_special, rng):
    places = np.flatnonzero(~is_special)
    found = np.zeros(len(is_special), dtype=bool)
    found[rng.permutation(places)[: max(1, round(SHARE * len(places)))]] = True
    return found


def hide(ids, chosen, mask_id, words, rng):
    seen = ids.copy()
    for place in np.flatnonzero(chosen):
        fate = rng.random()
        if fate < 0.8:
            seen[place] = mask_id
        elif fate < 0.9:
            seen[place] = rng.choice(words)
    return seen
