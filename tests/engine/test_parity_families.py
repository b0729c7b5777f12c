"""Every family with every head: `transformers` and BERTscope read each other's folders and give the same numbers."""

from pathlib import Path

import pytest
import torch

from benchmarks.parity import compare, randomise, rows
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.config import PUBLISHED, BertConfig, count_parameters
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert, sinusoidal_table
from bertcore.model.output_heads import HEAD_TITLES
from tests.engine.models import tiny_config, tiny_model, word_tokenizer

TOLERANCE = 1e-5


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
                model.logits("classify", model(ids)[:, 0]),
                again.model.logits("classify", again.model(ids)[:, 0]),
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
