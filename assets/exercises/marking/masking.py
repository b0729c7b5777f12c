"""How `masking.py` is marked: what is counted in 2000 draws, and likely mistakes, as in `attention.py` beside it.

The function with the name of a gap alone says what is counted: `answers` (2000,S), and what the gap was given.
"""

import numpy as np


def choose(answers, is_special):
    counts = answers[:, ~is_special].mean(0)  # how often each word is chosen
    return np.array([counts.mean(), answers[:, is_special].mean(), counts.min(), (~answers.any(1)).mean()])


def choose__specials(is_special, rng):
    """[CLS], [SEP] and padding are chosen, too.

    Choose from the places where `is_special` is False, `np.flatnonzero(~is_special)`: 15% of how many those are.
    """
    return _at(len(is_special), rng.choice(len(is_special), round(0.15 * len(is_special)), replace=False))


def choose__of_all(is_special, rng):
    """Only words are chosen, but too many: the 15% were counted of all tokens.

    Take 15% of how many words there are: `(~is_special).sum()`.
    """
    words = np.flatnonzero(~is_special)
    return _at(len(is_special), rng.choice(words, round(0.15 * len(is_special)), replace=False))


def choose__first(is_special, rng):
    """In every draw the same words are chosen.

    Choose them by chance: `rng.choice(places, count, replace=False)`.
    """
    words = np.flatnonzero(~is_special)
    return _at(len(is_special), words[: round(0.15 * len(words))])


def choose__each_by_itself(is_special, rng):
    """The shares are right, but in some draws nothing is chosen.

    Choose a fixed number of words, `max(1, round(...))`, in place of asking for each word by itself.
    """
    return (rng.random(len(is_special)) < 0.15) & ~is_special


def choose__one(is_special, rng):
    """Too few are chosen: one word in each draw.

    At least one, but 15% of the words: `max(1, round(0.15 * (~is_special).sum()))`.
    """
    return _at(len(is_special), rng.choice(np.flatnonzero(~is_special), 1))


def hide(answers, ids, chosen, mask_id, words):
    seen, own = answers[:, chosen], ids[chosen]
    is_mask, is_own = seen == mask_id, seen == own
    other = seen[~is_mask & ~is_own]
    of_one_fate = (is_mask.all(1) | is_own.all(1) | ~(is_mask | is_own).any(1)).mean()
    is_word, different = np.isin(other, words), len(np.unique(other)) / max(len(other), 1)
    shares = [is_mask.mean(), is_own.mean(), (answers != ids)[:, ~chosen].mean(), of_one_fate]
    return np.array([*shares, is_word.mean() if len(other) else 1.0, different > 0.5])


def hide__all_masks(ids, chosen, mask_id, words, rng):
    """All that is chosen became [MASK].

    That is right for 80% of them. 10% become a random word, 10% stay: the model must not rely on [MASK] being there.
    """
    return np.where(chosen, mask_id, ids)


def hide__of_all(ids, chosen, mask_id, words, rng):
    """Tokens changed that are not chosen: the shares were taken of all tokens.

    80, 10 and 10% are shares of what is chosen; all other tokens stay as they are.
    """
    return _fates(ids, np.ones_like(chosen), mask_id, words, rng)


def hide__no_words(ids, chosen, mask_id, words, rng):
    """80% became [MASK], but no random words are put in.

    Half of the other 20% become a random word: `rng.choice(words)`.
    """
    return np.where(chosen & (rng.random(len(ids)) < 0.8), mask_id, ids)


def hide__none_stays(ids, chosen, mask_id, words, rng):
    """80% became [MASK], but none of the others stayed.

    Only half of the other 20% become a random word.
    """
    fate = rng.random(len(ids))
    return np.where(chosen, np.where(fate < 0.8, mask_id, rng.choice(words, len(ids))), ids)


def hide__drawn_twice(ids, chosen, mask_id, words, rng):
    """Too many stayed: the 10% for random words were drawn anew, from what is left.

    Draw one number for each token: below 0.8 [MASK], from there to 0.9 a random word, else the token itself.
    """
    is_word = chosen & (rng.random(len(ids)) < 0.1)
    masked = chosen & (rng.random(len(ids)) < 0.8)
    return np.where(masked, mask_id, np.where(is_word, rng.choice(words, len(ids)), ids))


def hide__masked_then_words(ids, chosen, mask_id, words, rng):
    """Too few became [MASK]: the random words were put in after it, and took some of its place.

    Draw one number for each token: below 0.8 [MASK], from there to 0.9 a random word, else the token itself.
    """
    masked = np.where(chosen & (rng.random(len(ids)) < 0.8), mask_id, ids)
    return np.where(chosen & (rng.random(len(ids)) < 0.1), rng.choice(words, len(ids)), masked)


def hide__one_fate(ids, chosen, mask_id, words, rng):
    """The shares are right, but all chosen tokens of a text share one fate.

    Draw a number for each token: `rng.random(len(ids))`.
    """
    fate = np.full(len(ids), rng.random())
    return np.where(chosen & (fate < 0.8), mask_id, np.where(chosen & (fate < 0.9), rng.choice(words, len(ids)), ids))


def hide__same_word(ids, chosen, mask_id, words, rng):
    """The random words are not random: they are always the same.

    Draw a new one each time: `rng.choice(words)`.
    """
    fate = rng.random(len(ids))
    return np.where(chosen & (fate < 0.8), mask_id, np.where(chosen & (fate < 0.9), words[0], ids))


def _at(count, places):
    found = np.zeros(count, dtype=bool)
    found[places] = True
    return found


def _fates(ids, chosen, mask_id, words, rng):
    fate = rng.random(len(ids))
    other = np.where(fate < 0.9, rng.choice(words, len(ids)), ids)
    return np.where(chosen, np.where(fate < 0.8, mask_id, other), ids)
