"""What each example says of the built-in model happens: its `checks`, asked of the checkpoint that ships.

A check is an object with one of these keys; "a" (and "b") beside it ask another text than the example's own:

    "first": "were"                                 the likeliest word for the mask
    "likelier": ["were", "was"]                     for the mask, from the likelier one to the less likely; "times": 5
                                                    beside it: each so many times as likely as the next
    "probability": ["than", 0.5, 1.0]               that word's, for the mask, lies between
    "among_five" | "not_among_five": ["paris"]      any of them, none of them
    "all_five": ["may", "june", ...]                the five likeliest are all in this list
    "follows": [0.8, 1.0]                           the probability that B follows A lies between
    "looks": [["it", "cat"], ...]                   in one head each of these weights, from one token to the other, is
                                                    at least "weight"; "layer": 4 beside it: in that layer
    "no_head_looks": [["it", "cat"]]                there is no such head
    "pieces": {"photographer": ["photograph", "##er"]}
    "alike": ["bank", 4, -1.0, 0.5]                 cosine of a word in A and in B after layer 4 lies between; 0: before
    "class": ["positive", 0.7]                      a fine-tuned model's class, with at least that probability
    "names": ["Paris LOC"]                          all names that it marks, in order
    "answer": "Martin Reed"                         what it finds in the example's passage
    "alone": ["bank", 6, -1.0, 0.8]                 the same where A and B are each read alone
    "first_from": ["time", 4000]                    of its run's snapshots, those from this step on say it first
    "head_from": ["next token", 0.5, 4000]          of its snapshots, those from this step on have a head of that kind,
                                                    with at least that score
    "same_part": ["token", "rain"] | "other_part"   of the input: token, segment, position; a word in A and in B
    "circuit_keeps": [10, 0.8, 0.9]                 of what differs from the example's other text, so many parts keep
                                                    a share between
    "circuit_needs": [5, 10]                        to keep 80% of it, between so many parts are needed
    "circuit_head": ["6.1", 0.9]                    alone, this head loses most of all heads, and at least that share

Where there are several masks, "mask": 2 beside it means the second. "direction": "left": where tokens look left only.
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from app.state.examples import Example, load_examples
from bertcore.analysis.attention_heads import classify_heads
from bertcore.analysis.circuit import find_circuit
from bertcore.analysis.find_target import find_target
from bertcore.analysis.interventions import one_direction
from bertcore.analysis.passes import as_text
from bertcore.analysis.predict import next_sentence, softmax, top_words
from bertcore.analysis.trace import Trace, trace
from bertcore.analysis.vectors import cosines
from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint
from bertcore.locations import TINY, assets, built_in_checkpoint
from bertcore.resolve_model import resolve_model
from bertcore.runs.run_folder import RunFolder
from bertcore.tag_schemes import entity_spans
from bertcore.tasks.predict import as_example, predict
from bertcore.tokenizer.text_spans import positions_of
from bertcore.tokenizer.tokenizer import Encoding

PARTS = {"token": "token_embeddings", "segment": "segment_embeddings", "position": "position_embeddings"}


@dataclass(frozen=True)
class Asked:
    """One text as the model has read it."""

    checkpoint: Checkpoint
    encoding: Encoding
    masks: list[int]  # positions
    seen: Trace
    passage: str = ""
    other: str = ""

    def places(self, word):
        """Where a word that is one token stands."""
        found = [place for place, token in enumerate(self.encoding.tokens) if token == word]
        assert found, f"{word} is no token of {self.encoding.tokens}"
        return found

    def logits(self, mask):
        return self.seen.mlm_logits[self.masks[mask - 1]]


@pytest.fixture(scope="module")
def built_in():
    return load_checkpoint(built_in_checkpoint())


@cache
def tuned(name):
    return load_checkpoint(resolve_model(name))


def ask(checkpoint, example, check):
    tokenizer = checkpoint.tokenizer
    if "a" in check:
        encoding = tokenizer.encode(check["a"], check.get("b"))
        ids = list(encoding.ids)
    else:
        encoding = tokenizer.encode(example.a, example.b)
        masked = set(positions_of(encoding, example.mask))
        ids = [tokenizer.mask_id if place in masked else token for place, token in enumerate(encoding.ids)]
    masks = [place for place, token in enumerate(ids) if token == tokenizer.mask_id]
    changes = one_direction(check["direction"]) if "direction" in check else None
    seen = trace(checkpoint.model, ids, encoding.segments, changes=changes)
    return Asked(checkpoint, encoding, masks, seen, example.passage, example.other)


def first(asked, word, mask):
    return top_words(asked.logits(mask), asked.checkpoint.tokenizer, 1)[0].token == word


def probability_of(asked, word, mask):
    ids = asked.checkpoint.tokenizer.encode(word).ids[1:-1]
    assert len(ids) == 1, f"{word} is not one token"
    return float(softmax(asked.logits(mask))[ids[0]])


def likelier(asked, words, mask, times=1.0):
    found = [probability_of(asked, word, mask) for word in words]
    return all(more >= times * less for more, less in pairwise(found))


def probability(asked, wanted, mask):
    return wanted[1] <= probability_of(asked, wanted[0], mask) <= wanted[2]


def first_five(asked, mask):
    return {guess.token for guess in top_words(asked.logits(mask), asked.checkpoint.tokenizer, 5)}


def among_five(asked, words, mask):
    return bool(first_five(asked, mask) & set(words))


def all_five(asked, words, mask):
    return first_five(asked, mask) <= set(words)


def follows(asked, limits, mask):
    return limits[0] <= next_sentence(asked.seen.next_sentence_logits).is_next <= limits[1]


def looks(asked, links, mask, weight, layer=None):
    attentions = asked.seen.attentions if layer is None else asked.seen.attentions[layer - 1 : layer]
    ends = [(asked.places(start), asked.places(end)) for start, end in links]
    weights = [attentions[:, :, start][..., end].max(axis=(2, 3)) for start, end in ends]  # each (L,N)
    return bool((np.min(weights, axis=0) >= weight).any())


def pieces(asked, words, mask):
    cut = {word: asked.checkpoint.tokenizer.encode(word).tokens[1:-1] for word in words}
    return all(list(cut[word]) == list(expected) for word, expected in words.items())


def alike(asked, wanted, mask):
    word, layer, low, high = wanted
    return bool(low <= cosines(asked.seen.hidden_states[layer][asked.places(word)])[0, 1] <= high)


def alone(asked, wanted, mask):
    word, layer, low, high = wanted
    states = []
    for text in (asked.encoding.text_a, asked.encoding.text_b):
        read = asked.checkpoint.tokenizer.encode(text or "")
        seen = trace(asked.checkpoint.model, read.ids, read.segments)
        states.append(seen.hidden_states[layer][read.tokens.index(word)])
    return bool(low <= cosines(np.stack(states))[0, 1] <= high)


def same_part(asked, wanted, mask):
    vectors = getattr(asked.seen, PARTS[wanted[0]])[asked.places(wanted[1])]
    return bool(np.allclose(vectors[0], vectors[1]))


def classed(asked, wanted, mask):
    (found,) = predict(asked.checkpoint, [as_example("classify", asked.encoding.text_a)])
    return found.label == wanted[0] and found.probabilities[found.label] >= wanted[1]


def names(asked, wanted, mask):
    example = as_example("tag", asked.encoding.text_a)
    (found,) = predict(asked.checkpoint, [example])
    spans = entity_spans(found.tags)
    return [f"{' '.join(example.words[each.start : each.end])} {each.type}" for each in spans] == list(wanted)


def answers(asked, wanted, mask):
    (found,) = predict(asked.checkpoint, [as_example("span", asked.encoding.text_a, asked.passage)])
    return found.text == wanted


def opposite(holds):
    return lambda *asked, **beside: not holds(*asked, **beside)


# what a check may say more
BESIDE = {"likelier": {"times"}, "looks": {"weight", "layer"}, "no_head_looks": {"weight", "layer"}}


@cache
def snapshots():
    return [(step, load_checkpoint(folder)) for step, folder in RunFolder(assets() / "runs" / TINY).snapshots()]


def over_time(asked):
    """How each snapshot of the tiny model's run reads it."""
    ids, segments = asked.seen.input_ids.tolist(), asked.seen.segment_ids.tolist()
    return [(step, trace(checkpoint.model, ids, segments)) for step, checkpoint in snapshots()]


def first_from(asked, wanted, mask):
    word, begins = wanted
    rows = {step: seen.mlm_logits[asked.masks[mask - 1]] for step, seen in over_time(asked)}
    said = {step: top_words(row, asked.checkpoint.tokenizer, 1)[0].token for step, row in rows.items()}
    return {step for step, token in said.items() if token == word} == {step for step in said if step >= begins}


def head_from(asked, wanted, mask):
    kind, score, begins = wanted
    best = {}
    for step, seen in over_time(asked):
        heads = classify_heads(seen.attentions.reshape(-1, *seen.attentions.shape[2:]), asked.encoding)
        best[step] = max(head.scores[kind] for head in heads)
    return {step for step, found in best.items() if found >= score} == {step for step in best if step >= begins}


def difference(asked):
    """What each part loses of the difference from the other text, and what sets of 1, 2, ... parts keep."""
    return difference_between(asked.checkpoint.name, asked.encoding.text_a, asked.other, tuple(asked.masks))


@cache
def difference_between(model, a, other, masks):
    checkpoint, both = tuned(model), []
    tokenizer = checkpoint.tokenizer
    for encoding in map(tokenizer.encode, (a, other)):
        ids = [tokenizer.mask_id if place in masks else token for place, token in enumerate(encoding.ids)]
        both.append(replace(encoding, ids=ids))
    texts = [as_text(checkpoint.model, each.ids, each.segments) for each in both]
    found = find_circuit(checkpoint.model, *texts, find_target(checkpoint, *both).target, links=0)
    return dict(zip(found["parts"], found["lost"], strict=True)), found["curve"]


def circuit_keeps(asked, wanted, mask):
    _, curve = difference(asked)
    return wanted[1] <= curve[wanted[0] - 1] <= wanted[2]


def circuit_needs(asked, wanted, mask):
    _, curve = difference(asked)
    return wanted[0] <= np.flatnonzero(curve >= 0.8)[0] + 1 <= wanted[1]


def circuit_head(asked, wanted, mask):
    lost = {part: abs(share) for part, share in difference(asked)[0].items() if part.kind == "head"}
    strongest = max(lost, key=lost.get)
    return f"{strongest.layer + 1}.{strongest.head + 1}" == wanted[0] and lost[strongest] >= wanted[1]


# given what was asked, what the check says, the number of the mask, and what it says more
HOLDS = {
    "first": first,
    "likelier": likelier,
    "probability": probability,
    "all_five": all_five,
    "among_five": among_five,
    "not_among_five": opposite(among_five),
    "follows": follows,
    "looks": looks,
    "no_head_looks": opposite(looks),
    "pieces": pieces,
    "alike": alike,
    "class": classed,
    "names": names,
    "answer": answers,
    "alone": alone,
    "same_part": same_part,
    "other_part": opposite(same_part),
    "first_from": first_from,
    "head_from": head_from,
    "circuit_keeps": circuit_keeps,
    "circuit_needs": circuit_needs,
    "circuit_head": circuit_head,
}


def problems(checkpoint, example):
    """The checks that do not hold."""
    found = []
    for check in example.checks:
        (kind,) = set(check) & set(HOLDS)
        beside = {key: check[key] for key in BESIDE.get(kind, set()) & set(check)}
        assert set(check) <= {kind, "a", "b", "mask", "direction", *beside}, f"unknown keys in {check}"
        asked = ask(checkpoint, example, check)
        if not HOLDS[kind](asked, check[kind], check.get("mask", 1), **beside):
            found.append(f"{check}: {said(asked)}")
    return found


def said(asked):
    """What the model says instead, for the message."""
    guesses = [top_words(asked.logits(mask), asked.checkpoint.tokenizer, 6) for mask, _ in enumerate(asked.masks, 1)]
    words = ["; ".join(f"{guess.token} {guess.probability:.3f}" for guess in each) for each in guesses]
    logits = asked.seen.next_sentence_logits
    if logits is not None and asked.encoding.text_b is not None:
        words.append(f"follows {next_sentence(logits).is_next:.3f}")
    return words


@pytest.mark.parametrize("example", load_examples(), ids=lambda example: example.title)
def test_what_an_example_says_happens_does_happen(built_in, example):
    assert example.checks
    assert problems(tuned(example.model) if example.model else built_in, example) == []


def test_a_wrong_claim_is_noticed(built_in):
    """Of each kind of check, one that cannot hold."""
    a, b = "The cat sat on the [MASK].", "The cat sat on the chair."
    wrong = [
        {"first": "[CLS]"},
        {"likelier": ["the", "chair", "the"]},
        {"likelier": ["the", "the"], "times": 1.5},
        {"probability": ["the", 1.1, 1.2]},
        {"all_five": ["the", "floor", "chair"]},
        {"among_five": ["[CLS]"]},
        {"follows": [1.1, 1.2]},
        {"looks": [["cat", "chair"]], "weight": 1.1},
        {"looks": [["chair", "cat"], ["chair", "sat"]], "weight": 0.51},  # two halves of one row
        {"looks": [["cat", "sat"]], "weight": 0.0, "layer": 9},
        {"no_head_looks": [["cat", "sat"]], "weight": 0.0},
        {"pieces": {"cat": ["c", "##at"]}},
        {"alike": ["cat", 0, 1.1, 1.2]},
        {"other_part": ["token", "cat"]},
        {"same_part": ["segment", "cat"]},
    ]
    example = Example("T", a, b, (), "predict", "?", "Wrong.", tuple({**check, "a": a, "b": b} for check in wrong))
    assert len(problems(built_in, example)) == len(wrong)


def test_a_wrong_claim_about_a_circuit_is_noticed(built_in):
    a, other = "She ate [MASK] apple.", "She ate [MASK] cake."
    wrong = [{"circuit_keeps": [10, 1.1, 1.2]}, {"circuit_needs": [44, 50]}, {"circuit_head": ["1.1", 0.0]}]
    checks = tuple({**check, "a": a} for check in wrong)
    example = Example("T", a, None, (), "map", "?", "Wrong.", checks, other=other)
    assert len(problems(built_in, example)) == len(wrong)


def test_a_wrong_claim_about_snapshots_is_noticed():
    a, wrong = "The cat sat on the [MASK].", [{"first_from": ["[CLS]", 0]}, {"head_from": ["next token", 0.5, 400]}]
    example = Example("T", a, None, (), "film", "?", "Wrong.", tuple({**check, "a": a} for check in wrong), TINY)
    assert len(problems(tuned(TINY), example)) == len(wrong)
