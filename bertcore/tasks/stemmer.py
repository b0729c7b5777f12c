"""The stem of an English word: Porter (1980), "An algorithm for suffix stripping", as ROUGE is computed with.

With the changes that NLTK made ("tries" and "try" both become "tri"), because rouge-score stems with NLTK.
"""

from functools import lru_cache

_IRREGULAR = {
    "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "innings": "inning", "outings": "outing",
    "cannings": "canning",
    **{word: word for word in ("sky", "news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")},
}  # fmt: skip
# Of the suffixes that a word ends in, the first in the list decides, whether or not the rest is long enough.
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful"), ("logi", "log"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip


@lru_cache(1 << 16)
def stem(word: str) -> str:
    """Of a word in lower case."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _without_plural(word)
    word = _without_past(word)
    if word.endswith("y") and len(word) > 2 and _kinds(word)[-2] == "c":
        word = word[:-1] + "i"
    word = _step_2(word)
    word = _replaced(word, _STEP_3)
    word = _step_4(word)
    return _without_last_letter(word)


def _kinds(word: str) -> str:
    """c for each consonant, v for each vowel; y is a vowel after a consonant."""
    kinds = ""
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and kinds[-1:] == "c")
        kinds += "v" if is_vowel else "c"
    return kinds


def _measure(word: str) -> int:
    """Porter's m: how often a consonant follows a vowel."""
    return _kinds(word).count("vc")


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant but w, x, y, as in "hop"; or a word of vowel and consonant."""
    kinds = _kinds(word)
    return kinds == "vc" or (kinds.endswith("cvc") and word[-1] not in "wxy")


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past(word: str) -> str:
    """Without -ed and -ing, and then with what they had changed: hopped -> hop, hoped -> hope."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    rest = next((word.removesuffix(end) for end in ("ed", "ing") if word.endswith(end)), "")
    if "v" not in _kinds(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and _kinds(rest)[-1] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]):
        return _step_2(word[:-2])
    if word.endswith("logi"):  # "geologi" counts as long enough, whose rest "geo" is not
        return word[:-1] if _measure(word[:-3]) else word
    return _replaced(word, _STEP_2)


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, new in endings:
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            return rest + new if _measure(rest) else word
    return word


def _step_4(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            is_ion = ending != "ion" or rest.endswith(("s", "t"))
            return rest if _measure(rest) > 1 and is_ion else word
    return word


def _without_last_letter(word: str) -> str:
    """A last e that is not heard, and one l of two."""
    if word.endswith("e"):
        rest = word[:-1]
        if _measure(rest) > 1 or (_measure(rest) == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
