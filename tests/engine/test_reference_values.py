"""Values stored with a checkpoint: the same again where all is well, and a sentence for each thing that is not."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from bertcore.analysis.reference_values import REFERENCE_FILE, TEXTS, ReferenceCheck, check_reference, write_reference
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.locations import built_in_checkpoint
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words
from tests.engine.models import VOCABULARY, tiny_checkpoint, tiny_model, word_tokenizer


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A tiny checkpoint with reference values, stored as it ships: in fp16."""
    folder = tmp_path / "tiny"
    save_checkpoint(tiny_model(max_position_embeddings=160), word_tokenizer(), folder, store_as=torch.float16)
    write_reference(load_checkpoint(folder), folder)
    return folder


def changed(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    file = folder / REFERENCE_FILE
    values = json.loads(file.read_text(encoding="utf-8"))
    change(values)
    file.write_text(json.dumps(values), encoding="utf-8")


def problem(of: Path | Checkpoint) -> str:
    check = check_reference(load_checkpoint(of) if isinstance(of, Path) else of)
    assert check is not None and check.problem is not None and check.sentence == check.problem
    return check.problem


def test_the_same_files_give_the_same_values(stored: Path) -> None:
    check = check_reference(load_checkpoint(stored))
    assert check is not None and check.problem is None
    assert check.largest_difference is not None and check.largest_difference < 1e-6
    assert check.sentence.startswith("verified")
    assert ReferenceCheck(2.3e-6).sentence == "verified, largest difference 2e-06"


def test_what_is_stored_is_what_a_trace_shows(stored: Path) -> None:
    checkpoint = load_checkpoint(stored)
    texts = json.loads((stored / REFERENCE_FILE).read_text(encoding="utf-8"))["texts"]
    assert [(text["a"], text["b"]) for text in texts] == list(TEXTS) and len(texts) == 3
    for text in texts:
        encoding = checkpoint.tokenizer.encode(text["a"], text["b"])
        mask = encoding.tokens.index("[MASK]")
        seen = trace(checkpoint.model, encoding.ids, encoding.segments, mlm_positions=[mask])
        last = text["activations"]["layer.1.output"]
        assert last == pytest.approx(seen.hidden_states[-1][mask, : len(last)].tolist(), abs=1e-5)
        best = checkpoint.tokenizer.word(int(seen.mlm_logits[0].argmax()))
        assert text["words"][0]["token"] == best and len(text["words"]) == 5
        assert text["activations"]["nsp.logits"] == pytest.approx(seen.next_sentence_logits.tolist(), abs=1e-5)


def test_one_weight_or_another_formula_is_found(stored: Path) -> None:
    checkpoint = load_checkpoint(stored)
    bias = checkpoint.model.encoder.layers[1].feed_forward_in.bias
    with torch.no_grad():
        bias[5] += 0.05
        check = check_reference(checkpoint)
        bias[5] -= 0.05
    assert check is not None and check.largest_difference is not None and check.largest_difference > 1e-4
    assert check.sentence.startswith("Something is off: layer.1.output of text")
    # GELU by tanh instead of by the error function: no word changes, and a figure in a lesson would
    for layer in checkpoint.model.encoder.layers:
        layer.activation = torch.nn.GELU(approximate="tanh")
    assert "Something is off" in problem(checkpoint)


def test_another_vocabulary_and_numbers_that_are_none_are_found(stored: Path) -> None:
    checkpoint = load_checkpoint(stored)
    words = [*VOCABULARY]
    first, second = words.index("very"), words.index("b")
    words[first], words[second] = words[second], words[first]
    other = replace(checkpoint, tokenizer=Tokenizer(raw_from_words(words, True), True))
    assert "the vocabulary cuts reference text" in problem(other)
    with torch.no_grad():
        checkpoint.model.embeddings.token.weight.fill_(float("nan"))
    assert "is no number" in problem(checkpoint)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda values: values.update(format_version=9), "another version"),
        (lambda values: values.pop("texts"), "cannot be read"),
        (lambda values: values["texts"][1].pop("words"), "cannot be read"),
        (lambda values: values["texts"].clear(), "is empty"),
        (lambda values: values["texts"][2]["activations"].update({"layer.7.output": [1.0]}), "cannot be read"),
        (lambda values: values["texts"][0]["words"][0].update(token="zebra"), "is no number"),
        (lambda values: values["texts"][0].update(a="nothing is masked here"), "cannot be read"),
    ],
)
def test_a_file_that_is_wrong_is_said_and_raises_nothing(
    stored: Path, change: Callable[[dict[str, Any]], None], says: str
) -> None:
    changed(stored, change)
    assert says in problem(stored)


def test_a_file_cut_off_is_said(stored: Path) -> None:
    file = stored / REFERENCE_FILE
    file.write_bytes(file.read_bytes()[:300])
    assert problem(stored) == "Something is off: reference.json cannot be read."


def test_without_a_file_or_a_word_head_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert check_reference(load_checkpoint(tiny_checkpoint(tmp_path))) is None
    checkpoint = load_checkpoint(tiny_checkpoint(tmp_path, output_heads=("nsp",)))
    with pytest.raises(BertcoreError, match="masked-word"):
        write_reference(checkpoint, tmp_path)


def test_the_built_in_model_is_verified_here() -> None:
    checkpoint: Checkpoint = load_checkpoint(built_in_checkpoint())
    check = check_reference(checkpoint)
    assert check is not None and check.problem is None, check
