"""Evidence over collections: each number against brute force, one pair, word, or head at a time."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from bertcore.cli.main import app
from bertcore.errors import BertcoreError
from bertcore.evidence.collection import read_pairs, read_sentences
from bertcore.evidence.grammar import FEWEST
from bertcore.evidence.heads import MEASURES
from bertcore.evidence.shards import Shard
from bertcore.loaded_model import LoadedModel, load
from tests.engine.models import family_model, tiny_checkpoint, tiny_model, word_tokenizer

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
    assert [effect for _, effect in found.pairs_by_effect(0, 1)] == sorted(found.values[:, 0, 1], reverse=True)


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


def test_shards_joined_are_one_run_to_the_last_bit(tmp_path, monkeypatch):
    monkeypatch.setattr("bertcore.evidence.heads.AT_ONCE", 2)
    folder = tiny_checkpoint(tmp_path / "model", output_heads=("mlm",))
    trees, pairs = write_treebank(tmp_path / "some.conllu"), tmp_path / "pairs.txt"
    pairs.write_text("\n".join(TEMPLATES))
    for command, file, more in (("grammar", trees, []), *(("heads", pairs, ["--measure", each]) for each in MEASURES)):
        parts = [tmp_path / f"{number}.npz" for number in (1, 2)]

        def run(*flags, command=command, file=file, more=more):
            result = CliRunner().invoke(app, ["evidence", command, str(file), str(folder), *more, *map(str, flags)])
            if result.exception is not None:
                raise result.exception
            return result.output

        for number, part in enumerate(parts, 1):
            run("--shard", f"{number}/2", "--out", part)
        whole = json.loads(run("--json"))
        assert json.loads(run("--merge", parts[1], "--merge", parts[0], "--json")) == whole and whole["rows"]
        assert whole["model"] == "model" and whole["collection"] == file.name and len(whole["sha256"]) == 64
        with pytest.raises(BertcoreError, match="Shard 2 of 2 is missing"):
            run("--merge", parts[0])
        with pytest.raises(BertcoreError, match=r"1\.npz is of another model, collection or question"):
            load(folder).evidence(["A [cat/dog] [sat/sang]."], shard=Shard(files=parts)).heads()
    with pytest.raises(BertcoreError, match="only 3 batches for 4 shards"):
        load(folder).evidence(pairs, shard=Shard(3, 4)).heads()
    parts[0].write_bytes(b"torn")
    with pytest.raises(BertcoreError, match="no shard that can be read"):
        load(folder).evidence(pairs, shard=Shard(files=parts)).heads()
    with pytest.raises(BertcoreError, match="Write a shard as --shard 2/8"):
        run("--shard", "3/2")


def test_prune_and_calibration_in_the_shell(tmp_path):
    folder, file = tiny_checkpoint(tmp_path / "model", output_heads=("mlm",)), tmp_path / "texts.txt"
    file.write_text("\n".join(SENTENCES * 2))
    command = f"evidence prune {file} {folder} --random-orders 2 --save 3 {tmp_path / 'less'}"
    result = CliRunner().invoke(app, command.split())
    assert result.exit_code == 0 and "heads off" in result.output, result.output
    assert load(tmp_path / "less").config == load(folder).config
    result = CliRunner().invoke(app, ["evidence", "calibration", str(file), str(folder), "--json"])
    assert json.loads(result.output)["rows"][0]["count"] >= 1
