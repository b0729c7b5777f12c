"""Intervals, calibration, pruning: against formulae, SciPy, scikit-learn, and heads switched off one by one. And what
collections are read from, and refused for."""

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn.calibration import calibration_curve

from bertcore.errors import BertcoreError
from bertcore.evidence.calibration import binned, calibration_of
from bertcore.evidence.collection import read_pairs, read_sentences, read_treebank
from bertcore.evidence.intervals import halves, mcnemar, mean_interval, mean_intervals, ratio_intervals, share_interval
from bertcore.evidence.pruning import prune
from bertcore.evidence.scoring import Answers, MaskedWords, TaskExamples
from bertcore.loaded_model import LoadedModel, load
from bertcore.tasks.kinds.texts import TextExample
from tests.engine.models import family_model, tiny_checkpoint, tiny_model, word_tokenizer

SENTENCES = ["The cat sat on the mat.", "A dog sang.", "It was very comfortable!", "The bird sat.", "A mat was on it."]


@pytest.fixture(scope="module")
def m():
    return LoadedModel.of(tiny_model(("mlm",)), word_tokenizer())


# --- intervals --------------------------------------------------------------------------------------------------------


def test_intervals_are_those_of_scipy():
    rng = np.random.default_rng(0)
    values, counts = rng.exponential(size=300), rng.integers(1, 9, 300)
    ours, width = mean_interval(values, 0), 2 * 1.96 * stats.sem(values)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=2000, method="basic", rng=1).confidence_interval
    assert (ours.value, ours.count) == (pytest.approx(values.mean()), 300)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=0.1 * width)
    sums = counts * rng.random(300)
    (ratio,) = ratio_intervals(sums[:, None], counts, 0)
    settings = {"paired": True, "n_resamples": 2000, "method": "percentile", "rng": 1}
    of = stats.bootstrap((sums, counts), lambda a, b, axis: a.sum(axis) / b.sum(axis), **settings)
    assert ratio.value == pytest.approx(sums.sum() / counts.sum()) and ratio.count == counts.sum()
    assert (ratio.low, ratio.high) == pytest.approx(tuple(of.confidence_interval), abs=0.1 * (ratio.high - ratio.low))
    assert np.isnan(ratio_intervals(np.zeros((3, 1)), np.zeros(3), 0)[0].value)


def test_of_many_cells_without_effect_one_in_twenty_experiments_has_a_clear_one():
    rng, clear = np.random.default_rng(0), {True: 0, False: 0}
    for trial in range(60):
        values = rng.normal(size=(40, 5, 4))
        for together in clear:
            clear[together] += bool(mean_intervals(values, trial, together=together).is_clear.any())
    assert clear[True] <= 9 and clear[False] > 25  # 3 expected of 60, and 60 * (1 - 0.95 ** 20) = 38
    assert mean_intervals(1 + 0.1 * values, 0, together=True).is_clear.all()
    assert not np.isfinite(mean_intervals(values[:1], 0).low).any()


def test_shares_and_two_models():
    for right, count in ((0, 9), (7, 9), (50, 100)):
        p, z = right / count, stats.norm.ppf(0.975)
        middle, half = p + z**2 / (2 * count), z * np.sqrt(p * (1 - p) / count + z**2 / (4 * count**2))
        found = share_interval(right, count)
        expected = (np.array([middle - half, middle + half]) / (1 + z**2 / count)).tolist()
        assert (found.value, found.low, found.high) == pytest.approx((p, *expected), abs=1e-9)
    first, second = (np.array(list(map(int, each)), dtype=bool) for each in ("1111100001", "1000011111"))
    assert mcnemar(first, second) == pytest.approx(2 * stats.binom.cdf(4, 9, 0.5)) or mcnemar(first, second) == 1.0
    assert mcnemar(first, first) == 1.0
    assert mcnemar(np.ones(8, dtype=bool), np.zeros(8, dtype=bool)) == pytest.approx(2 * 0.5**8)


def test_halves_share_nothing():
    one, other = halves(7, 3)
    assert sorted([*one, *other]) == list(range(7)) and len(one) == 3
    assert not np.array_equal(one, halves(7, 4)[0])


def test_calibration_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    confidence = rng.random(500)
    right = rng.random(500) < confidence**2
    words = ("",) * 500
    found = calibration_of(binned(Answers(np.arange(500), -np.log(confidence), confidence, right, words, words)))
    shares, means = calibration_curve(right, confidence, n_bins=10)
    assert [each.right.value for each in found.bins] == pytest.approx(shares)
    assert [each.confidence for each in found.bins] == pytest.approx(means)
    counts = np.histogram(confidence, 10, (0, 1))[0]
    assert [row["count"] for row in found.rows()] == counts.tolist()
    assert found.error == pytest.approx(np.abs(shares - means) @ counts / 500) and found.right.count == 500
    unknown, said = np.full(2, np.nan), ("", "")
    with pytest.raises(BertcoreError, match="no probability"):
        calibration_of(binned(Answers(np.arange(2), np.zeros(2), unknown, np.ones(2, dtype=bool), said, said)))


# --- masked words, and heads removed ----------------------------------------------------------------------------------


def test_masked_words_are_the_same_ones_and_scored_one_by_one(m):
    scored = MaskedWords(m.checkpoint, read_sentences([*SENTENCES, "[MASK]"]), seed=1)
    assert len(scored) == len(SENTENCES)
    assert scored.masks == MaskedWords(m.checkpoint, read_sentences(SENTENCES), 1).masks
    answers = scored.answers(rows=np.array([3, 0]))
    assert set(answers.row.tolist()) == {0, 3}
    columns = (answers.row, answers.loss, answers.confidence, answers.given, answers.right)
    for row, loss, sure, given, right in zip(*columns, strict=True):
        encoding = m.encode(SENTENCES[row])
        ids = torch.tensor([scored.texts()[row].ids])
        with torch.no_grad():
            (at,) = scored.masks[row]
            logs = m.bert.mlm_logits(m.bert(ids))[0, at].log_softmax(-1)
        assert ids[0, at] == m.tokenizer.mask_id and right == encoding.labels[at]
        assert loss == pytest.approx(-float(logs[encoding.ids[at]]), abs=1e-4)
        assert sure == pytest.approx(float(logs.exp().max()), abs=1e-4)
        assert given == m.tokenizer.label(int(logs.argmax()))


@pytest.mark.parametrize("part", ["head", "layer"])
def test_pruning_is_parts_switched_off_one_after_the_other(m, part, tmp_path):
    scored = MaskedWords(m.checkpoint, read_sentences(SENTENCES * 2))
    found = prune(scored, part, seed=2, random_orders=2)
    choose, measure = halves(10, 2)

    def loss(off, rows):
        off_parts = {"heads_off" if part == "head" else "layers_off": off, "ablate_with": found.means} if off else {}
        changes = m._changes(**off_parts)
        losses = []
        for row in rows:
            with torch.no_grad():
                traced = m.trace(SENTENCES[row % 5], changes={**(changes or {}), **masked(scored, row)})
            logs = torch.tensor(traced.mlm_logits).log_softmax(-1)
            ids = m.encode(SENTENCES[row % 5]).ids
            losses += [-float(logs[at, ids[at]]) for at in scored.masks[row]]
        return float(np.mean(losses))

    def masked(scored, row):
        ids = torch.tensor(scored.texts()[row].ids)
        return {"embeddings.token": lambda value: m.bert.embeddings.token.weight[ids][None].expand_as(value)}

    alone = [loss([each], choose) for each in sorted(found.order)]
    np.testing.assert_allclose(found.importance.ravel(), np.array(alone) - loss([], choose), atol=1e-4)
    assert [found.importance[each] for each in found.order] == sorted(found.importance.ravel())
    assert found.steps == list(range(len(alone) + 1))
    for count in (0, 1, len(alone)):
        assert found.loss[count].value == pytest.approx(loss(found.order[:count], measure), abs=1e-4)
        assert found.loss[count].low <= found.loss[count].value <= found.loss[count].high
    assert (found.random_loss[:, 0] == found.loss[0].value).all() and found.rows()[1][f"{part}s_off"] == 1
    assert found.free(9.0) == len(alone) and found.free(found.loss[1].value / found.loss[0].value - 0.999) >= 1
    assert found.free(-0.9) == 0
    smaller = LoadedModel.of(found.pruned(m.bert, 1), m.tokenizer)
    smaller.save(tmp_path / "smaller")
    again = MaskedWords(load(tmp_path / "smaller").checkpoint, read_sentences(SENTENCES * 2))
    assert again.answers(rows=measure).loss.mean() == pytest.approx(found.loss[1].value, abs=1e-4)
    from transformers import BertForMaskedLM

    theirs = BertForMaskedLM.from_pretrained(tmp_path / "smaller", attn_implementation="eager").eval()
    ids = torch.tensor([m.encode(SENTENCES[0]).ids])
    with torch.no_grad():
        assert torch.allclose(theirs(ids).logits, smaller.bert.mlm_logits(smaller.bert(ids)), atol=1e-4)


def test_shared_layers_cannot_be_pruned_and_few_rows_not_halved(m):
    albert = LoadedModel.of(family_model("albert"), word_tokenizer())
    found = albert.evidence(SENTENCES).prune(random_orders=1)
    with pytest.raises(BertcoreError, match="share their weights"):
        found.pruned(albert.bert, 1)
    with pytest.raises(BertcoreError, match="has 3 rows, too few"):
        m.evidence(SENTENCES[:3]).prune()


def test_a_task_is_measured_on_its_labelled_examples(tmp_path):
    labels = ("negative", "positive")
    task = load(tiny_checkpoint(tmp_path / "task", output_heads=("classify",), labels=labels))
    examples = [TextExample(text, label=labels[at % 2]) for at, text in enumerate(SENTENCES)]
    answers = TaskExamples(task.checkpoint, [*examples, TextExample("A cat.")], "five", "").answers()
    said = task.predict(SENTENCES)
    assert answers.given == tuple(each.label for each in said) and len(answers.right) == 5
    expected = [each.label == labels[at % 2] for at, each in enumerate(said)]
    assert answers.is_right.tolist() == expected
    assert answers.confidence == pytest.approx([each.certainty for each in said], abs=1e-4)
    file = tmp_path / "some.tsv"
    file.write_text("\n".join(["text\tlabel", *(f"{text}\t{labels[at % 2]}" for at, text in enumerate(SENTENCES))]))
    about = task.evidence(file)
    found = about.prune(random_orders=1)
    assert found.always in labels and found.steps[-1] == 8 and about.about["count"] == 5
    assert about.calibration().right.value == pytest.approx(np.mean(expected))
    with pytest.raises(BertcoreError, match="has learned a task; give a file"):
        task.evidence(SENTENCES).calibration()


# --- collections ------------------------------------------------------------------------------------------------------


def tree(*words):
    """Rows of CoNLL-U, each "number form head relation misc"."""
    cells = [word.split(" ") for word in words]
    return "".join(f"{a}\t{b}\t_\tX\t_\t_\t{c}\t{d}\t_\t{e}\n" for a, b, c, d, e in cells) + "\n"


GOOD = tree("1-2 don't _ _ _", "1 do 0 root _", "2 n't 1 advmod _", "2.1 go _ _ _", "3-4 du _ _ SpaceAfter=No")[:-1]
GOOD += tree("3 de 4 case _", "4 le 1 obl:x _", "5 . 1 punct SpaceAfter=No")


def test_multi_word_tokens_and_empty_nodes(tmp_path):
    file = tmp_path / "some.conllu"
    file.write_text("# text = x\n" + GOOD + "\n\n# nothing\n\n" + tree("1 Go 0 root _"))
    found, alone = read_treebank(file).rows
    assert found.text == "don't de le." and found.words == ("do", "n't", "de", "le", ".") and alone.text == "Go"
    assert found.heads == (-1, 0, 3, 0, 0) and found.relations == ("root", "advmod", "case", "obl", "punct")
    assert [row.text for row in read_sentences(file).rows] == ["don't de le.", "Go"]


def test_what_pairs_are_read_from(tmp_path):
    blimp = '{"sentence_good": "The cat sat.", "sentence_bad": "The cat sang.", "UID": "a", "one_prefix_prefix": "x"}\n'
    more = '{"sentence_good": "A cat sat.", "sentence_bad": "A dog sang!", "UID": "a"}\n'
    (tmp_path / "blimp.jsonl").write_text(blimp + more)
    found = read_pairs(tmp_path / "blimp.jsonl")
    assert [vars(pair) for pair in found.rows] == [
        {"text": "The cat [MASK].", "place": "blimp.jsonl, pair 1", "wanted": "sat", "against": "sang", "other": ""}
    ]
    assert found.left_out == ("1 pairs that differ in more than one word",)
    (tmp_path / "templates.txt").write_text("\nThe {author|pilot} that the {guards|boys} like {smiles|smile}.\n")
    pairs = read_pairs(tmp_path / "templates.txt")
    assert len(pairs) == 4 and pairs.rows[3].text == "The pilot that the boys like [MASK]." and not pairs.rows[0].other
    (other,) = read_pairs(["The [cat/cats] [was/were]."]).rows
    assert (other.text, other.other, other.wanted) == ("The cat [MASK].", "The cats [MASK].", "was")
    (tmp_path / "same.txt").write_text("The {author|pilot} that the {guards|boys} like {smiles|smile}.\n")
    assert read_pairs(tmp_path / "same.txt").sha256 == pairs.sha256 != found.sha256


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.txt", "\n \n", "a.txt has nothing to gather evidence over"),
        ("a.txt", "The cat sat.", "a.txt, line 1: expected the wanted and the unwanted word in the last brackets"),
        ("a.txt", "The [cat|dog] [sat/sat].", "a.txt, line 1: the wanted and the unwanted word are the same, 'sat'"),
        ("a.txt", "A [MASK] [sat/sang].", r"a.txt, line 1: expected a text with one \[MASK\]"),
        ("a.txt", "[a|b|c|d|e|f|g|h|i|j]" * 5 + "[a/b]", "line 1: this makes more than 10,000 pairs"),
        ("a.tsv", "text\twanted\nThe [MASK]\tcat", r"a.tsv, line 2: expected text \(against\), found nothing"),
        ("a.jsonl", '{"good": "A cat.", "bad": "The dog sat."}', "expected the field 'phenomenon' or 'UID'"),
        ("a.conllu", "", "a.conllu is empty"),
        ("a.conllu", "1\tGo\t_\n", r"a.conllu, line 1: expected ten columns with tabs between them \(CoNLL-U\)"),
        ("a.conllu", tree("1 a 2 x _", "2 b 3 x _", "3 c 2 x _"), "line [23]: this word depends on itself"),
        ("a.conllu", tree("1 a 4 x _"), "line 1: expected a word of this sentence, 1 to 1, to depend on, found 4"),
        ("a.conllu", tree("2 a 0 x _"), "line 1: expected word 1 and the number"),
        ("a.conllu", tree(*[f"{n} w {n - 1} x _" for n in range(1, 100_001)]), "1 sentences of more than 512 words"),
    ],
)
def test_a_file_that_is_no_such_collection_is_refused_in_one_sentence(name, content, problem, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(BertcoreError, match=problem) as refused:
        (read_treebank if name.endswith(".conllu") else read_pairs)(tmp_path / name)
    assert len(str(refused.value)) < 400


def test_a_sentence_of_100_000_words_is_read_as_far_as_the_model_reads(m):
    answers = m.evidence(["the cat sat " * 33_334]).scored().answers()
    assert len(answers.row) == round(0.15 * 38) and np.isfinite(answers.loss).all()
    with pytest.raises(BertcoreError, match="No pair of typed can be asked: 1 texts longer than the model reads"):
        m.evidence([f"{'the cat ' * 50_000}[sat/sang]."]).heads("zero")
