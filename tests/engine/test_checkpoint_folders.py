"""Checkpoint folders as people have them, and what is none: refused with one sentence, and nothing in it is run."""

import json
import os
import pickle
import shutil
import zipfile
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from bertcore.checkpoint.checkpoint import load_checkpoint, read_config, save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.resolve_model import resolve_model
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words
from tests.engine.models import VOCABULARY, tiny_checkpoint
from tests.text_file import text_file


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return tiny_checkpoint(tmp_path_factory.mktemp("good"))


@pytest.fixture
def folder(good, tmp_path):
    """A sound checkpoint to break."""
    return Path(shutil.copytree(good, tmp_path / "model"))


def refused(folder, *names):
    """The sentence that opening the folder ends with; `{folder}` in a name stands for its path."""
    with pytest.raises(BertcoreError) as caught:
        load_checkpoint(folder)
    sentence = str(caught.value)
    assert "\n" not in sentence and sentence.endswith("."), sentence
    assert "Error" not in sentence and len(sentence) < 3_000, sentence
    for name in names:
        assert name.replace("{folder}", str(folder)) in sentence, sentence
    return sentence


def without(*names):
    return lambda folder: [(folder / name).unlink() for name in names]


def holding(name, content):
    return lambda folder: (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def config(**changes):
    def spoil(folder):
        values = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**values, **changes}))

    return spoil


def weights(change):
    def spoil(folder):
        tensors = load_file(folder / "model.safetensors")
        change(tensors)
        save_file(tensors, folder / "model.safetensors")

    return spoil


def cut(name, kept):
    """Only the first bytes, all but the last, or a share of a file."""

    def spoil(folder):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: int(len(content) * kept) if 0 < kept < 1 else int(kept)])

    return spoil


def words(*words):
    """A vocabulary without a tokenizer.json."""
    return each(without("tokenizer.json"), holding("vocab.txt", "\n".join(words) + "\n"))


def each(*spoils):
    return lambda folder: [spoil(folder) for spoil in spoils]


def as_folder(name):
    return each(without(name, "vocab.txt"), lambda folder: (folder / name).mkdir())


def in_parts(folder, count=3):
    """The weights in several files and an index, as `transformers` writes large models; gives the index."""
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    where = {}
    for number in range(count):
        name = f"model-{number + 1:05}-of-{count:05}.safetensors"
        part = {key: value for i, (key, value) in enumerate(sorted(tensors.items())) if i % count == number}
        save_file(part, folder / name)
        where.update(dict.fromkeys(part, name))
    index = {"metadata": {"total_size": 1}, "weight_map": where}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return where


def pointing(place):
    """In parts, of which one is said to be there; a file beside the folder could be read."""

    def spoil(folder):
        where = in_parts(folder)
        save_file({"x": torch.zeros(1)}, folder.parent / "secret.safetensors")
        index = {"weight_map": {**where, next(iter(where)): place}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))

    return spoil


def pickled(content):
    return each(without("model.safetensors"), lambda folder: torch.save(content, folder / "pytorch_model.bin"))


def pickled_and_cut(kept):
    def save(folder):
        torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")

    return each(save, without("model.safetensors"), cut("pytorch_model.bin", kept))


def lacking(name):
    return lambda tensors: tensors.pop(name)


def as_kind(name, kind):
    return lambda tensors: tensors.update({name: tensors[name].to(kind)})


def shaped(name, *shape):
    return lambda tensors: tensors.update({name: torch.zeros(shape)})


WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
LAYER, POOLER = "bert.encoder.layer.", "bert.pooler.dense."
QUERY, DENSE = f"{LAYER}0.attention.self.query.weight", f"{LAYER}0.output.dense.weight"
TRANSFORM, DECODER = "cls.predictions.transform.dense.weight", "cls.predictions.decoder.weight"
ADAPTER = f"{LAYER}0.attention.adapter.weight"
PART = "model-00002-of-00003.safetensors"
FILES = ("config.json", "bertscope.json", "1_Pooling/config.json", "tokenizer.json", "tokenizer_config.json")
FILES = (*FILES, "vocab.txt", WEIGHTS, INDEX, "bertscope_heads.safetensors", "difference.safetensors")
ZERO = torch.zeros(2)
HALF = "\\ud800"  # half a character, as JSON writes it
TOO_MANY_BYTES = b'\x37\0\0\0\0\0\0\0{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}} ' + bytes(8)
NO_MODEL = [{"hidden_size": "32"}, {"hidden_size": 10**12}, {"num_attention_heads": []}, {"hidden_act": 3}]
NOT_JSON = [b"", b"{", b"[]", b"null", b'"bert"', b"\xff\xfe{\x00}", b"\x00" * 50, b"[" * 200_000]
NO_PARTS = ["a\0b", "\ud800", "x" * 5000, "../secret.safetensors", "", "/etc/passwd", 3, None, [PART]]
REFUSED = [  # what makes something else of a sound checkpoint, and what the sentence names
    # files
    (shutil.rmtree, ("{folder}",)),
    (lambda folder: [file.unlink() for file in folder.iterdir()], ("{folder}", "config.json")),
    *((without(name), ("{folder}", name)) for name in ("config.json", WEIGHTS)),
    (without("tokenizer.json", "vocab.txt", "tokenizer_config.json"), ("{folder}", "vocab")),
    *((as_folder(name), ("{folder}",)) for name in ("config.json", "tokenizer.json", WEIGHTS)),
    *((holding("bertscope.json", content), ("bertscope.json",)) for content in (b"{", b"[]", b"\xff")),
    # config
    *((holding("config.json", content), ("config.json",)) for content in NOT_JSON),
    (holding("config.json", b'{"a": 1' + b"0" * 9999 + b"}"), ("config.json",)),
    *((config(**wrong), ()) for wrong in NO_MODEL),
    # before memory is taken
    (config(hidden_size=65_536, intermediate_size=900_000, num_hidden_layers=2), ("do not fit",)),
    *((config(model_type=name), (repr(name), "BERT")) for name in ("gpt2", "t5", "xlnet", "", 3, ["bert"])),
    *((config(model_type=name), ("lacks",)) for name in ("roberta", "albert", "distilbert", "electra")),
    (config(position_embedding_type="relative_key"), ("relative_key",)),
    (config(position_embedding_type="absolute", is_decoder=True), ("decoder",)),
    (config(id2label={"0": "no", "1": "\ud800"}), ("labels", "config.json")),
    *((config(**{size: 64}), ("{folder}",)) for size in ("hidden_size", "intermediate_size")),
    (config(max_position_embeddings=41), ("{folder}",)),
    (config(type_vocab_size=3), ("{folder}",)),
    (config(num_hidden_layers=3), ("{folder}",)),
    (config(num_hidden_layers=1), ("2 layers", "says 1")),
    (config(vocab_size=len(VOCABULARY) - 2), ("do not belong together",)),
    # weights
    (weights(lacking(f"{LAYER}1.output.dense.weight")), (f"{LAYER}1.output.dense.weight", "lacks")),
    (weights(lacking(f"{LAYER}0.attention.self.key.bias")), ("lacks",)),  # a third of query, key and value
    (weights(lacking(TRANSFORM)), (TRANSFORM,)),  # half a head
    *(
        (weights(shaped(f"{POOLER}weight", *shape)), ("pooler.dense.weight", str(shape)))
        for shape in ((), (32,), (32, 33), (1, 32, 32))
    ),
    *((weights(shaped(QUERY, *shape)), ("query", "layer 1")) for shape in ((), (32,), (32, 33))),
    (weights(shaped(DECODER, len(VOCABULARY), 32)), ("token embeddings",)),
    *(
        (weights(as_kind(DENSE, getattr(torch, kind))), (DENSE, kind, "quantised"))
        for kind in ("int8", "int64", "bool", "uint8")
    ),
    (weights(as_kind(f"{POOLER}weight", torch.float8_e5m2)), (f"{POOLER}weight", "F8_E5M2")),
    *(
        (weights(lambda tensors, value=value: tensors[f"{POOLER}bias"][3:4].fill_(value)), ("pooler.dense.bias",))
        for value in (torch.nan, torch.inf)
    ),
    (weights(shaped(ADAPTER, 3)), (ADAPTER, "results would be wrong")),  # a part of which BERT has none
    (lambda folder: save_file({"transformer.wte.weight": torch.zeros(4)}, folder / WEIGHTS), ("another family",)),
    *((cut(WEIGHTS, kept), (WEIGHTS,)) for kept in (0, 7, 8, 100, 0.5, -1)),
    (holding(WEIGHTS, b"\xff" * 4000), (WEIGHTS,)),
    (holding(WEIGHTS, "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"), (WEIGHTS,)),
    (holding(WEIGHTS, TOO_MANY_BYTES), (WEIGHTS,)),
    (lambda folder: (folder / WEIGHTS).rename(folder / f"{WEIGHTS}.incomplete"), ("cut off", "incomplete")),
    # vocabulary
    *((words(*given), (str(len(given)), str(len(VOCABULARY)))) for given in (VOCABULARY[:-1], (*VOCABULARY, "more"))),
    # a look through all former words for each would take hours
    (words(*(f"word{number}" for number in range(400_000)), "word7"), ("'word7' twice",)),
    *(
        (each(without("tokenizer.json", "tokenizer_config.json"), holding(name, content)), ("{folder}",))
        for name, content in (
            ("tokenizer_config.json", f'{{"mask_token": "{HALF}"}}'),
            ("tokenizer_config.json", '{"added_tokens_decoder": {"99": {"content": "\\udfff", "special": true}}}'),
            ("added_tokens.json", f'{{"{HALF}": 99}}'),
            ("tokenizer.json", f'{{"model": {{"type": "WordPiece", "vocab": {{"{HALF}": 0}}}}}}'),
        )
    ),
    (
        each(
            without("tokenizer.json", "tokenizer_config.json", "vocab.txt"),
            holding("merges.txt", "#version: 0.2\n"),
            holding("vocab.json", f'{{"{HALF}": 0}}'),
        ),
        ("{folder}",),
    ),
    # parts
    (each(in_parts, without(PART)), ("3 parts", f"lacks {PART}")),
    (each(in_parts, without(INDEX)), ("model-00001-of-00003.safetensors", "index")),
    *(
        (each(in_parts, holding(INDEX, content)), ("index.json",))
        for content in ("{", "[]", "{}", '{"weight_map": {}}', '{"weight_map": {"a": 1}}')
    ),
    *((pointing(place), ("{folder}",)) for place in NO_PARTS),
    *((pointing(place), ("outside",)) for place in ("../secret.safetensors", "/etc/hostname")),
    # pickles
    (pickled(torch.nn.Linear(2, 2)), ("pytorch_model.bin",)),
    *((pickled(content), ()) for content in ([ZERO], ZERO, {"state_dict": {"x": ZERO}}, {1: ZERO}, {})),
    *((pickled_and_cut(kept), ("pytorch_model.bin",)) for kept in (0, 3, 100, 0.5, -1, -30)),
]


@pytest.mark.parametrize(("spoil", "says"), REFUSED)
def test_what_is_wrong_is_named(folder, spoil, says):
    spoil(folder)
    refused(folder, *says)


@pytest.mark.skipif(os.name == "nt", reason="pipes that have a name")
@pytest.mark.parametrize("name", FILES)
def test_a_pipe_where_a_file_should_be(folder, name):
    """Neither waited for nor passed over, as if it were not there."""
    if name in (INDEX, "vocab.txt"):  # only asked for without the other
        without(WEIGHTS if name == INDEX else "tokenizer.json")(folder)
    (folder / name).unlink(missing_ok=True)
    (folder / name).parent.mkdir(exist_ok=True)
    os.mkfifo(folder / name)
    refused(folder, f"{{folder}}/{name}", "not a regular file")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no such permissions here")
@pytest.mark.parametrize("name", ["config.json", WEIGHTS, "tokenizer.json", "tokenizer_config.json"])
def test_a_file_that_may_not_be_read_is_not_called_damaged(folder, name):
    (folder / name).chmod(0)
    if os.access(folder / name, os.R_OK):
        pytest.skip("this user may read everything")
    sentence = refused(folder, name, "permission")
    assert "damaged" not in sentence and "valid" not in sentence


def test_a_file_instead_of_a_folder(folder):
    refused(folder / "config.json", "config.json")
    with pytest.raises(BertcoreError, match="is a file"):
        resolve_model(folder / "config.json")


@pytest.mark.parametrize("names", [None, {"0": "no", "1": "yes"}, {str(i): f"name {i}" for i in range(50)}])
def test_the_number_of_labels_is_that_of_transformers(folder, names):
    """An `id2label` of two is often a default that somebody's program wrote beside `num_labels`."""
    from transformers import BertConfig as Theirs

    config(num_labels=50, **({"id2label": names} if names else {}))(folder)
    theirs = Theirs.from_pretrained(folder)
    without(WEIGHTS)(folder)  # the config alone is enough
    assert read_config(folder).labels == tuple(theirs.id2label[i] for i in range(50))


@pytest.mark.parametrize("names", [[None], [3, "BertForPreTraining"], 5, "BertForPreTraining"])
def test_classes_that_are_no_names_tell_nothing(folder, names):
    config(architectures=names)(folder)
    assert load_checkpoint(folder).output_heads == ("mlm", "nsp")


def test_tensors_left_over_are_left_alone_and_no_head_is_guessed(folder):
    left = {"something.else": torch.zeros(3, dtype=torch.int32), "classifier.weight": torch.zeros(2, 32)}
    weights(lambda tensors: tensors.update(left))(folder)
    opened = load_checkpoint(folder)
    assert set(opened.unused) == set(left) and opened.output_heads == ("mlm", "nsp")


@pytest.mark.parametrize("as_json", [True, False])
def test_capitals_read_in_lower_case(folder, as_json):
    """As a vocabulary of proteins, of which `transformers` makes nothing but [UNK]."""
    letters = (*SPECIAL_TOKENS, *"ACDEFGHIKLMNPQRSTVWY")
    if as_json:
        Tokenizer(raw_from_words(letters)).save(folder)
    else:
        words(*letters)(folder)
    settings = text_file(folder / "tokenizer_config.json", json.dumps({"tokenizer_class": "BertTokenizer"}))
    refused(folder, "capital letters", '"do_lower_case": false', "tokenizer_config.json")
    settings.write_text(json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": False}))
    assert Tokenizer.from_folder(folder).encode("A C D").tokens == ["[CLS]", "A", "C", "D", "[SEP]"]


def test_a_table_padded_to_a_round_number(folder):
    rows = len(VOCABULARY) + 8

    def pad(tensors):
        for name in ("bert.embeddings.word_embeddings.weight", "cls.predictions.bias"):
            tensors[name] = torch.cat([tensors[name], torch.zeros(8, *tensors[name].shape[1:])])

    each(weights(pad), config(vocab_size=rows))(folder)
    assert load_checkpoint(folder).config.vocab_size == rows
    without("tokenizer.json")(folder)  # line numbers are ids now: a line may have been lost
    refused(folder, f"{len(VOCABULARY):,}", f"{rows:,}")


class _RunsCode:
    """Unpickling this writes a file."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return (Path.write_text, (self.file, "it ran"))


@pytest.mark.parametrize("how", ["zip", "legacy", "bare pickle", "beside tensors"])
def test_a_pickle_that_would_run_code_never_does(folder, how, tmp_path):
    trap, content, binary = _RunsCode(tmp_path / "ran"), load_file(folder / WEIGHTS), folder / "pytorch_model.bin"
    pickle.loads(pickle.dumps(trap))  # else the rest would prove nothing
    assert (tmp_path / "ran").read_text() == "it ran"
    (tmp_path / "ran").unlink()
    if how == "zip":
        torch.save(trap, binary)
    elif how == "legacy":
        torch.save({"x": trap}, binary, _use_new_zipfile_serialization=False)
    elif how == "bare pickle":
        binary.write_bytes(pickle.dumps(trap, protocol=2))
    else:
        torch.save({**content, "extra": trap}, binary)
    stored = binary.read_bytes()
    if zipfile.is_zipfile(binary):
        with zipfile.ZipFile(binary) as archive:
            stored = b"".join(archive.read(name) for name in archive.namelist())
    assert b"write_text" in stored
    without(WEIGHTS)(folder)
    refused(folder, "pytorch_model.bin")
    assert not (tmp_path / "ran").exists()


def test_who_may_look_into_the_folder_may_read_the_weights(folder):
    files = [file for file in folder.iterdir() if file.suffix == ".safetensors"]
    assert files and {file.stat().st_mode & 0o666 for file in files} == {folder.stat().st_mode & 0o666}
    folder.chmod(0o755)
    save_checkpoint(load_checkpoint(folder).model, load_checkpoint(folder).tokenizer, folder)
    assert {file.stat().st_mode & 0o777 for file in files} == {0o644}


def test_weights_in_parts_by_hand_and_as_transformers_writes_them(folder, tmp_path):
    import transformers

    model = transformers.BertForPreTraining.from_pretrained(folder)
    model.save_pretrained(tmp_path / "theirs", max_shard_size="20KB")
    for file in folder.glob("*token*"):
        shutil.copy(file, tmp_path / "theirs")
    whole = load_checkpoint(folder).model.state_dict()
    in_parts(folder)
    for parts in (folder, tmp_path / "theirs"):
        assert len(list(parts.glob("*.safetensors"))) > 1
        again = load_checkpoint(parts).model.state_dict()
        assert all(torch.equal(value, again[name]) for name, value in whole.items())
