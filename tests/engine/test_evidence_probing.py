"""Probes against scikit-learn's ridge regression, and on states in which it is known what can be read off."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from bertcore.errors import BertcoreError
from bertcore.evidence.collection import Collection, Tree
from bertcore.evidence.probing import PENALTIES, answers, labelled_texts, probe, read_off
from tests.engine.test_evidence_nearest import CHECKPOINT, sentences

TAGS = {"cat": "NOUN", "dog": "NOUN", "mat": "NOUN", "bird": "NOUN", "the": "DET", "a": "DET", "sat": "VERB", ".": "."}


def tree(text, words, tags):
    joined = tuple(text.endswith(".") and at == len(words) - 2 for at in range(len(words)))
    return Tree(text, "", tuple(words), (-1,) * len(words), tuple(tags), tuple(tags), joined)


def test_answers_are_those_of_ridge_regression():
    chance = np.random.default_rng(0)
    x, codes = chance.standard_normal((200, 12)) * np.geomspace(0.1, 10, 12), chance.integers(0, 4, (3, 200))
    columns, learn = np.concatenate([np.eye(5)[each] for each in codes], axis=1), np.arange(200) < 120
    said = answers(x, columns, learn, ~learn)
    sizes = np.linalg.eigvalsh(np.cov(x[learn].T, bias=True)).mean() * 120
    for number, penalty in enumerate(PENALTIES):
        ridge = Ridge(alpha=penalty * sizes).fit(x[learn], columns[learn])
        assert (said[number] == ridge.predict(x[~learn]).reshape(80, 3, 5).argmax(2).T).all()


def test_what_is_in_the_states_is_found_and_what_is_not_is_not():
    chance = np.random.default_rng(1)
    types = [[f"w{each}" for each in chance.integers(0, 40, 8)] for _ in range(200)]
    labels = [[str(int(word[1:]) % 3) for word in row] for row in types]
    flat = np.array([int(each) for row in labels for each in row])
    before = np.concatenate([np.roll(np.array(row, dtype=int), 1) for row in labels])
    noise = chance.standard_normal((3, len(flat), 10))
    noise[1, :, :3] += 6 * np.eye(3)[flat]
    noise[2, :, :3] += 6 * np.eye(3)[before]
    trees = [tree(" ".join(words), words, tags) for words, tags in zip(types, labels, strict=True)]
    _, layers, without = read_off(noise, trees, seed=0)
    chance_share = max(np.bincount(flat)) / len(flat)
    of_noise, own, of_before = layers
    assert abs(of_noise.right.value - chance_share) < 0.1 and abs(of_noise.previous.value - chance_share) < 0.1
    assert own.right.value > 0.97 and own.selectivity.value > 0.4 and own.previous.value < 0.5
    assert own.selectivity.value == pytest.approx(own.right.value - own.control.value)
    assert of_before.previous.value > 0.97 and of_before.right.value < 0.5
    assert without.right.value == 1.0 and without.previous.value < 0.5 and own.unseen.count == 0
    assert own.right.count == 800 and own.previous.count == 700 and own.control.low < own.control.value


def test_words_and_texts_of_a_model():
    rows = []
    for sentence in sentences(count=80).rows:
        words = [*sentence.text.removesuffix(".").split(), "."]
        rows.append(tree(sentence.text, words, [TAGS.get(word, "X") for word in words]))
    found = probe(CHECKPOINT, Collection("trees", tuple(rows), "sha"), seed=2)
    first, *_, last = found.layers
    assert first.right.value > 0.95 and last.previous.count == first.right.count - 40
    assert len(found.rows()) == 4 * 5 and found.labels == (".", "DET", "NOUN", "VERB", "X")
    texts = [row.text for row in rows]
    has = ["cat" if " cat" in text else "none" for text in texts]
    of_texts = probe(CHECKPOINT, labelled_texts(texts, has, "texts", "sha"))
    assert of_texts.layers[0].right.value > 0.75 and of_texts.layers[0].right == of_texts.layers[0].unseen
    assert of_texts.layers[0].previous.count == 0 and of_texts.without.right.value > 0.5
    with pytest.raises(BertcoreError, match="give four"):
        probe(CHECKPOINT, labelled_texts(texts[:2], has[:2], "texts", "sha"))
