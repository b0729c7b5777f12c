"""Evidence over collections: each number against brute force, one pair, word, or head at a time."""

import errno
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from bertcore.cli.main import app
from bertcore.errors import BertcoreError
from bertcore.evidence.collection import read_pairs, read_sentences
from bertcore.evidence.grammar import FEWEST
from bertcore.evidence.heads import MEASURES
from bertcore.loaded_model import LoadedModel, load
from tests.engine.models import WORDS, family_model, tiny_checkpoint, tiny_model, word_tokenizer

TEMPLATES = [
    "The [cat/dog|bird/mat] sat on the [mat|dog] and [was/sat].",
    "A [cat/dog] very [comfortable|.] [sang/sat]!",
]
SENTENCES = ["The cat sat on the mat.", "A dog sang.", "It was very comfortable!", "The bird sat.", "A mat was on it."]


def model(name):
    return LoadedModel.of(family_model(name), word_tokenizer())


@pytest.fixture(scope="module")
def m():
    return LoadedModel.of(tiny_model(("mlm",)), word_tokenizer())


# --- heads over pairs -------------------------------------------------------------------------------------------------


def contrast(m, pair, text, **what_if):
    """ln p(wanted) - ln p(unwanted) at [MASK], by the traced pass of one text."""
    traced = m.trace(text, **what_if)
    row = traced.mlm_logits[traced.tokens.index("[MASK]")]
    return float(row[m.tokenizer.id(pair.wanted)] - row[m.tokenizer.id(pair.against)])


def one_by_one(m, pairs, measure):
    """(P,L,N), each head of each pair in passes of its own."""
    layers, heads = m.config.num_hidden_layers, m.config.num_attention_heads
    usual = m.mean_activations([pair.text for pair in pairs.rows])
    found = np.zeros((len(pairs), layers, heads))
    for number, pair in enumerate(pairs.rows):
        instead = {"zero": None, "mean": usual, "swap": pair.other}.get(measure)
        tokens, others = (m.encode(text).ids for text in (pair.text, pair.other))
        for layer in range(layers):
            for head in range(heads):
                if measure == "attention":
                    row = m.trace(pair.text).attentions[layer, head, m.encode(pair.text).tokens.index("[MASK]")]
                    found[number, layer, head] = row[np.array(tokens) != np.array(others)].sum()
                else:
                    off = {"heads_off": [(layer, head)], "ablate_with": instead}
                    found[number, layer, head] = contrast(m, pair, pair.text, **off) - contrast(m, pair, pair.text)
    if measure == "swap":
        found /= np.mean([contrast(m, pair, pair.other) - contrast(m, pair, pair.text) for pair in pairs.rows])
    return found


@pytest.mark.parametrize("measure", ["swap", "zero", "mean", "attention"])
@pytest.mark.parametrize("family", ["bert", "pre-norm", "albert", "electra"])
def test_heads_over_pairs_are_each_head_of_each_pair_alone(family, measure):
    m, pairs = model(family), read_pairs(TEMPLATES)
    about = m.evidence(pairs)
    assert len(about.heads("gradient").pairs) == 6  # another question, of which nothing stays
    found = about.heads(measure)
    assert [pair.place for pair in found.pairs] == ["line 1"] * 4 + ["line 2"] * 2
    expected = one_by_one(m, pairs, measure)
    np.testing.assert_allclose(found.values, expected, atol=1e-4 * max(1, np.abs(expected).max()))
    np.testing.assert_allclose(found.score, [contrast(m, pair, pair.text) for pair in pairs.rows], atol=1e-4)
    np.testing.assert_allclose(found.means.value, found.values.mean(axis=0), atol=1e-9)
    first = found.rows()[0]
    assert abs(first["value"]) == np.abs(found.means.value).max() and first["count"] == 6
    pairs, sign = found.pairs_by_effect(0, 1), np.sign(found.means.value[0, 1])
    assert [one.effect for one in pairs] == sorted(found.values[:, 0, 1], reverse=bool(sign >= 0))
    assert [one.is_counter for one in pairs] == [one.effect * sign < 0 for one in pairs]


def test_the_gradient_is_what_small_changes_of_a_head_tend_to(m):
    pairs, step = read_pairs(TEMPLATES), 1e-2
    found = m.evidence(pairs).heads("gradient")
    for layer, head in ((0, 0), (1, 3)):

        def less(value, head=head):
            value = value.clone()
            value[:, head] *= 1 - step
            return value

        changes = {f"layer.{layer}.attention.context_heads": less}
        for number, pair in enumerate(pairs.rows):
            moved = contrast(m, pair, pair.text, changes=changes) - contrast(m, pair, pair.text)
            assert found.values[number, layer, head] == pytest.approx(moved / step, rel=0.1, abs=0.02)


def test_pairs_that_cannot_be_asked_are_left_out_and_counted(m, tmp_path):
    file, long = tmp_path / "pairs.tsv", "very " * 50
    rows = [
        ("The cat [MASK].", "sat", "sang", "The dog [MASK]."),
        ("The cat [MASK].", "sat", "sang", "The very dog [MASK]."),
        ("The cat [MASK].", "sat", "sang", ""),
        ("The cat [MASK].", "saturday", "sang", "The dog [MASK]."),
        (f"{long}[MASK].", "sat", "sang", f"{long}[MASK]."),
    ]
    file.write_text("\n".join("\t".join(row) for row in [("text", "wanted", "against", "other"), *rows]))
    found = m.evidence(file).heads()
    assert len(found.pairs) == 1 and len(found.left_out) == 4 and not np.isfinite(found.means.low).any()
    assert "1 words of several tokens" in found.left_out
    assert len(m.evidence(file).heads("zero").pairs) == 3
    with pytest.raises(BertcoreError, match="No pair of typed can be asked: 1 pairs without another text"):
        m.evidence(["The cat [sat/sang]."]).heads()
    with pytest.raises(BertcoreError, match="no measure 'none'; choose one of swap, zero"):
        m.evidence(file).heads("none")
    with pytest.raises(BertcoreError, match="rows of another kind than Pair"):
        m.evidence(read_sentences(SENTENCES)).heads()


# --- grammar ----------------------------------------------------------------------------------------------------------


def write_treebank(file, sentences=90):
    """Sentences of words by chance, each depending on another one; some are split by the vocabulary."""
    rng, lines = np.random.default_rng(0), []
    words = ["the", "cat", "comfortable", "zoo", "sat", "on", "mats", "dogs"]
    for _ in range(sentences):
        count = int(rng.integers(2, 8))
        order = rng.permutation(count) + 1
        heads = {int(order[0]): 0} | {int(order[at]): int(order[rng.integers(at)]) for at in range(1, count)}
        for number in range(1, count + 1):
            relation = "root" if not heads[number] else rng.choice(["nsubj", "obj:x", "det"])
            cells = [number, rng.choice(words), "_", "NOUN", "_", "_", heads[number], relation, "_", "_"]
            cells[9] = "SpaceAfter=No" if rng.random() < 0.2 else "_"
            lines.append("\t".join(map(str, cells)))
        lines.append("")
    file.write_text("\n".join(lines))
    return file


def test_grammar_is_what_a_script_of_its_own_finds(m, tmp_path):
    file = write_treebank(tmp_path / "some.conllu")
    found = m.evidence(file, seed=3).grammar()
    hits = {}
    for block in file.read_text().strip().split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines()]
        text, spans = "", []
        for row in rows:
            spans.append((len(text), len(text) + len(row[1])))
            text += row[1] + ("" if row[9] == "SpaceAfter=No" else " ")
        traced, encoding = m.trace(text.rstrip()), m.encode(text.rstrip())
        places = [[], *([at for at, (a, b) in enumerate(encoding.offsets) if b and a < y and x < b] for x, y in spans)]
        for number, row in enumerate(rows, 1):
            target = int(row[6])
            if target:
                hit = np.zeros((2, 4, 2), dtype=bool)
                for layer, head in np.ndindex(2, 4):
                    weights = traced.attentions[layer, head]
                    for way, (looks, at) in enumerate(((number, target), (target, number))):
                        sums = {w: weights[places[looks]].mean(0)[places[w]].sum() for w in range(1, len(rows) + 1)}
                        sums.pop(looks)
                        hit[layer, head, way] = max(sums, key=lambda w: sums[w]) == at
                hits.setdefault(row[7].partition(":")[0], []).append(hit)
    names, shares = found.shares()
    assert set(names) == set(hits) and names == sorted(hits, key=lambda name: -len(hits[name]))
    np.testing.assert_allclose(shares, [np.mean(hits[name], axis=0)[..., 0] for name in names])
    np.testing.assert_allclose(found.shares("to its dependent")[1], [np.mean(hits[n], axis=0)[..., 1] for n in names])


def test_the_best_head_is_chosen_on_one_half_and_measured_on_the_other(m, tmp_path):
    found = m.evidence(write_treebank(tmp_path / "some.conllu"), seed=1).grammar()
    order = np.random.default_rng(1).permutation(90)
    choose, measure = (np.isin(found.sentences, half) for half in (order[:45], order[45:]))
    best = found.best_heads()
    assert [each.gain for each in best] == sorted((each.gain for each in best), reverse=True)
    for each in best:
        here = found.relations == each.relation
        shares = found.hits[here & choose].mean(axis=0)
        way = ["to its head", "to its dependent"].index(each.direction)
        assert shares[each.layer, each.head, way] == shares.max()
        assert each.share == pytest.approx(found.hits[here & measure][:, each.layer, each.head, way].mean())
        assert each.low <= each.share <= each.high and each.count == (here & measure).sum() >= FEWEST
        rates = {at: (found.distances[here & choose] == at).mean() for at in range(-10, 11)}
        assert rates[each.distance] == max(rates.values())
        assert each.distance_share == (found.distances[here & measure] == each.distance).mean()
        assert each.is_found == (each.gain >= 0.02 and each.low > each.distance_share)


# --- shards, and the shell --------------------------------------------------------------------------------------------


def run(*command):
    result = CliRunner().invoke(app, ["evidence", *map(str, command)])
    if isinstance(result.exception, BertcoreError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The names that commands are written with, below, and what they stand for."""
    monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("bertcore.evidence.heads.AT_ONCE", 2)
    monkeypatch.setattr("bertcore.evidence.asking.INDEXED", 256)
    names = {"MODEL": tiny_checkpoint(tmp_path / "model", output_heads=("mlm",))}
    labels = ("negative", "positive")
    names["TASK"] = tiny_checkpoint(tmp_path / "task", output_heads=("classify",), labels=labels)
    names |= {name.upper(): tmp_path / f"{name}.npz" for name in ("one", "two", "three")}
    names |= {"LESS": tmp_path / "less", "TREES": write_treebank(tmp_path / "some.conllu", 600)}
    rng = np.random.default_rng(0)
    texts = [f"the {' '.join(rng.choice(WORDS[:11], 5))}." for _ in range(600)]
    written = {"PAIRS.txt": TEMPLATES, "TEXTS.txt": texts, "EMPTY.txt": ["", " "], "WORDS.txt": ["the cat " * 50_000]}
    written["LABELS.tsv"] = ["text\tlabel", *(f"{text}\t{labels[at % 2]}" for at, text in enumerate(texts[:99]))]
    for name, lines in written.items():
        names[name.partition(".")[0]] = tmp_path / name.lower()
        (tmp_path / name.lower()).write_text("\n".join(lines))
    return lambda command: [names.get(word, word) for word in command.split()]


@pytest.mark.parametrize(
    "command",
    [
        *(f"heads PAIRS MODEL --measure {each}" for each in MEASURES),
        "grammar TREES MODEL",
        "fires TEXTS MODEL --layer 2",
        "fires TEXTS MODEL --layer 1 --kind head --unit 2",
        "calibration TEXTS MODEL",
        "nearest TEXTS MODEL --a the.cat.sang --word cat --layer 1",
        "prune TEXTS MODEL --part layer --random-orders 2",
    ],
)
def test_shards_joined_are_one_run(command, files):
    command = files(command)
    for number, name in enumerate(("ONE", "TWO", "THREE"), 1):
        run(*command, "--shard", f"{number}/3", "--out", *files(name))
    whole, merged = (
        json.loads(run(*command, *files(flags), "--json"), parse_float=lambda each: round(float(each), 9))
        for flags in ("", "--merge TWO --merge THREE --merge ONE")
    )
    assert merged == whole and whole["rows"] and whole["model"] == "model" and len(whole["sha256"]) == 64


def test_shards_that_are_none_are_refused_in_one_sentence(files, monkeypatch):
    command = files("calibration TEXTS MODEL")
    for number, name in enumerate(("ONE", "TWO"), 1):
        run(*command, "--shard", f"{number}/2", "--out", *files(name))
    run(*command, "--shard", "1/3", "--out", *files("THREE"))
    one, texts = files("ONE TEXTS")
    whole = one.read_bytes()

    def refused(flags, problem, command=command):
        with pytest.raises(BertcoreError, match=problem) as error:
            run(*command, *files(flags))
        assert "\n" not in str(error.value) and len(str(error.value)) < 300

    refused("--merge ONE", "Shard 2 of 2 is missing")
    refused("--merge ONE --merge ONE", "are the same shard, 1 of 2")
    refused("--merge TWO --merge THREE", "three.npz is of another model, collection, question or number of shards")
    refused("--merge ONE --merge TWO", "one.npz is of another model", files("calibration TEXTS MODEL --seed 1"))
    refused("--merge ONE --merge TWO", "one.npz is of another model", files("fires TEXTS MODEL --layer 1"))
    refused("--shard 3/2 --out ONE", "Write a shard as --shard 2/8")
    refused("--shard 1/2", "name its --out FILE.npz")
    refused("--shard 4/4 --out THREE", "600 rows are 3 blocks, too few for 4 shards")
    refused("--shard 1/2 --out ONE", "A probe learns from 20,000 words at most", files("probe TREES MODEL"))
    refused("--merge ONE", "A probe learns from", files("probe TREES MODEL --trees"))
    refused("--merge ONE", "Examples are compared with one another", files("slices LABELS TASK"))
    refused("--shard 1/2 --out ONE --save 1 LESS", "give --save with --merge", files("prune TEXTS MODEL"))
    for torn in (whole[:-50], whole[:100], b"torn", b"", whole[:200] + bytes(50) + whole[250:]):
        one.write_bytes(torn)
        refused("--merge ONE --merge TWO", "one.npz is no shard that can be read")
    one.write_bytes(whole)
    texts.write_text(texts.read_text() + "\nA cat.")
    refused("--merge ONE --merge TWO", "one.npz is of another model, collection")  # the file has changed since
    monkeypatch.setattr("bertcore.evidence.shards.write_atomic", full_disk)
    refused("--shard 1/2 --out ONE", "one.npz cannot be written: no space left on device")


def full_disk(*_args, **_more):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("prune TEXTS MODEL --random-orders 1 --save 3 LESS", "heads off"),
        ("calibration TEXTS MODEL", "confidence"),
        ("nearest TEXTS MODEL --a the.cat.sang --word cat --layer 0 --top 3", "cat"),
        ("fires TEXTS MODEL --layer 1", "neuron"),
        ("fires TEXTS MODEL --layer 1 --unit 3", "before"),
        ("probe TREES MODEL", "selectivity"),
        ("probe TREES MODEL --trees --rank 4", "layer"),
        ("slices LABELS TASK", "others"),
        ("calibration WORDS MODEL", "confidence"),  # 100,000 words: as far as the model reads
        ("fires WORDS MODEL --layer 1 --kind head", "head"),
    ],
)
def test_commands_answer_in_tables(command, said, files):
    assert said in run(*files(command))
    if "--save" in command:
        (less,) = files("LESS")
        assert load(less).config == load(less.parent / "model").config


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("calibration EMPTY MODEL", "empty.txt has nothing to gather evidence over"),
        ("fires EMPTY MODEL --layer 1", "empty.txt has nothing to gather evidence over"),
        ("fires TEXTS MODEL --layer 3", "There is no layer 3; this model has layers 1 to 2"),
        ("fires TEXTS MODEL --layer 1 --unit 48", "There is no neuron 48; this layer has neurons 0 to 47"),
        ("nearest TEXTS MODEL --a the.cat --word dog --layer 1", "“dog” does not stand in the text"),
        ("nearest TEXTS MODEL --a the.cat --word cat --layer 3", "There is no layer 3; this model has layers 0 to 2"),
        ("probe PAIRS MODEL", "pairs.txt, line 1: expected ten columns"),
        ("probe TREES MODEL --trees --rank 33", "There is no rank 33"),
        ("slices TEXTS MODEL", "model has learned no task"),
        ("slices PAIRS TASK", "pairs.txt"),
        ("prune EMPTY MODEL", "empty.txt has nothing"),
    ],
)
def test_what_cannot_be_answered_is_said_in_one_sentence(command, problem, files):
    with pytest.raises(BertcoreError, match=problem):
        run(*files(command))
