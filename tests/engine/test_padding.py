"""Texts at a length: padded and cut as `transformers` does it, and what the attention mask hides from the model."""

import json
from itertools import product

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from bertcore.cli.main import app
from bertcore.errors import BertcoreError
from bertcore.loaded_model import LoadedModel, load
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.models import tiny_checkpoint, tiny_model, word_tokenizer

A, B, LONG = "the cat sat on the mat.", "it was comfortable!", "the bird sang on the mat and " * 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_checkpoint(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def m():
    return LoadedModel.of(tiny_model(), word_tokenizer())


def test_the_same_as_transformers(folder):
    theirs = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(folder)
    ours, compared = Tokenizer.from_folder(folder), 0
    for a, b, length in product((A, LONG, "cat"), (None, B, LONG), (4, 5, 8, 9, 16, 32, 40)):
        encoding = ours.encode_to(a, b, 40, length, pad=True, truncate=True)
        expected = theirs(a, b, padding="max_length", truncation="longest_first", max_length=length)
        assert len(encoding) == len(encoding.tokens) == len(encoding.words) == len(encoding.labels) == length
        assert encoding.attention_mask == expected["attention_mask"]
        if expected.sequence_ids(0).count(0) == encoding.parts.count("a"):
            assert encoding.ids == expected["input_ids"] and encoding.segments == expected["token_type_ids"]
            compared += 1
        else:  # of two parts that are cut to the same length, ours gives the odd place to A, as the paper's code
            assert encoding.parts.count("a") == encoding.parts.count("b") + 1 and b is not None
    assert compared >= 50


def test_without_padding_or_cutting(m):
    assert m.encode(A, length=20) == m.encode(A) and set(m.encode(A).attention_mask) == {1}
    assert m.encode(LONG, LONG).dropped and m.encode(A, pad=True).attention_mask.count(0) == 40 - 9
    cut = m.encode(LONG, B, length=9, truncate=True)
    assert len(cut) == 9 and cut.dropped and not cut.padding


@pytest.mark.parametrize(("length", "sentence"), [(8, "9 tokens, more than 8"), (2, "3 to 40"), (41, "3 to 40")])
def test_a_length_that_does_not_do(m, length, sentence):
    with pytest.raises(BertcoreError, match=sentence):
        m.encode(A, length=length)


def test_the_mask_hides_padding_and_without_it_the_model_reads_it(m, folder):
    alone, padded, seen = m.trace(A), m.trace(A, length=16), m.trace(A, length=16, mask=False)
    size = len(alone.tokens)
    np.testing.assert_allclose(padded.hidden_states[:, :size], alone.hidden_states, atol=1e-5)
    assert not padded.attentions[..., size:].any() and (seen.attentions[..., size:] > 0).all()
    assert np.abs(seen.hidden_states[-1, :size] - alone.hidden_states[-1]).max() > 0.01
    both = m.trace([A, B], length=16)
    np.testing.assert_allclose(both[0].attentions, padded.attentions, atol=1e-6)
    transformers = pytest.importorskip("transformers")
    theirs = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    encoding = m.encode(A, length=16, pad=True)
    for ours, mask in ((padded, encoding.attention_mask), (seen, [1] * 16)):
        with torch.no_grad():
            found = theirs(
                torch.tensor([encoding.ids]), attention_mask=torch.tensor([mask]), output_attentions=True
            ).attentions
        np.testing.assert_allclose(ours.attentions, torch.cat(found).numpy(), atol=1e-5)


def test_the_command(folder):
    def run(*arguments):
        return CliRunner().invoke(app, ["tokenize", str(folder), "--a", A, *arguments])

    padded = json.loads(run("--length", "12", "--pad", "--json").stdout)
    assert padded["attention_mask"] == [1] * 9 + [0] * 3 and padded["tokens"][-1] == "[PAD]"
    cut = run("--length", "5", "--truncate")
    assert cut.exit_code == 0 and "4 tokens were cut off" in cut.stderr and "mask" in cut.stdout
    short = json.loads(run("--length", "12", "--json").stdout)
    assert len(short["ids"]) == 9
    assert isinstance(run("--length", "5").exception, BertcoreError | SystemExit)


def test_what_the_lesson_says_of_the_model_that_ships():
    """assets/lessons/16-padding-cutting-and-unknown-words.md, which has no measures for it."""
    m, text = load(), "The dog sat on the [MASK]."
    size, at = len(m.encode(text)), 6
    hidden, seen = m.trace(text, length=16), m.trace(text, length=16, mask=False)
    words = [m.tokenizer.word(int(found.mlm_logits[at].argmax())) for found in (m.trace(text), hidden, seen)]
    assert words == ["bed", "bed", "floor"]
    assert 0.14 < seen.attentions[..., :size, size:].sum(-1).mean() < 0.2
    before, after = (found.hidden_states[-1, :size] for found in (hidden, seen))
    assert 0.25 < (np.linalg.norm(after - before, axis=1) / np.linalg.norm(before, axis=1)).mean() < 0.35
    assert m.trace(text, length=64, mask=False).attentions[..., :size, size:].sum(-1).mean() > 0.5
    pair = "The old man walked slowly along the river and looked at the boats.", "He was tired."
    assert len(m.encode(*pair)) == 21 and m.encode(*pair, length=16, truncate=True).parts.count("b") == 4
