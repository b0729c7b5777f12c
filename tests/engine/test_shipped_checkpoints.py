"""Checkpoints as they ship: as a difference from another, and with values that are the same again where all is well."""

import hashlib
import json
import os
import shutil
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file, save_file

from bertcore.analysis.reference_values import REFERENCE_FILE, TEXTS, ReferenceCheck, check_reference, write_reference
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.loaded_model import load
from bertcore.locations import BUILT_IN, DIFFERENCE_FILE, TUNED, assets, tuned_models
from bertcore.model.bert import Bert
from bertcore.resolve_model import resolve_model
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words
from scripts.write_difference import save_difference
from tests.engine.models import VOCABULARY, tiny_checkpoint, tiny_config, tiny_model, word_tokenizer

LABELS = ("negative", "positive")
ABOUT = {"name": TUNED[0], "step": 7, "data": {"task": "sst2", "max_length": 64}, "metrics": {"accuracy": 0.75}}
LAYER = "encoder.layers.1."


@pytest.fixture
def base(tmp_path, monkeypatch):
    """A small model in the place of the built-in one."""
    monkeypatch.setattr("bertcore.locations.assets", lambda: tmp_path)
    folder = tmp_path / "checkpoints" / BUILT_IN
    save_checkpoint(tiny_model(), word_tokenizer(), folder, name=BUILT_IN, store_as=torch.float16)
    return load_checkpoint(folder)


def tune(base, scale=0.05):
    """Another last layer and pooler, and a head: what fine-tuning with a frozen lower part leaves."""
    model = Bert(tiny_config(labels=LABELS), ["classify"], pooler=True, generator=torch.Generator().manual_seed(1))
    model.load_state_dict(base.model.state_dict(), strict=False)
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.startswith((LAYER, "pooler.")):
                parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=scale)
    return model.eval().requires_grad_(False)


def stored(base, model, rank=None):
    folder = base.folder.parent / TUNED[0]
    save_difference(model, folder, base, rank, ABOUT)
    return folder


def without_checksum(folder):
    """As differences were stored before they had one."""
    about = json.loads((folder / "bertscope.json").read_text(encoding="utf-8"))
    del about["difference"]
    (folder / "bertscope.json").write_text(json.dumps(about), encoding="utf-8")
    return folder


def test_it_opens_as_the_model_that_was_stored(base):
    assert tuned_models() == []
    model = tune(base)
    folder = stored(base, model)
    assert tuned_models() == [TUNED[0]] and resolve_model(TUNED[0]) == folder
    named = load(TUNED[0])
    assert (named.learned_task, named.task_kind) == ("sst2", "classify")
    assert named.predict("The cat sat.").label in LABELS
    opened = load_checkpoint(folder)
    assert (opened.name, opened.step, opened.output_heads, opened.config.labels) == (TUNED[0], 7, ("classify",), LABELS)
    state = opened.model.state_dict()
    assert set(state) == set(model.state_dict())
    for name, value in model.state_dict().items():
        torch.testing.assert_close(state[name], value, atol=2e-3, rtol=1e-3)  # fp16
    ids = torch.tensor([opened.tokenizer.encode("The cat sat on the mat.").ids])
    ours, theirs = (each.logits("classify", each(ids)[:, 0]) for each in (opened.model, model))
    torch.testing.assert_close(ours, theirs, atol=0.02, rtol=0)
    names = set(load_file(folder / DIFFERENCE_FILE))
    assert not [name for name in names if name.startswith(("embeddings.", "encoder.layers.0."))]  # what did not change


def test_of_a_change_the_strongest_directions_are_kept(base):
    """The error is that of the best approximation: the singular values that were left out (Eckart and Young 1936)."""
    model, rank = tune(base), 4
    name = next(name for name, value in model.state_dict().items() if name.startswith(LAYER) and value.ndim == 2)
    change = model.state_dict()[name] - base.model.state_dict()[name]
    folder = stored(base, model, rank)
    left = change - (load_checkpoint(folder).model.state_dict()[name] - base.model.state_dict()[name])
    rest = torch.linalg.svdvals(change)[rank:].square().sum().sqrt()
    assert float(left.norm()) == pytest.approx(float(rest), rel=0.01)
    whole = (stored(base, model) / DIFFERENCE_FILE).stat().st_size
    assert (stored(base, model, rank) / DIFFERENCE_FILE).stat().st_size < whole


def test_saved_again_it_is_an_ordinary_checkpoint_that_transformers_opens(base, tmp_path):
    transformers = pytest.importorskip("transformers")
    opened = load_checkpoint(stored(base, tune(base)))
    folder = tmp_path / "whole"
    shutil.copytree(opened.folder, folder)  # over the difference, which would be read first
    save_checkpoint(opened.model, opened.tokenizer, folder, name="whole")
    assert not (folder / DIFFERENCE_FILE).exists()
    shutil.rmtree(base.folder)  # not needed any more
    again = load_checkpoint(folder)
    theirs = transformers.BertForSequenceClassification.from_pretrained(folder)
    encoding = opened.tokenizer.encode("The cat sat.")
    ids = torch.tensor([encoding.ids])
    logits = opened.model.logits("classify", opened.model(ids)[:, 0])
    assert torch.equal(again.model.logits("classify", again.model(ids)[:, 0]), logits)
    with torch.no_grad():
        torch.testing.assert_close(theirs(ids).logits, logits, atol=1e-5, rtol=0)


def test_with_another_version_of_its_base_or_none_it_is_refused(base):
    folder = stored(base, tune(base))
    save_checkpoint(tiny_model(seed=1), base.tokenizer, base.folder, name=BUILT_IN)
    with pytest.raises(BertcoreError, match=f"another version of {BUILT_IN}"):
        load_checkpoint(folder)
    shutil.rmtree(base.folder)
    with pytest.raises(BertcoreError, match=f"difference from {BUILT_IN}, which is missing"):
        load_checkpoint(folder)
    for said in ({"base": None}, {"base": {"name": "../../somewhere"}}, {"base": [1]}):
        (folder / "bertscope.json").write_text(json.dumps(said))
        with pytest.raises(BertcoreError, match="must be one of those that ship"):
            load_checkpoint(folder)


@pytest.mark.parametrize("place", [-1, -60])
def test_two_flipped_bytes_are_noticed(place, base):
    """Of numbers that stay ordinary ones: no shape, name or NaN tells."""
    folder = stored(base, tune(base), rank=4)
    file = folder / DIFFERENCE_FILE
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    content[place - 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(BertcoreError, match="is damaged: its checksum is another"):
        load_checkpoint(folder)
    assert load_checkpoint(without_checksum(folder)).name == TUNED[0]


@pytest.mark.parametrize("name", TUNED)
def test_those_that_ship_have_a_checksum(name):
    folder = assets() / "checkpoints" / name
    about = json.loads((folder / "bertscope.json").read_text(encoding="utf-8"))
    assert about["difference"] == {"sha256": hashlib.sha256((folder / DIFFERENCE_FILE).read_bytes()).hexdigest()}


@pytest.mark.skipif(os.name == "nt", reason="pipes that have a name")
@pytest.mark.parametrize("make", ["mkfifo", "mkdir"])
def test_a_pipe_in_its_place_is_told(make, base):
    file = stored(base, tune(base)) / DIFFERENCE_FILE
    file.unlink()
    getattr(os, make)(file)
    for read in (load_checkpoint, Tokenizer.from_folder):
        with pytest.raises(BertcoreError, match=f"{DIFFERENCE_FILE} is not a regular file"):
            read(file.parent)


@pytest.mark.parametrize("damage", ["cut off", "no down", "wide", "unknown", "nan"])
def test_a_damaged_difference_is_refused_in_a_sentence(damage, base):
    file = without_checksum(stored(base, tune(base), rank=4)) / DIFFERENCE_FILE
    tensors = load_file(file)
    up = next(name for name in tensors if name.endswith(".up"))
    if damage == "no down":
        del tensors[up.removesuffix("up") + "down"]
    elif damage == "wide":  # 10^10 numbers, if they were multiplied
        tensors[up], tensors[up.removesuffix("up") + "down"] = torch.zeros(100_000, 1), torch.zeros(1, 100_000)
    elif damage == "unknown":
        tensors["encoder.layers.9.more"] = torch.zeros(3)
    elif damage == "nan":
        tensors["pooler.dense.bias"] = torch.full((32,), torch.nan)
    save_file(tensors, file)
    if damage == "cut off":
        file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(BertcoreError, match="^[^\n]+$"):
        load_checkpoint(file.parent)


# --- values stored with a checkpoint: the same again where all is well, and a sentence for each thing that is not


@pytest.fixture
def verified(tmp_path):
    """A tiny checkpoint with reference values, verified as it ships: in fp16."""
    folder = tmp_path / "tiny"
    save_checkpoint(tiny_model(max_position_embeddings=160), word_tokenizer(), folder, store_as=torch.float16)
    write_reference(load_checkpoint(folder), folder)
    return folder


def problem(checkpoint):
    check = check_reference(checkpoint)
    assert check.problem and check.sentence == check.problem
    return check.problem


def test_the_same_files_give_the_same_values(verified):
    check = check_reference(load_checkpoint(verified))
    assert check.problem is None and check.largest_difference < 1e-6
    assert check.sentence.startswith("verified")
    assert ReferenceCheck(2.3e-6).sentence == "verified, largest difference 2e-06"


def test_what_is_stored_is_what_a_trace_shows(verified):
    checkpoint = load_checkpoint(verified)
    texts = json.loads((verified / REFERENCE_FILE).read_text(encoding="utf-8"))["texts"]
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


def test_one_weight_or_another_formula_is_found(verified):
    checkpoint = load_checkpoint(verified)
    bias = checkpoint.model.encoder.layers[1].feed_forward_in.bias
    with torch.no_grad():
        bias[5] += 0.05
        check = check_reference(checkpoint)
        bias[5] -= 0.05
    assert check.largest_difference > 1e-4
    assert check.sentence.startswith("Something is off: layer.1.output of text")
    # GELU by tanh instead of by the error function: no word changes, and a figure in a lesson would
    for layer in checkpoint.model.encoder.layers:
        layer.activation = torch.nn.GELU(approximate="tanh")
    assert "Something is off" in problem(checkpoint)


def test_another_vocabulary_and_numbers_that_are_none_are_found(verified):
    checkpoint = load_checkpoint(verified)
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
def test_a_file_that_is_wrong_or_cut_off_is_said_and_raises_nothing(verified, change, says):
    file, checkpoint = verified / REFERENCE_FILE, load_checkpoint(verified)
    values = json.loads(file.read_text(encoding="utf-8"))
    change(values)
    file.write_text(json.dumps(values), encoding="utf-8")
    assert says in problem(checkpoint)
    file.write_bytes(file.read_bytes()[:10])
    assert problem(checkpoint) == "Something is off: reference.json cannot be read."


def test_without_a_file_or_a_word_head_there_is_nothing_to_say(tmp_path):
    assert check_reference(load_checkpoint(tiny_checkpoint(tmp_path))) is None
    checkpoint = load_checkpoint(tiny_checkpoint(tmp_path, output_heads=("nsp",)))
    with pytest.raises(BertcoreError, match="masked-word"):
        write_reference(checkpoint, tmp_path)
