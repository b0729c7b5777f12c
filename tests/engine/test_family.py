"""The family: parameters counted part by part against `transformers`, and published models that open untrained."""

import re

import pytest
import torch

import bertcore
from bertcore.analysis import family_table
from bertcore.checkpoint import weights
from bertcore.config import FAMILIES, PUBLISHED, BertConfig, count_parameters, parameter_parts
from bertcore.errors import BertcoreError
from bertcore.locations import built_in_checkpoint
from bertcore.resolve_model import UNTRAINED, can_be_downloaded, resolve_model
from bertcore.tokenizer.tokenizer import Tokenizer

# what the names of `transformers`' parameters hold -> our part; the first that fits
THEIRS = (
    ("word_embeddings", "tokens"),
    ("position_embeddings", "positions"),
    ("token_type_embeddings", "segments"),
    ("embedding_hidden_mapping_in", "projection"),
    ("embeddings_project", "projection"),
    (r"embeddings\.LayerNorm", "embedding_norm"),
    ("pooler", "pooler"),
    (r"LayerNorm|_layer_norm", "layer_norms"),
    ("attention", "attention"),
    (r"intermediate|output\.dense|ffn", "feed_forward"),
)


def theirs(name, config):
    """A model of `transformers` with the same sizes, without memory."""
    transformers = pytest.importorskip("transformers")
    about, values = config.family, config.to_dict()
    sizes = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    given = {about.config_names.get(each, each): values[each] for each in (*sizes, "max_position_embeddings")}
    if config.type_vocab_size:
        given["type_vocab_size"] = config.type_vocab_size
    if about.factorised:
        given["embedding_size"] = config.embedding_width
    made = transformers.AutoConfig.for_model(config.model_type, **given)
    with torch.device("meta"):
        return transformers.AutoModel.from_config(made)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_parts_are_those_of_transformers(name):
    config, counts = BertConfig.preset(name), dict[str, int]()
    for parameter, value in theirs(name, config).named_parameters():
        part = next((part for pattern, part in THEIRS if re.search(pattern, parameter)), "pooler")
        counts[part] = counts.get(part, 0) + value.numel()
    assert counts == {part.name: part.count for part in parameter_parts(config)}
    assert sum(counts.values()) == count_parameters(config)


def evaluated(part, config):
    """A formula, with the config's numbers for its letters."""
    letters = {
        "V": config.vocab_size,
        "P": config.max_position_embeddings,
        "T": config.type_vocab_size,
        "E": config.embedding_width,
        "H": config.hidden_size,
        "I": config.intermediate_size,
        "L": config.num_hidden_layers,
    }
    return eval(part.formula.replace("×", "*").replace("²", "**2"), {}, letters)


@pytest.mark.parametrize("config", [BertConfig.preset(name) for name in PUBLISHED] + [BertConfig(norm="pre")])
def test_the_formula_of_each_part_gives_its_count(config):
    assert all(evaluated(part, config) == part.count for part in parameter_parts(config))


def test_a_part_that_is_not_there_is_left_out():
    names = [part.name for part in parameter_parts(BertConfig.preset("distilbert-base-uncased"))]
    assert "segments" not in names and "pooler" not in names
    assert "positions" not in [part.name for part in parameter_parts(BertConfig(positions="sinusoidal_fixed"))]


@pytest.fixture
def home(tmp_path, monkeypatch):
    if not (built_in_checkpoint() / "vocab.txt").is_file():
        pytest.skip("the built-in model is not there")
    monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_published_shape_opens_untrained_and_always_the_same(home):
    name = "electra-small-discriminator"
    m, again = bertcore.load(UNTRAINED + name), bertcore.load(UNTRAINED + name)
    own, vocabulary = BertConfig.preset(name), Tokenizer.from_folder(built_in_checkpoint()).vocab_size
    assert m.config == own.with_changes(vocab_size=vocabulary)
    assert m.checkpoint.parameters == count_parameters(m.config, ["rtd"]) and "untrained" in m.checkpoint.name
    assert m.trace("The cat sat.", "It was warm.").attentions.shape[:2] == (12, 4)
    assert all(torch.equal(a, b) for a, b in zip(m.bert.parameters(), again.bert.parameters(), strict=True))
    assert sum(file.stat().st_size for file in (home / "untrained" / name).iterdir()) < 2_000_000  # no weights
    assert not can_be_downloaded(UNTRAINED + name)


@pytest.mark.parametrize("name", PUBLISHED)
def test_all_of_them_have_a_folder(home, name):
    folder = resolve_model(UNTRAINED + name)
    assert bertcore.checkpoint.config_file.read_config(folder).num_hidden_layers
    assert Tokenizer.from_folder(folder).encode("It was warm.").tokens[0] == "[CLS]"


def test_what_cannot_be_opened_is_one_sentence(home, monkeypatch):
    with pytest.raises(BertcoreError, match="There is no preset"):
        resolve_model(f"{UNTRAINED}../../etc")
    monkeypatch.setattr(weights, "_free_memory", lambda: 100_000_000)
    with pytest.raises(BertcoreError, match=r"need 1\.3 GB of memory and 0\.1 GB are free"):
        bertcore.load(f"{UNTRAINED}bert-large-uncased")
    with pytest.raises(BertcoreError, match="memory"):
        next(family_table.family_table({"large": BertConfig.preset("large")}, ()))
    home.parent.joinpath("file").write_text("")
    monkeypatch.setenv("BERTSCOPE_HOME", str(home.parent / "file"))
    with pytest.raises(BertcoreError, match="Cannot write"):
        resolve_model(f"{UNTRAINED}roberta-base")


def test_a_single_model_is_measured_with_progress(monkeypatch):
    monkeypatch.setattr(family_table, "TOKENS", 8)
    monkeypatch.setattr(family_table, "REFERENCE", "distilbert-base-uncased")
    shares = []
    (row,) = family_table.family_table({"own": BertConfig.preset("tiny")}, (), shares.append)
    assert row.name == "own" and row.speed > 0 and shares == sorted(shares) and shares[-1] == 1.0


def test_every_family_that_is_published_is_known():
    assert {BertConfig.preset(name).model_type for name in PUBLISHED} <= set(FAMILIES)
