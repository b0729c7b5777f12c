"""One checkpoint format: `transformers` and BERTscope open each other's, of every family and head: the same numbers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from benchmarks.parity import _worst, compare, rows
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.config import PUBLISHED, BertConfig, count_parameters
from bertcore.errors import BertcoreError
from bertcore.model.bert import PRETRAINING, Bert, sinusoidal_table
from bertcore.model.output_heads import HEAD_TITLES
from tests.engine.models import VOCABULARY, random_batch, randomise, tiny_config, tiny_model, word_tokenizer

TOLERANCE = 1e-5
IDS = torch.tensor([[2, 7, 9, 3]])
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


def _open_in_transformers(folder: Path) -> Any:
    """The model, with nothing missing and nothing left over."""
    import transformers

    kind = transformers.BertForPreTraining
    model, about = kind.from_pretrained(folder, attn_implementation="eager", output_loading_info=True)
    assert not about["missing_keys"] and not about["unexpected_keys"] and not about["mismatched_keys"]
    return model.eval()


def _from_transformers(name: str = "BertForPreTraining", **shape: Any) -> Any:
    import transformers

    config = transformers.BertConfig(**tiny_config(**shape).to_dict())
    model = getattr(transformers, name)._from_config(config, attn_implementation="eager")
    randomise(model, 1)
    return model.eval()


def _write_by_transformers(model: Any, folder: Path) -> None:
    from transformers import BertTokenizer

    model.save_pretrained(folder)
    BertTokenizer(vocab={word: i for i, word in enumerate(VOCABULARY)}).save_pretrained(folder)


def _compare(ours: Bert, theirs: Any) -> None:
    for lengths in ([9, 9], [11, 4, 1]):  # without padding, and with it
        assert _worst(ours, theirs, random_batch(ours.config, lengths), PRETRAINING) <= TOLERANCE


def _assert_same_weights(ours: Bert, other: Bert) -> None:
    other_weights = other.state_dict()
    assert all(torch.equal(value, other_weights[name]) for name, value in ours.state_dict().items())


@pytest.mark.parametrize("shape", SHAPES, ids=_named)
def test_both_open_what_the_other_writes(tmp_path: Path, shape: dict[str, Any]) -> None:
    model, theirs = tiny_model(**shape), _from_transformers(**shape)
    save_checkpoint(model, word_tokenizer(), tmp_path / "ours")
    _compare(model, _open_in_transformers(tmp_path / "ours"))
    _write_by_transformers(theirs, tmp_path / "theirs")
    opened = load_checkpoint(tmp_path / "theirs")
    assert opened.output_heads == PRETRAINING and not set(opened.missing) - {"segments"}
    _compare(opened.model, theirs)


@pytest.mark.parametrize(
    ("kind", "heads", "missing"),
    [
        ("BertModel", (), {"mlm", "nsp"}),
        ("BertForMaskedLM", ("mlm",), {"nsp", "pooler"}),
        ("BertForNextSentencePrediction", ("nsp",), {"mlm"}),
        ("BertForSequenceClassification", ("classify",), {"mlm", "nsp"}),
    ],
)
def test_what_a_model_of_fewer_heads_lacks_is_told(
    tmp_path: Path, kind: str, heads: tuple[str, ...], missing: set[str]
) -> None:
    _write_by_transformers(_from_transformers(kind), tmp_path)
    opened = load_checkpoint(tmp_path)
    assert opened.output_heads == heads and set(opened.missing) == missing
    assert all(sentence.endswith(".") for sentence in opened.missing.values())


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
    _compare(opened.model, theirs)
    text = "The cat sat on the mat."
    assert opened.tokenizer.encode(text).ids == word_tokenizer().encode(text).ids


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_files_are_computed_in_fp32_by_both(tmp_path: Path, dtype: torch.dtype) -> None:
    save_checkpoint(tiny_model(), word_tokenizer(), tmp_path, store_as=dtype)
    opened, theirs = load_checkpoint(tmp_path), _open_in_transformers(tmp_path)
    assert {parameter.dtype for parameter in theirs.parameters()} == {torch.float32}
    _compare(opened.model, theirs)


def test_what_goes_out_and_comes_back_is_the_same_bit_for_bit(tmp_path: Path) -> None:
    """Also where it is saved over the folder it came from, and where that changes later."""
    from transformers import AutoTokenizer

    model, file = tiny_model(), tmp_path / "model.safetensors"
    save_checkpoint(model, word_tokenizer(), tmp_path, name="a cat", step=12)
    opened = load_checkpoint(tmp_path)
    assert (opened.name, opened.step, opened.config) == ("a cat", 12, model.config)
    assert opened.parameters == sum(parameter.numel() for parameter in model.parameters())
    assert AutoTokenizer.from_pretrained(tmp_path).model_max_length == 40
    save_checkpoint(opened.model, opened.tokenizer, tmp_path, name="again")
    again = load_checkpoint(tmp_path).model
    with file.open("r+b") as stream:  # in place: what is mapped sees it
        stream.seek(-4000, 2)
        stream.write(bytes(4000))
    for other in (opened.model, again):
        _assert_same_weights(model, other)


def test_transformers_config_with_all_its_other_keys_is_read(tmp_path: Path) -> None:
    _write_by_transformers(_from_transformers(), tmp_path)
    values = json.loads((tmp_path / "config.json").read_text())
    values |= {"id2label": {"0": "x"}, "torch_dtype": "float32", "use_cache": True, "classifier_dropout": None}
    (tmp_path / "config.json").write_text(json.dumps(values))
    assert load_checkpoint(tmp_path).config == tiny_config(labels=("x",))


# --- every family with every head


def _tiny(model_type: str, **changes: object) -> BertConfig:
    own: dict[str, dict[str, object]] = {
        "distilbert": {"type_vocab_size": 0},
        "albert": {"embedding_size": 16, "num_hidden_groups": 1},
        "electra": {"embedding_size": 16},
    }
    return tiny_config(model_type=model_type, **own.get(model_type, {}), **changes)


@pytest.mark.parametrize(("model_type", "heads"), list(rows()), ids=str)
def test_both_directions_agree(model_type: str, heads: tuple[str, ...], tmp_path: Path) -> None:
    row = compare(model_type, heads, tmp_path)
    assert row.theirs_here < TOLERANCE and row.ours_there < TOLERANCE


PAPER = {  # encoder with pooler where the family has one, as published
    "bert-base-uncased": 109_482_240,
    "bert-large-uncased": 335_141_888,
    "roberta-base": 124_645_632,
    "distilbert-base-uncased": 66_362_880,
    "albert-base-v2": 11_683_584,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_parameter_counts_are_the_published_ones(name: str) -> None:
    config = BertConfig.preset(name)
    with torch.device("meta"):
        built = sum(parameter.numel() for parameter in Bert(config, ()).parameters())
    assert count_parameters(config) == built
    if name in PAPER:
        assert built == PAPER[name]


@pytest.mark.parametrize("name", ["electra-small-discriminator", "electra-base-discriminator"])
def test_electra_counts_as_transformers_does(name: str) -> None:
    import transformers

    config = BertConfig.preset(name)
    with torch.device("meta"):
        sizes = ("hidden_size", "num_attention_heads", "intermediate_size")
        values = {name: getattr(config, name) for name in sizes}
        theirs = transformers.ElectraModel(transformers.ElectraConfig(embedding_size=config.embedding_width, **values))
    assert count_parameters(config) == sum(parameter.numel() for parameter in theirs.parameters())


@pytest.mark.parametrize("head", HEAD_TITLES)
@pytest.mark.parametrize("model_type", ["bert", "roberta", "distilbert", "albert", "electra"])
def test_every_head_of_every_family_counts_right(model_type: str, head: str) -> None:
    config = _tiny(model_type, labels=("O", "B-PER", "I-PER"))
    needs_pooler = config.family.pooler or head in ("nsp", "sop")
    model = Bert(config, [head], needs_pooler)
    heads = ["tag", "crf"] if head == "crf" else [head]
    assert count_parameters(config, heads, needs_pooler) == sum(p.numel() for p in model.parameters())


def test_albert_shares_its_layers() -> None:
    one, twelve = (tiny_config(model_type="albert", num_hidden_groups=1, num_hidden_layers=n) for n in (1, 12))
    assert count_parameters(one) == count_parameters(twelve)
    model = Bert(twelve, ())
    assert len({id(model.encoder.layer(i)) for i in range(12)}) == 1


class TestHeadsBeside:
    """Heads that `transformers` has no class for stand in a file of their own; it still reads the encoder."""

    @pytest.mark.parametrize(
        ("heads", "architecture"),
        [
            (("summarise",), "BertModel"),
            (("tag", "crf"), "BertForTokenClassification"),
            (("mlm", "classify"), "BertForSequenceClassification"),
            (("classify", "tag", "choice", "span"), "BertForSequenceClassification"),
            (("sop",), "BertModel"),
        ],
    )
    def test_saved_and_read_again(self, heads: tuple[str, ...], architecture: str, tmp_path: Path) -> None:
        import transformers

        model = tiny_model(heads, labels=("O", "B-PER", "I-PER"))
        save_checkpoint(model, word_tokenizer(), tmp_path)
        again = load_checkpoint(tmp_path)
        assert set(again.output_heads) == set(heads)
        _assert_same_weights(model, again.model)
        kind = getattr(transformers, architecture)
        theirs, about = kind.from_pretrained(tmp_path, output_loading_info=True)
        unexpected = {name for name in about["unexpected_keys"] if ".pooler." not in name}
        assert not about["missing_keys"] and not unexpected
        encoder = theirs if architecture == "BertModel" else theirs.bert
        with torch.no_grad():
            assert torch.allclose(encoder.eval()(IDS).last_hidden_state, again.model(IDS), atol=TOLERANCE)

    def test_a_folder_written_again_forgets_those_of_before_and_others_are_drawn_where_asked_for(
        self, tmp_path: Path
    ) -> None:
        save_checkpoint(tiny_model(("summarise",)), word_tokenizer(), tmp_path)
        save_checkpoint(tiny_model(("mlm",)), word_tokenizer(), tmp_path)
        assert load_checkpoint(tmp_path).output_heads == ("mlm",)
        opened = load_checkpoint(tmp_path, random_heads=["mlm", "tag"])
        assert opened.random_output_heads == ("tag",) and set(opened.output_heads) == {"mlm", "tag"}
        _assert_same_weights(opened.model, load_checkpoint(tmp_path, random_heads=["tag"]).model)


class TestSwitches:
    @pytest.mark.parametrize("positions", ["sinusoidal_start", "sinusoidal_fixed"])
    def test_sinusoidal_positions(self, positions: str, tmp_path: Path) -> None:
        model = Bert(tiny_config(positions=positions), generator=torch.Generator().manual_seed(0))
        assert torch.equal(model.embeddings.position.weight, sinusoidal_table(40, 32))
        trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
        assert ("embeddings.position.weight" in trained) == (positions == "sinusoidal_start")
        save_checkpoint(model, word_tokenizer(), tmp_path)
        again = load_checkpoint(tmp_path)
        assert again.config == model.config
        assert torch.equal(again.model.embeddings.position.weight, model.embeddings.position.weight)

    def test_the_waves_are_those_of_distilbert(self) -> None:
        from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings

        theirs = torch.zeros(40, 32)
        create_sinusoidal_embeddings(n_pos=40, dim=32, out=theirs)
        assert torch.allclose(sinusoidal_table(40, 32), theirs, atol=1e-6)

    @pytest.mark.parametrize("hidden", [None, "tanh", "relu"])
    @pytest.mark.parametrize("model_type", ["bert", "distilbert"])
    def test_classifier_with_and_without_a_hidden_layer(
        self, model_type: str, hidden: str | None, tmp_path: Path
    ) -> None:
        config = _tiny(model_type, classifier_hidden=hidden)
        model = Bert(config, ["classify"])
        randomise(model, 0)
        save_checkpoint(model.eval(), word_tokenizer(), tmp_path)
        again = load_checkpoint(tmp_path)
        assert again.config.classifier_hidden == hidden and again.output_heads == ("classify",)
        with torch.no_grad():
            ours, theirs = (each.logits("classify", each(IDS)[:, 0]) for each in (model, again.model))
        assert torch.equal(ours, theirs)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"model_type": "albert", "norm": "pre"},
            {"num_hidden_groups": 1},
            {"embedding_size": 16},
            {"type_vocab_size": 0},
            {"model_type": "distilbert"},
            {"model_type": "albert", "num_hidden_groups": 3},
            {"positions": "rotary"},
            {"classifier_hidden": "mish"},
            {"problem_type": "ranking"},
            {"model_type": "roberta", "max_position_embeddings": 1},
        ],
    )
    def test_what_no_model_of_the_family_can_be(self, wrong: dict[str, object]) -> None:
        with pytest.raises(BertcoreError):
            tiny_config(**wrong)

    def test_an_albert_whose_layers_share_nothing_comes_back_as_it_was(self, tmp_path: Path) -> None:
        model = tiny_model(("mlm",), model_type="albert", num_hidden_layers=3)
        save_checkpoint(model, word_tokenizer(), tmp_path)
        again = load_checkpoint(tmp_path)
        assert len(again.model.encoder.layers) == 3
        assert torch.equal(model(IDS), again.model(IDS))
