"""Checkpoint folders as people have them, and what is none: refused with one sentence, and nothing in it is run."""

import json
import os
import pickle
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from bertcore.checkpoint.checkpoint import load_checkpoint, read_config, save_checkpoint
from bertcore.checkpoint.tensor_names import class_name
from bertcore.errors import BertcoreError
from bertcore.resolve_model import resolve_model
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words
from tests.engine.models import VOCABULARY, tiny_checkpoint, tiny_config
from tests.text_file import text_file


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_checkpoint(tmp_path_factory.mktemp("good"))


@pytest.fixture
def folder(good: Path, tmp_path: Path) -> Path:
    """A sound checkpoint to break."""
    return Path(shutil.copytree(good, tmp_path / "model"))


def refused(folder: Path, *names: str) -> str:
    """The sentence that opening the folder ends with."""
    with pytest.raises(BertcoreError) as caught:
        load_checkpoint(folder)
    sentence = str(caught.value)
    assert "\n" not in sentence and sentence.endswith("."), sentence
    assert "Error" not in sentence and len(sentence) < 3_000, sentence
    for name in names:
        assert name in sentence, sentence
    return sentence


def edit_config(folder: Path, **changes: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def edit_weights(folder: Path, change: Callable[[dict[str, Tensor]], object]) -> None:
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


class TestFolders:
    def test_no_folder(self, tmp_path: Path) -> None:
        refused(tmp_path / "gone", "gone")

    def test_empty_folder(self, tmp_path: Path) -> None:
        refused(tmp_path, str(tmp_path), "config.json")

    @pytest.mark.parametrize(
        ("missing", "named"), [("config.json", "config.json"), ("model.safetensors", "model.safetensors")]
    )
    def test_a_missing_file(self, folder: Path, missing: str, named: str) -> None:
        (folder / missing).unlink()
        refused(folder, str(folder), named)

    def test_missing_vocabulary(self, folder: Path) -> None:
        for name in ("tokenizer.json", "vocab.txt", "tokenizer_config.json"):
            (folder / name).unlink()
        refused(folder, str(folder), "vocab")

    @pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
    def test_a_folder_where_a_file_should_be(self, folder: Path, name: str) -> None:
        (folder / name).unlink()
        (folder / "vocab.txt").unlink()
        (folder / name).mkdir()
        refused(folder, str(folder))

    @pytest.mark.skipif(os.name == "nt", reason="pipes that have a name")
    @pytest.mark.parametrize(
        "name",
        [
            "config.json",
            "bertscope.json",
            "bertscope_heads.safetensors",
            "difference.safetensors",
            "model.safetensors",
            "model.safetensors.index.json",
            "1_Pooling/config.json",
            "tokenizer.json",
            "tokenizer_config.json",
            "vocab.txt",
        ],
    )
    def test_a_pipe_where_a_file_should_be(self, folder: Path, name: str) -> None:
        """Neither waited for nor passed over, as if it were not there."""
        if name.startswith("model.safetensors."):
            (folder / "model.safetensors").unlink()
        if name == "vocab.txt":  # only asked for without the other
            (folder / "tokenizer.json").unlink()
        (folder / name).unlink(missing_ok=True)
        (folder / name).parent.mkdir(exist_ok=True)
        os.mkfifo(folder / name)
        refused(folder, str(folder / name), "not a regular file")

    def test_a_file_instead_of_a_folder(self, folder: Path) -> None:
        refused(folder / "config.json", "config.json")
        with pytest.raises(BertcoreError, match="is a file"):
            resolve_model(folder / "config.json")

    @pytest.mark.parametrize(
        "reference", ["/gone/model", "./gone", "a/b/c", "~no-such-user/model", "/" + "x" * 5000, "ümlaut?", "nul\0"]
    )
    def test_a_reference_that_is_nothing_is_a_sentence(self, reference: str) -> None:
        with pytest.raises(BertcoreError):
            resolve_model(reference)


class TestConfig:
    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"{",
            b"[]",
            b"null",
            b'"bert"',
            b"\xff\xfe{\x00}",
            b"\x00" * 50,
            b"[" * 200_000,
            b'{"a": 1' + b"0" * 9999 + b"}",
        ],
    )
    def test_broken_json(self, folder: Path, content: bytes) -> None:
        (folder / "config.json").write_bytes(content)
        refused(folder, "config.json")

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("hidden_size", "32"),
            ("hidden_size", 32.0),
            ("hidden_size", 10**12),
            ("num_attention_heads", []),
            ("vocab_size", 10**15),
            ("type_vocab_size", {"a": 1}),
            ("hidden_act", 3),
            ("layer_norm_eps", "tiny"),
            ("attention_probs_dropout_prob", 7),
            ("number_range", [0, 10**400]),
        ],
    )
    def test_values_that_make_no_model(self, folder: Path, field: str, value: object) -> None:
        edit_config(folder, **{field: value})
        refused(folder)

    def test_a_large_size_is_refused_before_memory_is_taken(self, folder: Path) -> None:
        edit_config(folder, hidden_size=65_536, intermediate_size=900_000, num_hidden_layers=2)
        refused(folder, "do not fit")

    @pytest.mark.parametrize("family", ["gpt2", "t5", "xlnet", "", 3, ["bert"]])
    def test_another_family_is_named(self, folder: Path, family: object) -> None:
        edit_config(folder, model_type=family)
        refused(folder, repr(family), "BERT")

    @pytest.mark.parametrize("family", ["roberta", "albert", "distilbert", "electra"])
    def test_a_bert_that_calls_itself_another_family(self, folder: Path, family: str) -> None:
        edit_config(folder, model_type=family)
        refused(folder, "lacks")

    def test_relative_positions_and_decoders(self, folder: Path) -> None:
        edit_config(folder, position_embedding_type="relative_key")
        refused(folder, "relative_key")
        edit_config(folder, position_embedding_type="absolute", is_decoder=True)
        refused(folder, "decoder")

    @pytest.mark.parametrize("names", [None, {"0": "no", "1": "yes"}, {str(i): f"name {i}" for i in range(50)}])
    def test_the_number_of_labels_is_that_of_transformers(self, folder: Path, names: dict[str, str] | None) -> None:
        """An `id2label` of two is often a default that somebody's program wrote beside `num_labels`."""
        from transformers import BertConfig as Theirs

        edit_config(folder, num_labels=50, **({"id2label": names} if names else {}))
        theirs = Theirs.from_pretrained(folder)
        assert read_config(folder).labels == tuple(theirs.id2label[i] for i in range(50))

    def test_half_a_character_in_a_label(self, folder: Path) -> None:
        edit_config(folder, id2label={"0": "no", "1": "\ud800"})
        refused(folder, "labels", "config.json")

    def test_config_alone_is_enough_to_read_the_config(self, folder: Path) -> None:
        (folder / "model.safetensors").unlink()
        assert read_config(folder).num_hidden_layers == 2


LAYER, POOLER = "bert.encoder.layer.", "bert.pooler.dense."
QUERY, DENSE = f"{LAYER}0.attention.self.query.weight", f"{LAYER}0.output.dense.weight"
TRANSFORM, DECODER = "cls.predictions.transform.dense.weight", "cls.predictions.decoder.weight"


def lacking(name: str) -> Callable[[dict[str, Tensor]], object]:
    return lambda tensors: tensors.pop(name)


def as_kind(name: str, kind: torch.dtype) -> Callable[[dict[str, Tensor]], object]:
    return lambda tensors: tensors.update({name: tensors[name].to(kind)})


def holding(name: str, *shape: int) -> Callable[[dict[str, Tensor]], object]:
    return lambda tensors: tensors.update({name: torch.zeros(shape)})


class TestWeights:
    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (lacking(f"{LAYER}1.output.dense.weight"), (f"{LAYER}1.output.dense.weight", "lacks")),
            (lacking(f"{LAYER}0.attention.self.key.bias"), ("lacks",)),  # a third of query, key and value
            (lacking(TRANSFORM), (TRANSFORM,)),  # half a head
            *(
                (holding(f"{POOLER}weight", *s), ("pooler.dense.weight", str(s)))
                for s in ((), (32,), (32, 33), (1, 32, 32))
            ),
            *((holding(QUERY, *shape), ("query", "layer 1")) for shape in ((), (32,), (32, 33))),
            (holding(DECODER, len(VOCABULARY), 32), ("token embeddings",)),
            *(
                (as_kind(DENSE, getattr(torch, kind)), (DENSE, kind, "quantised"))
                for kind in ("int8", "int64", "bool", "uint8")
            ),
            (as_kind(f"{POOLER}weight", torch.float8_e4m3fn), (f"{POOLER}weight", "F8_E4M3")),
            (lambda tensors: tensors[f"{POOLER}bias"].__setitem__(3, float("nan")), ("pooler.dense.bias",)),
            (lambda tensors: tensors[f"{POOLER}bias"].__setitem__(3, float("inf")), ("pooler.dense.bias",)),
        ],
    )
    def test_what_is_wrong_is_named(
        self, folder: Path, change: Callable[[dict[str, Tensor]], object], says: tuple[str, ...]
    ) -> None:
        edit_weights(folder, change)
        refused(folder, *says)

    def test_weights_of_another_model(self, folder: Path) -> None:
        save_file({"transformer.wte.weight": torch.zeros(4, 4)}, folder / "model.safetensors")
        refused(folder, "lacks", "another family")

    def test_more_layers_than_the_config_says(self, folder: Path) -> None:
        edit_config(folder, num_hidden_layers=1)
        refused(folder, "2 layers", "says 1")

    @pytest.mark.parametrize("kept", [0, 7, 8, 100, 0.5, -1])
    def test_cut_off_safetensors(self, folder: Path, kept: float) -> None:
        file = folder / "model.safetensors"
        content = file.read_bytes()
        file.write_bytes(content[: int(len(content) * kept) if 0 < kept < 1 else int(kept)])
        refused(folder, "model.safetensors")

    @pytest.mark.parametrize(
        "content",
        [
            b"\xff" * 4000,
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            b'\x37\0\0\0\0\0\0\0{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}} ' + bytes(8),  # too many bytes
        ],
    )
    def test_something_else_under_the_name(self, folder: Path, content: bytes) -> None:
        (folder / "model.safetensors").write_bytes(content)
        refused(folder, "model.safetensors")

    @pytest.mark.parametrize(
        "changes",
        [
            {"hidden_size": 64},
            {"intermediate_size": 96},
            {"max_position_embeddings": 41},
            {"type_vocab_size": 3},
            {"num_hidden_layers": 3},
        ],
    )
    def test_shapes_that_do_not_fit_the_config(self, folder: Path, changes: dict[str, int]) -> None:
        edit_config(folder, **changes)
        refused(folder, str(folder))

    def test_unknown_tensors_of_any_kind_are_left_alone(self, folder: Path) -> None:
        edit_weights(folder, lambda tensors: tensors.update({"something.else": torch.zeros(3, dtype=torch.int32)}))
        assert load_checkpoint(folder).unused == ("something.else",)

    def test_200_layers_open(self, tmp_path: Path) -> None:
        sizes = {"hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 8}
        folder = tiny_checkpoint(tmp_path / "deep", num_hidden_layers=200, **sizes)
        assert len(load_checkpoint(folder).model.encoder.layers) == 200


class TestVocabulary:
    @pytest.mark.parametrize("words", [VOCABULARY[:-1], (*VOCABULARY, "more")])
    def test_another_size(self, folder: Path, words: tuple[str, ...]) -> None:
        (folder / "tokenizer.json").unlink()
        (folder / "vocab.txt").write_text("\n".join(words) + "\n")
        refused(folder, str(len(words)), str(len(VOCABULARY)))

    def test_a_word_twice_in_a_long_list_is_said_at_once(self, folder: Path) -> None:
        """A look through all former words for each would take hours."""
        (folder / "tokenizer.json").unlink()
        words = (*(f"word{number}" for number in range(400_000)), "word7")
        (folder / "vocab.txt").write_text("\n".join(words) + "\n")
        refused(folder, "'word7' twice")

    @pytest.mark.parametrize("as_json", [True, False])
    def test_capitals_read_in_lower_case(self, folder: Path, as_json: bool) -> None:
        """As a vocabulary of proteins, of which `transformers` makes nothing but [UNK]."""
        words = (*SPECIAL_TOKENS, *"ACDEFGHIKLMNPQRSTVWY")
        if as_json:
            Tokenizer(raw_from_words(words)).save(folder)
        else:
            (folder / "tokenizer.json").unlink()
            (folder / "vocab.txt").write_text("\n".join(words) + "\n")
        settings = text_file(folder / "tokenizer_config.json", json.dumps({"tokenizer_class": "BertTokenizer"}))
        refused(folder, "capital letters", '"do_lower_case": false', "tokenizer_config.json")
        settings.write_text(json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": False}))
        assert Tokenizer.from_folder(folder).encode("A C D").tokens == ["[CLS]", "A", "C", "D", "[SEP]"]

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("tokenizer_config.json", '{"mask_token": "\\ud800"}'),
            ("tokenizer_config.json", '{"added_tokens_decoder": {"99": {"content": "\\udfff", "special": true}}}'),
            ("added_tokens.json", '{"\\ud800": 99}'),
            ("vocab.json", '{"\\ud800": 0}'),
            ("tokenizer.json", '{"model": {"type": "WordPiece", "vocab": {"\\ud800": 0}}}'),
        ],
    )
    def test_half_a_character(self, folder: Path, name: str, content: str) -> None:
        for other in ("tokenizer.json", "tokenizer_config.json"):
            (folder / other).unlink()
        if name == "vocab.json":
            (folder / "vocab.txt").unlink()
            (folder / "merges.txt").write_text("#version: 0.2\n")
        (folder / name).write_text(content)
        refused(folder, str(folder))

    def test_a_word_twice(self, folder: Path) -> None:
        (folder / "tokenizer.json").unlink()
        (folder / "vocab.txt").write_text("\n".join((*VOCABULARY[:-1], "the")) + "\n")
        refused(folder)


@pytest.mark.parametrize("names", [[None], [3, "BertForPreTraining"], 5, "BertForPreTraining"])
def test_classes_that_are_no_names_tell_nothing(folder: Path, names: object) -> None:
    edit_config(folder, architectures=names)
    load_checkpoint(folder)


class TestShards:
    @pytest.fixture
    def index(self, folder: Path) -> Path:
        (folder / "model.safetensors").rename(folder / "part-1.safetensors")
        return folder / "model.safetensors.index.json"

    @pytest.mark.parametrize(
        "name",
        ["a\0b", "\ud800", "x" * 5000, "../part-1.safetensors", "", "/etc/passwd", 3, None, ["part-1.safetensors"]],
    )
    def test_a_part_that_no_file_can_be(self, index: Path, name: object) -> None:
        index.write_text(json.dumps({"weight_map": {"bert.x": name}}))
        refused(index.parent, str(index.parent))


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no such permissions here")
@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"])
def test_a_file_that_may_not_be_read_is_not_called_damaged(folder: Path, name: str) -> None:
    (folder / name).chmod(0)
    if os.access(folder / name, os.R_OK):
        pytest.skip("this user may read everything")
    sentence = refused(folder, name, "permission")
    assert "damaged" not in sentence and "valid" not in sentence


class _RunsCode:
    """Unpickling this writes a file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.write_text, (self.file, "it ran"))


class TestPickles:
    @pytest.fixture
    def binary(self, folder: Path) -> Path:
        (folder / "model.safetensors").unlink()
        return folder / "pytorch_model.bin"

    def test_the_trap_works(self, tmp_path: Path) -> None:
        """Else the tests below would prove nothing."""
        pickle.loads(pickle.dumps(_RunsCode(tmp_path / "ran")))
        assert (tmp_path / "ran").read_text() == "it ran"

    @pytest.mark.parametrize("how", ["zip", "legacy", "bare pickle", "beside tensors"])
    def test_a_pickle_that_would_run_code_never_does(self, binary: Path, good: Path, how: str, tmp_path: Path) -> None:
        trap, content = _RunsCode(tmp_path / "ran"), load_file(good / "model.safetensors")
        if how == "zip":
            torch.save(trap, binary)
        elif how == "legacy":
            torch.save({"x": trap}, binary, _use_new_zipfile_serialization=False)
        elif how == "bare pickle":
            binary.write_bytes(pickle.dumps(trap, protocol=2))
        else:
            torch.save({**content, "extra": trap}, binary)
        assert b"write_text" in _pickled(binary)
        refused(binary.parent, "pytorch_model.bin")
        assert not (tmp_path / "ran").exists()

    def test_a_whole_pickled_model_is_refused(self, binary: Path) -> None:
        torch.save(torch.nn.Linear(2, 2), binary)
        refused(binary.parent, "pytorch_model.bin")

    @pytest.mark.parametrize(
        "content", [[torch.zeros(2)], torch.zeros(2), {"state_dict": {"x": torch.zeros(2)}}, {1: torch.zeros(1)}, {}]
    )
    def test_no_table_of_tensors(self, binary: Path, content: object) -> None:
        torch.save(content, binary)
        refused(binary.parent)

    @pytest.mark.parametrize("kept", [0, 3, 100, 0.5, -1, -30])
    def test_cut_off(self, binary: Path, good: Path, kept: float) -> None:
        torch.save(load_file(good / "model.safetensors"), binary)
        content = binary.read_bytes()
        binary.write_bytes(content[: int(len(content) * kept) if 0 < kept < 1 else int(kept)])
        refused(binary.parent, "pytorch_model.bin")


def _pickled(file: Path) -> bytes:
    if not zipfile.is_zipfile(file):
        return file.read_bytes()
    with zipfile.ZipFile(file) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff"])
def test_a_broken_bertscope_json_is_named(folder: Path, content: bytes) -> None:
    (folder / "bertscope.json").write_bytes(content)
    refused(folder, "bertscope.json")


def test_a_sound_copy_does_open(folder: Path) -> None:
    assert load_checkpoint(folder).output_heads == ("mlm", "nsp")


# --- in parts, half downloaded, in half precision, with tensors left over


def in_parts(folder: Path, count: int = 3) -> dict[str, str]:
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


def test_who_may_look_into_the_folder_may_read_the_weights(folder: Path) -> None:
    files = [file for file in folder.iterdir() if file.suffix == ".safetensors"]
    assert files and {file.stat().st_mode & 0o666 for file in files} == {folder.stat().st_mode & 0o666}
    folder.chmod(0o755)
    save_checkpoint(load_checkpoint(folder).model, load_checkpoint(folder).tokenizer, folder)
    assert {file.stat().st_mode & 0o777 for file in files} == {0o644}


class TestParts:
    def test_all_there(self, folder: Path) -> None:
        whole = load_checkpoint(folder).model.state_dict()
        in_parts(folder)
        again = load_checkpoint(folder).model.state_dict()
        assert all(torch.equal(value, again[name]) for name, value in whole.items())

    def test_as_transformers_writes_them(self, tmp_path: Path, folder: Path) -> None:
        import transformers

        model = transformers.BertForPreTraining.from_pretrained(folder)
        model.save_pretrained(tmp_path / "parts", max_shard_size="20KB")
        for file in folder.glob("*token*"):
            shutil.copy(file, tmp_path / "parts")
        assert len(list((tmp_path / "parts").glob("*.safetensors"))) > 1
        ids = torch.tensor([[2, 7, 9, 3]])
        with torch.no_grad():
            assert torch.equal(load_checkpoint(tmp_path / "parts").model(ids), load_checkpoint(folder).model(ids))

    def test_one_is_missing(self, folder: Path) -> None:
        in_parts(folder)
        (folder / "model-00002-of-00003.safetensors").unlink()
        refused(folder, "3 parts", "lacks model-00002-of-00003.safetensors")

    def test_the_index_is_missing(self, folder: Path) -> None:
        in_parts(folder)
        (folder / "model.safetensors.index.json").unlink()
        refused(folder, "model-00001-of-00003.safetensors", "index")

    @pytest.mark.parametrize("content", ["{", "[]", "{}", '{"weight_map": {}}', '{"weight_map": {"a": 1}}'])
    def test_an_index_that_says_nothing(self, folder: Path, content: str) -> None:
        in_parts(folder)
        (folder / "model.safetensors.index.json").write_text(content)
        refused(folder, "index.json")

    @pytest.mark.parametrize("place", ["../secret.safetensors", "/etc/hostname"])
    def test_an_index_that_points_elsewhere(self, folder: Path, place: str) -> None:
        where = in_parts(folder)
        save_file({"x": torch.zeros(1)}, folder.parent / "secret.safetensors")
        first = next(iter(where))
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {**where, first: place}}))
        refused(folder, "outside")

    def test_a_download_that_was_cut_off(self, folder: Path) -> None:
        (folder / "model.safetensors").rename(folder / "model.safetensors.incomplete")
        refused(folder, "cut off", "incomplete")


class TestPrecision:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
    def test_other_precisions_are_read_as_float32(self, folder: Path, dtype: torch.dtype) -> None:
        exact = load_checkpoint(folder).model.state_dict()
        edit_weights(folder, lambda tensors: tensors.update({k: v.to(dtype) for k, v in tensors.items()}))
        for name, value in load_checkpoint(folder).model.state_dict().items():
            assert value.dtype == torch.float32 and torch.equal(value, exact[name].to(dtype).float())


class TestLeftOver:
    def test_a_classifier_of_unknown_kind_is_not_guessed(self, folder: Path) -> None:
        edit_weights(folder, lambda tensors: tensors.update({"classifier.weight": torch.zeros(2, 32)}))
        opened = load_checkpoint(folder)
        assert opened.unused == ("classifier.weight",) and opened.output_heads == ("mlm", "nsp")

    def test_parts_of_the_encoder_that_a_bert_does_not_have(self, folder: Path) -> None:
        name = "bert.encoder.layer.0.attention.adapter.weight"
        edit_weights(folder, lambda tensors: tensors.update({name: torch.zeros(3)}))
        refused(folder, name, "results would be wrong")

    def test_twenty_names_at_most(self, folder: Path) -> None:
        edit_weights(folder, lambda tensors: [tensors.pop(name) for name in list(tensors) if ".layer." in name])
        sentence = refused(folder, "and 4 more")  # 2 layers x 12 tensors, query, key and value being one
        assert sentence.count("bert.encoder.layer") == 20


class TestVocabularyAndTable:
    def test_a_table_padded_to_a_round_number(self, folder: Path) -> None:
        rows = len(VOCABULARY) + 8

        def pad(tensors: dict[str, torch.Tensor]) -> None:
            for name in ("bert.embeddings.word_embeddings.weight", "cls.predictions.bias"):
                tensors[name] = torch.cat([tensors[name], torch.zeros(8, *tensors[name].shape[1:])])

        edit_weights(folder, pad)
        edit_config(folder, vocab_size=rows)
        assert load_checkpoint(folder).config.vocab_size == rows
        (folder / "tokenizer.json").unlink()  # line numbers are ids now: a line may have been lost
        refused(folder, f"{len(VOCABULARY):,}", f"{rows:,}")

    def test_a_vocabulary_larger_than_the_table(self, folder: Path) -> None:
        edit_config(folder, vocab_size=len(VOCABULARY) - 2)
        refused(folder, "do not belong together")


@pytest.mark.parametrize(
    ("heads", "expected", "held"),
    [
        ((), "BertModel", ()),
        (("mlm", "nsp"), "BertForPreTraining", ("mlm", "nsp")),
        (("tag", "crf"), "BertForTokenClassification", ("tag",)),
        (("span", "mlm"), "BertForQuestionAnswering", ("span",)),
    ],
)
def test_the_class_that_holds_most(heads: tuple[str, ...], expected: str, held: tuple[str, ...]) -> None:
    assert class_name(tiny_config(), heads) == (expected, held)
