"""What each example says of the built-in model happens: its `checks`, asked of the checkpoint that ships.

A check is an object with one of these keys; "a" (and "b") beside it ask another text than the example's own:

    "first": "were"                                 the likeliest word for the mask
    "likelier": ["were", "was"]                     for the mask, from the likelier one to the less likely
    "among_five" | "not_among_five": ["paris"]      any of them, none of them
    "follows": [0.8, 1.0]                           the probability that B follows A lies between
    "looks": ["it", "cat", 0.3]                     some head's weight from one token to the other is at least that
    "pieces": {"photographer": ["photograph", "##er"]}
    "alike": ["bank", 4, -1.0, 0.5]                 cosine of a word in A and in B after layer 4 lies between; 0: before
    "same_part": ["token", "rain"] | "other_part"   of the input: token, segment, position; a word in A and in B

Where there are several masks, "mask": 2 beside it means the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.examples import Example, load_examples
from bertcore.analysis.predict import next_sentence, softmax, top_words
from bertcore.analysis.similarity import cosines
from bertcore.analysis.trace import Trace, trace
from bertcore.checkpoint import Checkpoint, load_checkpoint
from bertcore.locations import built_in_checkpoint
from bertcore.tokenization import Encoding

PARTS = {"token": "token_embeddings", "segment": "segment_embeddings", "position": "position_embeddings"}


@dataclass(frozen=True)
class Asked:
    """One text as the model has read it."""

    checkpoint: Checkpoint
    encoding: Encoding
    masks: list[int]  # positions
    seen: Trace

    def places(self, word: str) -> list[int]:
        """Where a word that is one token stands."""
        found = [place for place, token in enumerate(self.encoding.tokens) if token == word]
        assert found, f"{word} is no token of {self.encoding.tokens}"
        return found

    def logits(self, mask: int) -> NDArray[np.float32]:
        assert self.seen.mlm_logits is not None
        logits: NDArray[np.float32] = self.seen.mlm_logits[self.masks[mask - 1]]
        return logits


@pytest.fixture(scope="module")
def built_in() -> Checkpoint:
    return load_checkpoint(built_in_checkpoint())


def ask(checkpoint: Checkpoint, example: Example, check: Mapping[str, Any]) -> Asked:
    tokenizer = checkpoint.tokenizer
    if "a" in check:
        encoding = tokenizer.encode(check["a"], check.get("b"))
        ids = list(encoding.ids)
    else:
        encoding = tokenizer.encode(example.a, example.b)
        masked = set(example.masked_positions(encoding.parts, encoding.offsets))
        ids = [tokenizer.mask_id if place in masked else token for place, token in enumerate(encoding.ids)]
    masks = [place for place, token in enumerate(ids) if token == tokenizer.mask_id]
    return Asked(checkpoint, encoding, masks, trace(checkpoint.model, ids, encoding.segments))


def first(asked: Asked, word: str, mask: int) -> bool:
    return top_words(asked.logits(mask), asked.checkpoint.tokenizer, 1)[0].token == word


def likelier(asked: Asked, words: Sequence[str], mask: int) -> bool:
    probabilities = softmax(asked.logits(mask))
    known = [asked.checkpoint.tokenizer.encode(word).ids[1:-1] for word in words]
    assert all(len(ids) == 1 for ids in known), f"not all of {words} are one token"
    found = [probabilities[ids[0]] for ids in known]
    return found == sorted(found, reverse=True)


def among_five(asked: Asked, words: Sequence[str], mask: int) -> bool:
    return any(guess.token in words for guess in top_words(asked.logits(mask), asked.checkpoint.tokenizer, 5))


def follows(asked: Asked, limits: Sequence[float], mask: int) -> bool:
    assert asked.seen.next_sentence_logits is not None
    return limits[0] <= next_sentence(asked.seen.next_sentence_logits).is_next <= limits[1]


def looks(asked: Asked, wanted: tuple[str, str, float], mask: int) -> bool:
    rows, columns = asked.places(wanted[0]), asked.places(wanted[1])
    return bool(asked.seen.attentions[:, :, rows][..., columns].max() >= wanted[2])


def pieces(asked: Asked, words: Mapping[str, Sequence[str]], mask: int) -> bool:
    cut = {word: asked.checkpoint.tokenizer.encode(word).tokens[1:-1] for word in words}
    return all(list(cut[word]) == list(expected) for word, expected in words.items())


def alike(asked: Asked, wanted: tuple[str, int, float, float], mask: int) -> bool:
    word, layer, low, high = wanted
    return bool(low <= cosines(asked.seen.hidden_states[layer][asked.places(word)])[0, 1] <= high)


def same_part(asked: Asked, wanted: tuple[str, str], mask: int) -> bool:
    vectors = getattr(asked.seen, PARTS[wanted[0]])[asked.places(wanted[1])]
    return bool(np.allclose(vectors[0], vectors[1]))


def opposite(holds: Callable[[Asked, Any, int], bool]) -> Callable[[Asked, Any, int], bool]:
    return lambda asked, wanted, mask: not holds(asked, wanted, mask)


HOLDS: dict[str, Callable[[Asked, Any, int], bool]] = {
    "first": first,
    "likelier": likelier,
    "among_five": among_five,
    "not_among_five": opposite(among_five),
    "follows": follows,
    "looks": looks,
    "pieces": pieces,
    "alike": alike,
    "same_part": same_part,
    "other_part": opposite(same_part),
}


def problems(checkpoint: Checkpoint, example: Example) -> list[str]:
    """The checks that do not hold."""
    found = []
    for check in example.checks:
        (kind,) = set(check) & set(HOLDS)
        assert set(check) <= {kind, "a", "b", "mask"}, f"unknown keys in {check}"
        asked = ask(checkpoint, example, check)
        if not HOLDS[kind](asked, check[kind], check.get("mask", 1)):
            found.append(f"{check}: {said(asked)}")
    return found


def said(asked: Asked) -> str:
    """What the model says instead, for the message."""
    guesses = [
        " ".join(
            f"{guess.token} {guess.probability:.3f}"
            for guess in top_words(asked.logits(number), asked.checkpoint.tokenizer, 6)
        )
        for number in range(1, len(asked.masks) + 1)
    ]
    logits = asked.seen.next_sentence_logits
    if logits is not None and asked.encoding.text_b is not None:
        guesses.append(f"follows {next_sentence(logits).is_next:.3f}")
    return "; ".join(guesses)


@pytest.mark.parametrize("example", load_examples(), ids=lambda example: example.title)
def test_what_an_example_says_happens_does_happen(built_in: Checkpoint, example: Example) -> None:
    assert example.checks
    assert problems(built_in, example) == []


def test_a_wrong_claim_is_noticed(built_in: Checkpoint) -> None:
    """Of each kind of check, one that cannot hold."""
    a, b = "The cat sat on the [MASK].", "The cat sat on the chair."
    wrong: list[dict[str, Any]] = [
        {"first": "[CLS]"},
        {"likelier": ["the", "chair", "the"]},
        {"among_five": ["[CLS]"]},
        {"follows": [1.1, 1.2]},
        {"looks": ["cat", "chair", 1.1]},
        {"pieces": {"cat": ["c", "##at"]}},
        {"alike": ["cat", 0, 1.1, 1.2]},
        {"other_part": ["token", "cat"]},
        {"same_part": ["segment", "cat"]},
    ]
    example = Example("T", a, b, (), "predict", "?", "Wrong.", tuple({**check, "a": a, "b": b} for check in wrong))
    assert len(problems(built_in, example)) == len(wrong)
