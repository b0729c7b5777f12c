"""One checkpoint format: `transformers` and BERTscope open each other's, of every family and head: the same numbers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from benchmarks.parity import compare, rows
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.config import PUBLISHED, BertConfig, count_parameters
from bertcore.errors import BertcoreError
from bertcore.model.bert import PRETRAINING, Bert, sinusoidal_table
from bertcore.model.output_heads import HEAD_TITLES
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
        theirs = transformers.ElectraModel(
            transformers.ElectraConfig(
                embedding_size=config.embedding_width,
                hidden_size=config.hidden_size,
                num_attention_heads=config.num_attention_heads,
                intermediate_size=config.intermediate_size,
            )
        )
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
        assert all(torch.equal(value, again.model.state_dict()[name]) for name, value in model.state_dict().items())
        kind = getattr(transformers, architecture)
        theirs, about = kind.from_pretrained(tmp_path, output_loading_info=True)
        unexpected = {name for name in about["unexpected_keys"] if ".pooler." not in name}
        assert not about["missing_keys"] and not unexpected
        ids = torch.tensor([[2, 7, 9, 3]])
        encoder = theirs if architecture == "BertModel" else theirs.bert
        with torch.no_grad():
            assert torch.allclose(encoder.eval()(ids).last_hidden_state, again.model(ids), atol=TOLERANCE)

    def test_a_folder_written_again_forgets_the_heads_of_before(self, tmp_path: Path) -> None:
        save_checkpoint(tiny_model(("summarise",)), word_tokenizer(), tmp_path)
        save_checkpoint(tiny_model(("mlm",)), word_tokenizer(), tmp_path)
        assert load_checkpoint(tmp_path).output_heads == ("mlm",)


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
        ids = torch.tensor([[2, 7, 9, 3]])
        with torch.no_grad():
            assert torch.equal(
                model.logits("classify", model(ids)[:, 0]), again.model.logits("classify", again.model(ids)[:, 0])
            )

    def test_pre_norm_exists_for_bert_only(self) -> None:
        with pytest.raises(BertcoreError, match="BERT only"):
            tiny_config(model_type="albert", norm="pre")

    @pytest.mark.parametrize(
        "wrong",
        [
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
        ids = torch.tensor([[2, 7, 9, 3]])
        assert torch.equal(model(ids), again.model(ids))


class TestHeadsTheFileLacks:
    def test_drawn_afresh_where_asked_for(self, tmp_path: Path) -> None:
        save_checkpoint(tiny_model(("mlm",)), word_tokenizer(), tmp_path)
        assert load_checkpoint(tmp_path).output_heads == ("mlm",)
        opened = load_checkpoint(tmp_path, random_heads=["mlm", "tag"])
        assert opened.random_output_heads == ("tag",) and set(opened.output_heads) == {"mlm", "tag"}
        again = load_checkpoint(tmp_path, random_heads=["tag"])
        ids = torch.tensor([[2, 7, 9, 3]])
        assert torch.equal(opened.model.logits("tag", opened.model(ids)), again.model.logits("tag", again.model(ids)))
