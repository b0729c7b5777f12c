"""One checkpoint format: what BERTscope writes opens in `transformers` and the reverse, with the same numbers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.config import BertConfig
from bertcore.model.bert import PRETRAINING
from tests.engine.models import VOCABULARY, everything, random_batch, randomise, tiny_config, tiny_model, word_tokenizer

TOLERANCE = 1e-5
LENGTHS = {"unpadded": [9, 9], "padded": [11, 4, 1]}
SHAPES: list[dict[str, Any]] = [
    {},
    {"num_hidden_layers": 1, "num_attention_heads": 1},
    {"num_hidden_layers": 5, "num_attention_heads": 2, "hidden_size": 24, "intermediate_size": 96},
    {"num_attention_heads": 32, "intermediate_size": 7},
    {"hidden_act": "gelu_new", "type_vocab_size": 1, "max_position_embeddings": 11},
    {"hidden_act": "relu", "type_vocab_size": 3, "hidden_size": 20},
    {"num_hidden_layers": 3, "num_attention_heads": 3, "hidden_size": 27, "layer_norm_eps": 1e-3},
    {"pad_token_id": 7, "hidden_dropout_prob": 0.5, "attention_probs_dropout_prob": 0.5},
]


def _named(shape: dict[str, Any]) -> str:
    return "-".join(f"{key.removeprefix('num_')}={value}" for key, value in shape.items()) or "plain"


def _open_in_transformers(folder: Path, name: str = "BertForPreTraining") -> Any:
    """The model, with nothing missing and nothing left over."""
    import transformers

    kind = getattr(transformers, name)
    model, about = kind.from_pretrained(folder, attn_implementation="eager", output_loading_info=True)
    assert not about["missing_keys"] and not about["unexpected_keys"] and not about["mismatched_keys"]
    return model.eval()


def _from_transformers(name: str = "BertForPreTraining", seed: int = 1, **shape: Any) -> Any:
    import transformers

    config = transformers.BertConfig(**tiny_config(**shape).to_dict())
    model = getattr(transformers, name)._from_config(config, attn_implementation="eager")
    randomise(model, seed)
    return model.eval()


def _write_by_transformers(model: Any, folder: Path) -> None:
    from transformers import BertTokenizer

    model.save_pretrained(folder)
    BertTokenizer(vocab={word: i for i, word in enumerate(VOCABULARY)}).save_pretrained(folder)


def _theirs(model: Any, ids: Tensor, segments: Tensor, mask: Tensor | None) -> dict[str, Tensor]:
    with torch.no_grad():
        out = model(
            input_ids=ids,
            token_type_ids=segments,
            attention_mask=mask,
            output_attentions=True,
            output_hidden_states=True,
        )
    found = {"hidden": torch.stack(out.hidden_states), "attentions": torch.stack(out.attentions)}
    names = {"prediction_logits": "mlm", "seq_relationship_logits": "nsp", "pooler_output": "pooled"}
    for theirs, ours in names.items():
        if (value := getattr(out, theirs, None)) is not None:
            found[ours] = value
    if type(model).__name__ == "BertForMaskedLM":
        found["mlm"] = out.logits
    if type(model).__name__ == "BertForNextSentencePrediction":
        found["nsp"] = out.logits
    return found


def _assert_same(ours: dict[str, Tensor], theirs: dict[str, Tensor], mask: Tensor) -> None:
    """Within TOLERANCE at every real token; what padding tokens see means nothing."""
    real = mask.bool()
    rows = {
        "hidden": lambda x: x[:, real],  # (L+1,B,S,H)
        "attentions": lambda x: x.transpose(2, 3)[:, real],  # (L,B,N,S,S) -> rows that real tokens look along
        "mlm": lambda x: x[real],
    }
    for name in theirs:
        pick: Callable[[Tensor], Tensor] = rows.get(name, lambda x: x)
        worst = float((pick(ours[name]) - pick(theirs[name])).abs().max())
        assert worst <= TOLERANCE, f"{name} differs by {worst}"


def _compare(ours: Any, theirs: Any, config: BertConfig) -> None:
    for lengths in LENGTHS.values():
        ids, segments, mask = random_batch(config, lengths)
        given = None if bool(mask.all()) else mask
        found = _theirs(theirs, ids, segments, given)
        assert float(found["hidden"].std()) > 0.1  # weights are large enough to tell
        _assert_same(everything(ours, ids, segments, given), found, mask)


@pytest.mark.parametrize("shape", SHAPES, ids=_named)
def test_what_we_write_opens_in_transformers(tmp_path: Path, shape: dict[str, Any]) -> None:
    model = tiny_model(**shape)
    save_checkpoint(model, word_tokenizer(), tmp_path)
    _compare(model, _open_in_transformers(tmp_path), model.config)


@pytest.mark.parametrize("shape", SHAPES, ids=_named)
def test_what_transformers_writes_opens_here(tmp_path: Path, shape: dict[str, Any]) -> None:
    theirs = _from_transformers(**shape)
    _write_by_transformers(theirs, tmp_path)
    opened = load_checkpoint(tmp_path)
    assert opened.output_heads == PRETRAINING and not set(opened.missing) - {"segments"}
    _compare(opened.model, theirs, opened.config)


@pytest.mark.parametrize(
    ("tasks", "pooler", "opens_as"),
    [(("mlm",), False, "BertForMaskedLM"), ((), True, "BertModel"), (("nsp",), True, "BertForNextSentencePrediction")],
)
def test_fewer_heads_written_by_us(tmp_path: Path, tasks: tuple[str, ...], pooler: bool, opens_as: str) -> None:
    model = tiny_model(tasks, pooler)
    save_checkpoint(model, word_tokenizer(), tmp_path)
    _compare(model, _open_in_transformers(tmp_path, opens_as), model.config)


@pytest.mark.parametrize(
    ("kind", "tasks", "missing"),
    [
        ("BertModel", (), {"mlm", "nsp"}),
        ("BertForMaskedLM", ("mlm",), {"nsp", "pooler"}),
        ("BertForNextSentencePrediction", ("nsp",), {"mlm"}),
    ],
)
def test_fewer_heads_written_by_transformers(tmp_path: Path, kind: str, tasks: tuple[str, ...], missing: set) -> None:
    theirs = _from_transformers(kind)
    _write_by_transformers(theirs, tmp_path)
    opened = load_checkpoint(tmp_path)
    assert opened.output_heads == tasks and set(opened.missing) == missing
    assert all(sentence.endswith(".") for sentence in opened.missing.values())
    _compare(opened.model, theirs, opened.config)


def test_a_fine_tuned_encoder_opens_with_its_classifier(tmp_path: Path) -> None:
    theirs = _from_transformers("BertForSequenceClassification")
    _write_by_transformers(theirs, tmp_path)
    opened = load_checkpoint(tmp_path)
    assert opened.output_heads == ("classify",) and set(opened.missing) == {"mlm", "nsp"}
    _compare(opened.model, theirs.bert, opened.config)


def _as_pickle(folder: Path, tensors: dict[str, Tensor]) -> None:
    (folder / "model.safetensors").unlink()
    torch.save(tensors, folder / "pytorch_model.bin")


def _as_old_names(folder: Path, tensors: dict[str, Tensor]) -> None:
    def old(name: str) -> str:
        return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")

    _as_pickle(folder, {old(name): value for name, value in tensors.items()})


def _as_data_parallel(folder: Path, tensors: dict[str, Tensor]) -> None:
    _as_pickle(folder, {f"module.{name}": value for name, value in tensors.items()})


def _with_copies(folder: Path, tensors: dict[str, Tensor]) -> None:
    """As old versions saved it: the tied output table once more, and the positions as a buffer."""
    table = tensors["bert.embeddings.word_embeddings.weight"]
    extra = {
        "cls.predictions.decoder.weight": table.clone(),
        "cls.predictions.decoder.bias": tensors["cls.predictions.bias"].clone(),
        "bert.embeddings.position_ids": torch.arange(40)[None],
    }
    save_file({**tensors, **extra}, folder / "model.safetensors")


def _vocab_only(folder: Path, _: dict[str, Tensor]) -> None:
    for file in folder.glob("*token*"):
        file.unlink()
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")


def _tokenizer_json_only(folder: Path, _: dict[str, Tensor]) -> None:
    for file in folder.iterdir():
        if file.name not in ("config.json", "model.safetensors", "tokenizer.json"):
            file.unlink()


@pytest.mark.parametrize(
    "rewrite", [_as_pickle, _as_old_names, _as_data_parallel, _with_copies, _vocab_only, _tokenizer_json_only]
)
def test_layouts_of_other_times(tmp_path: Path, rewrite: Callable[[Path, dict[str, Tensor]], None]) -> None:
    theirs = _from_transformers()
    _write_by_transformers(theirs, tmp_path)
    rewrite(tmp_path, load_file(tmp_path / "model.safetensors"))
    opened = load_checkpoint(tmp_path)
    assert opened.output_heads == PRETRAINING
    _compare(opened.model, theirs, opened.config)
    assert (
        opened.tokenizer.encode("The cat sat on the mat.").ids == word_tokenizer().encode("The cat sat on the mat.").ids
    )


def test_encoder_names_without_the_prefix(tmp_path: Path) -> None:
    theirs = _from_transformers("BertModel")
    _write_by_transformers(theirs, tmp_path)
    assert not any(name.startswith("bert.") for name in load_file(tmp_path / "model.safetensors"))
    _compare(load_checkpoint(tmp_path).model, theirs, tiny_config())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_files_are_computed_in_fp32_by_both(tmp_path: Path, dtype: torch.dtype) -> None:
    save_checkpoint(tiny_model(), word_tokenizer(), tmp_path, store_as=dtype)
    opened, theirs = load_checkpoint(tmp_path), _open_in_transformers(tmp_path)
    assert {parameter.dtype for parameter in theirs.parameters()} == {torch.float32}
    _compare(opened.model, theirs, opened.config)


def test_what_goes_out_and_comes_back_is_the_same_bit_for_bit(tmp_path: Path) -> None:
    model = tiny_model()
    save_checkpoint(model, word_tokenizer(), tmp_path / "a", name="a cat", step=12)
    opened = load_checkpoint(tmp_path / "a")
    assert (opened.name, opened.step, opened.config) == ("a cat", 12, model.config)
    assert all(torch.equal(value, opened.model.state_dict()[name]) for name, value in model.state_dict().items())
    assert opened.parameters == sum(parameter.numel() for parameter in model.parameters())


def test_saving_over_the_folder_it_came_from(tmp_path: Path) -> None:
    model = tiny_model()
    save_checkpoint(model, word_tokenizer(), tmp_path)
    opened = load_checkpoint(tmp_path)
    save_checkpoint(opened.model, opened.tokenizer, tmp_path, name="again")
    again = load_checkpoint(tmp_path).model.state_dict()
    assert all(torch.equal(value, again[name]) for name, value in model.state_dict().items())


def test_a_file_that_changes_later_does_not_change_the_opened_model(tmp_path: Path) -> None:
    model = tiny_model()
    save_checkpoint(model, word_tokenizer(), tmp_path)
    opened, file = load_checkpoint(tmp_path), tmp_path / "model.safetensors"
    with file.open("r+b") as stream:  # in place: what is mapped sees it
        stream.seek(-4000, 2)
        stream.write(bytes(4000))
    now = opened.model.state_dict()
    assert all(torch.equal(value, now[name]) for name, value in model.state_dict().items())


def test_the_tokenizer_knows_how_much_the_model_reads(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    save_checkpoint(tiny_model(), word_tokenizer(), tmp_path)
    assert AutoTokenizer.from_pretrained(tmp_path).model_max_length == 40


def test_transformers_config_with_all_its_other_keys_is_read(tmp_path: Path) -> None:
    _write_by_transformers(_from_transformers(), tmp_path)
    values = json.loads((tmp_path / "config.json").read_text())
    values |= {"id2label": {"0": "x"}, "torch_dtype": "float32", "use_cache": True, "classifier_dropout": None}
    (tmp_path / "config.json").write_text(json.dumps(values))
    assert load_checkpoint(tmp_path).config == tiny_config(labels=("x",))
