"""Checkpoint folders as people have them: in parts, half downloaded, in half precision, with tensors left over."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.checkpoint.tensor_names import class_name
from tests.engine.models import VOCABULARY, tiny_checkpoint, tiny_config
from tests.engine.test_checkpoint_bad_input import edit_config, edit_weights, refused


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_checkpoint(tmp_path / "model")


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
