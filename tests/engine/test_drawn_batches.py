"""A batch that is drawn again is the one that was trained on, token by token; what is said of it is true."""

import json
import shutil
from collections import Counter
from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.cli.main import app
from bertcore.data.corpus import Corpus
from bertcore.data.mixed_sampler import BETWEEN, MixedSampler, PlacedText
from bertcore.data.mixture import MixtureFile
from bertcore.data.pairs import NO_LABEL, PairRules, PairSampler, has_random_starts
from bertcore.errors import BertcoreError
from bertcore.locations import CLASS_DEMO, SHIPPED, assets
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import snapshot_before
from bertcore.tasks.kinds.base import DecodeSettings
from bertcore.tasks.predict import by_unit, example_losses, run_task, task_loss
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.distil_options import DistilOptions
from bertcore.training.drawn_batches import HIDDEN, KEPT, NEXT_WORD, REPLACED, counted, open_batches
from bertcore.training.drawn_examples import example_answers, open_examples
from bertcore.training.evaluate import batch_losses
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.start import start_run
from bertcore.training.trainable import PlannedBatches
from tests.engine.corpora import random_corpus
from tests.engine.models import decode, tiny_model
from tests.engine.runs_of_each_kind import distilling, tuning
from tests.engine.training_runs import metrics, stop_at, tiny_run, write_text

pytestmark = pytest.mark.usefixtures("fast_disk")
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
STEPS = 30


@contextmanager
def noting():
    """By step, the batches that runs in this process train on."""
    taken = {}
    take = PlannedBatches.take

    def noted(self, step, fraction):
        plan, taken[step] = take(self, step, fraction)
        return plan, taken[step]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlannedBatches, "take", noted)
        yield taken


@pytest.fixture
def trained():
    with noting() as taken:
        yield taken


def _options(tmp_path, data=None, **training):
    lengths = {"long_every": 2, "short_share": 0.4, "short_sequence_length": 12}
    settings = {"steps": STEPS, "causal_share": 0.4, **training}
    return tiny_run(write_text(tmp_path), {**lengths, **(data or {})}, **settings)


def _assert_same(drawn, batch):
    assert drawn.causal == batch.causal
    for name in ("input_ids", "segment_ids", "attention_mask", "rows", "labels", "next_sentence"):
        mine, trained = getattr(drawn.batch, name), getattr(batch, name)
        assert (mine is None) == (trained is None) and (mine is None or torch.equal(mine, trained)), name


def _assert_drawn_again(run, trained):
    """Forward, back, and one after the other."""
    batches, last = open_batches(run), max(trained)
    for step in (last, 1, *range(1, last + 1)):
        _assert_same(batches.at(step), trained[step])


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"pack": False},
        {"pairs": "sop", "masking": "spans"},
        {"pairs": "none", "masking": "words"},
        {"mask_share": 0.5, "last_mask_share": 0.1},
    ],
    ids=["packed", "padded", "order", "one part", "fewer masks later"],
)
def test_each_batch_is_what_was_trained_on(tmp_path, trained, data):
    start_run(_options(tmp_path, data), tmp_path / "run", resume=False)
    batches = open_batches(tmp_path / "run")
    kinds = set()
    for step in (30, 1, 7, 8, 29, 17, *range(1, STEPS + 1)):  # forward, back, and one after the other
        drawn = batches.at(step)
        _assert_same(drawn, trained[step])
        kinds.add((drawn.causal, drawn.ids.shape[1]))
        assert drawn.batch.real_tokens == (~drawn.is_padding).sum()
        assert (drawn.ids[drawn.is_padding] == batches.tokenizer.pad_id).all()
        assert "pack" not in data or step not in (1, STEPS) or drawn.is_padding.any()
    assert {(True, 16), (False, 16), (False, 24)} <= kinds and len({length for _, length in kinds}) >= 3


def test_the_share_that_is_masked_changes_evenly_to_the_last_step(tmp_path, trained):
    options = _options(tmp_path, {"mask_share": 0.5, "last_mask_share": 0.1}, causal_share=0.0)
    assert [options.mask_share_at(step) for step in (15, STEPS)] == pytest.approx([0.3, 0.1])
    start_run(options, tmp_path / "run", resume=False)
    shares = [batch.words / batch.real_tokens for _, batch in sorted(trained.items())]
    third = STEPS // 3
    early, late = np.mean(shares[:third]), np.mean(shares[-third:])
    assert 0.3 < early < 0.5 and 0.08 < late < 0.25
    with pytest.raises(BertcoreError, match="give the budget in steps"):
        _options(tmp_path, {"last_mask_share": 0.1}, steps=None, minutes=1.0)
    with pytest.raises(BertcoreError, match="give the budget in steps"):
        DistilOptions(data=options.data)
    with pytest.raises(BertcoreError, match="so their number stays"):
        start_run(options.with_changes(steps=2 * STEPS), tmp_path / "run", resume=True)


def test_also_after_a_resume_and_in_processes(tmp_path, trained):
    options = _options(tmp_path)
    start_run(options, tmp_path / "run", resume=False, on_event=stop_at(tmp_path / "run", 11))
    assert RunFolder(tmp_path / "run").status().state == "stopped"
    start_run(options.with_changes(workers=2), tmp_path / "run", resume=True)
    _assert_drawn_again(tmp_path / "run", {step: trained[step] for step in range(1, STEPS + 1)})


def test_also_where_the_clock_decides_when_masking_begins(tmp_path, trained):
    options = _options(tmp_path, {"long_share": 0.0}, steps=None, minutes=0.01)
    start_run(options, tmp_path / "run", resume=False)
    batches = open_batches(tmp_path / "run")
    causal = [step for step, batch in trained.items() if batch.causal]
    steps = [*range(1, 20), *range(max(causal) - 9, max(causal) + 10)]
    for step in (step for step in steps if 1 <= step <= RunFolder(tmp_path / "run").status().step):
        _assert_same(batches.at(step), trained[step])


def test_also_of_a_mixture(tmp_path, trained):
    for name, seed in (("one", 1), ("two", 2), ("three", 3)):
        (tmp_path / name).mkdir()
        write_text(tmp_path / name, documents=60, seed=seed).rename(tmp_path / f"{name}.txt")
    mixture = {"one.txt": {"weight": 2}, "two.txt": {}, "three.txt": {"held_out": True}}
    start_run(tiny_run(tmp_path, {"mixture": mixture, "long_share": 0.0}, steps=20), tmp_path / "run", resume=False)
    _assert_drawn_again(tmp_path / "run", trained)
    assert set(np.unique(open_batches(tmp_path / "run").at(20).sources)) == {-1, 0, 1}


@pytest.mark.parametrize("kind", ["a budget in epochs", "a distillation"])
def test_also_of(kind, tmp_path, trained):
    if kind == "a distillation":
        distilling(tmp_path)(tmp_path / "run")
    else:
        start_run(_options(tmp_path, steps=None, epochs=0.5), tmp_path / "run", resume=False)
    _assert_drawn_again(tmp_path / "run", trained)


def test_fates_originals_and_documents(tmp_path):
    start_run(_options(tmp_path, causal_share=0.0, steps=12), tmp_path / "run", resume=False)
    batches = open_batches(tmp_path / "run")
    text = (tmp_path / "animals.txt").read_text(encoding="utf-8").split("\n\n")
    words = [set(batches.tokenizer.encode(document).ids) for document in text]
    draw = Counter[str]()
    for step in range(1, 13):
        drawn = batches.at(step)
        draw += counted(drawn)
        mask_id = batches.tokenizer.mask_id
        assert (drawn.ids[drawn.fates == HIDDEN] == mask_id).all()
        assert (drawn.ids[drawn.fates == KEPT] == drawn.originals[drawn.fates == KEPT]).all()
        assert (drawn.ids[drawn.fates == REPLACED] != drawn.originals[drawn.fates == REPLACED]).all()
        assert (drawn.labels[drawn.fates > 0] == drawn.originals[drawn.fates > 0]).all()
        assert (drawn.labels[drawn.fates == 0] == NO_LABEL).all()
        for row, label in enumerate(drawn.pair_labels):
            at = drawn.documents[row]
            for document in set(at[at >= 0]):
                here = at == document
                assert set(drawn.originals[row][here]) <= words[document]
            first_of_b = at[np.flatnonzero(drawn.batch.segment_ids[row].numpy() == 1)[0]]
            assert (first_of_b == at[1]) == (label == 0)
    assert draw["batches"] == 12 and draw["pairs"] == sum(len(batches.at(step).ids) for step in range(1, 13))
    assert 0.1 < draw["chosen"] / draw["ordinary"] < 0.2 and draw["hidden"] > 4 * draw["replaced"] > 0


def test_the_mean_of_the_losses_is_the_loss_that_was_logged(tmp_path):
    """At the weights before a step: those of the snapshot of the step before."""
    options = _options(tmp_path, {"short_share": 0.0})
    options = PretrainOptions.from_dict({**options.to_dict(), "model": {**options.model, **NO_DROPOUT}})
    start_run(options, tmp_path / "run", resume=False)
    run, logged = RunFolder(tmp_path / "run"), {line["step"]: line for line in metrics(tmp_path / "run")}
    batches, kinds = open_batches(run.path), set()
    for snapshot, folder in run.snapshots()[:-1]:
        drawn, line = batches.at(snapshot + 1), logged[snapshot + 1]
        losses = batch_losses(load_checkpoint(folder).model, drawn.batch)
        name = "next_word" if drawn.causal else "mlm"
        assert losses.word_loss == pytest.approx(line[f"{name}_loss"], abs=1e-4)
        assert losses.accuracy == pytest.approx(line[f"{name}_accuracy"], abs=1e-6)
        assert losses.pair_loss == (None if drawn.causal else pytest.approx(line["nsp_loss"], abs=1e-4))
        at = drawn.labels != NO_LABEL
        right = losses.guesses[..., 0] == drawn.labels
        assert (right[at] == (losses.ranks[at] == 1)).all() and np.isnan(losses.losses[~at]).all()
        of_right = losses.probabilities[..., 0][at & right]
        assert np.allclose(-np.log(of_right), losses.losses[at & right], atol=1e-4)
        kinds.add(name)
    assert kinds == {"next_word", "mlm"}


def test_the_class_demo_that_ships_is_drawn_again():
    """Its log is of bf16: the loss agrees to three digits, with another batch it would not to one."""
    run = RunFolder(assets() / "runs" / CLASS_DEMO)
    logged = {line["step"]: line for line in metrics(run.path)}
    snapshots = [(step, path) for step, path in run.snapshots() if step + 1 in logged]
    assert snapshots
    batches = open_batches(run.path)
    for step, path in snapshots:
        drawn = batches.at(step + 1)
        name = "next_word_loss" if drawn.causal else "mlm_loss"
        losses = batch_losses(load_checkpoint(path).model, drawn.batch)
        assert losses.word_loss == pytest.approx(logged[step + 1][name], abs=5e-3)
    assert (batches.at(300).fates != NEXT_WORD).all()


def test_what_cannot_be_drawn_again_says_so(tmp_path):
    """A text that is missing or changed, another first batch, a damaged training state, a step that is not there."""
    run, file = tmp_path / "run", tmp_path / "animals.txt"
    start_run(_options(tmp_path), run, resume=False)
    batches = open_batches(run)
    before, text = batches.at(9).ids, file.read_text(encoding="utf-8")
    with pytest.raises(BertcoreError, match="taken 30 steps so far"):
        batches.at(31)
    with pytest.raises(BertcoreError, match="count from 1"):
        batches.at(0)
    file.unlink()
    assert (open_batches(run).at(9).ids == before).all()  # the cache has it as it was tokenised
    shutil.rmtree(tmp_path / "bertscope-home" / "cache")
    with pytest.raises(BertcoreError, match=r"animals\.txt.*"):
        open_batches(run)
    file.write_text(text.replace("cat", "cow", 3), encoding="utf-8")  # as many bytes
    with pytest.raises(BertcoreError, match="has changed since it began"):
        open_batches(run)
    file.write_text(text, encoding="utf-8")
    assert (open_batches(run).at(9).ids == before).all()
    newest = RunFolder(run).newest_snapshot()
    for state in ('{"step": -3, "samplers": {}}', '{"step": 24, "samplers": {"16": [0, "x"]}}', "[]"):
        (newest / "training_state.json").write_text(state, encoding="utf-8")
        try:
            assert open_batches(run).at(3).step == 3
        except BertcoreError as error:
            assert "cannot be drawn again" in str(error)
    config = run / "config.json"
    config.write_text(config.read_text(encoding="utf-8").replace('"seed": 0', '"seed": 1'), encoding="utf-8")
    with pytest.raises(BertcoreError, match="its first batch, which it saved, is different"):
        open_batches(run)
    for name in SHIPPED:
        with pytest.raises(BertcoreError, match="too large"):
            open_batches(assets() / "runs" / name)


def test_a_run_with_a_second_budget_is_drawn_again_or_refused(tmp_path, trained):
    """The causal phase and what is recorded of it stay; its last part of longer sequences may begin twice."""
    for long_share in (0.0, 0.5):
        run = tmp_path / f"run-{long_share}"
        options = _options(tmp_path, {"long_share": long_share}, steps=12)
        start_run(options, run, resume=False)
        start_run(options.with_changes(steps=STEPS), run, resume=True)
        try:
            batches = open_batches(run)
        except BertcoreError as error:
            assert long_share and "another budget" in str(error)
            continue
        for step in range(1, STEPS + 1):
            _assert_same(batches.at(step), trained[step])
        assert not long_share


@pytest.mark.parametrize("length", [8, 100])
@pytest.mark.parametrize("is_mixed", [False, True])
def test_skipping_leaves_a_sampler_where_taking_does(length, is_mixed):
    """Over many epochs; sequences of 100 tokens are so long that no document begins at a random place."""

    def sampler():
        rules = PairRules()
        if not is_mixed:
            return PairSampler(random_corpus(1), False, length, 5, rules)
        corpora = [random_corpus(seed, documents=12) for seed in (1, 2)]
        return MixedSampler(corpora, [MixtureFile(weight=2.0), MixtureFile()], False, length, 5, rules)

    if not is_mixed:
        assert has_random_starts(sampler().corpus, sampler().documents, length - 3) == (length == 8)
    for counts in ([1], [7, 93, 500], [sampler().windows_per_epoch] * 3, [0, 1000, 1]):
        one, other = sampler(), sampler()
        for count in counts:
            one.windows(count)
            other.skip(count)
            assert one.state == other.state
        assert (one.windows(50) == other.windows(50)).all()


def test_an_hours_run_is_not_replayed(tmp_path, monkeypatch):
    """Up to step 100,000 its windows are counted, not made. The record of phases stands for the run's own."""
    start_run(_options(tmp_path, {"short_share": 0.0}), tmp_path / "run", resume=False)
    batches = open_batches(tmp_path / "run")
    RunFolder(tmp_path / "run").append_metric({"kind": "train", "step": 100_000, "phase": "masked"})
    cut = []
    begin = PairSampler._begin_epoch
    monkeypatch.setattr(PairSampler, "_begin_epoch", lambda self, epoch: cut.append(epoch) or begin(self, epoch))
    assert batches.at(100_000).step == 100_000
    assert len(cut) <= 4 and max(cut) > 1000


def test_a_text_s_first_tokens_may_follow_a_separator():
    """Its first place is the number after BETWEEN."""
    tokens, starts = np.arange(100, 110, dtype=np.uint16), np.array([0, 10])
    corpus = Corpus(tokens, starts, np.array([0, 1]), np.array([False]))
    text = PlacedText([corpus], separator=3)
    assert text.ids(np.array([5, 6, BETWEEN, 0, 1, BETWEEN, 2])).tolist() == [105, 106, 3, 100, 101, 3, 102]
    assert text.ids(np.array([], dtype=np.int64)).tolist() == []


# --- of fine-tuning

TUNING_STEPS = 7  # more than an epoch of 24 examples
SAMPLES = {  # task -> its sample file, and settings of the run
    "sst2": ("sentiment", {}),
    "mnli": ("entailment", {}),
    "stsb": ("similarity", {}),
    "multilabel": ("topics", {}),
    "conll2003": ("names", {}),
    "crf": ("names", {"task": "conll2003", "crf": True}),
    "squad2": ("questions", {}),
    "swag": ("endings", {}),
    "summaries": ("summaries", {}),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    texts = [line for file in (assets() / "tasks").rglob("train.tsv") for line in file.read_text().splitlines()]
    tokenizer = Tokenizer.train(texts, 300)
    place = tmp_path_factory.mktemp("start") / "model"
    made = tiny_model(("mlm", "nsp"), vocab_size=tokenizer.vocab_size, max_position_embeddings=64)
    save_checkpoint(made, tokenizer, place)
    return str(place)


@pytest.fixture(scope="module")
def tuned(tmp_path_factory, model):
    """A sample's run, trained when it is first asked for, and by step the batches that it was trained on."""

    @cache
    def of(name):
        with noting() as taken:
            return _run(tmp_path_factory.mktemp(name), model, name), taken

    return of


def _tuning(model, train, task, crf=False, **training):
    settings = {"steps": TUNING_STEPS, "batch_size": 5, "evaluations": 1, "dropout": 0.0, "learning_rate": 1e-3}
    cut = {"max_examples": 24, "max_held_out": 4, "max_length": 28, "stride": 8}  # some are longer
    return tuning(model, train, task, cut, {"crf": crf}, **{**settings, **training})


def _run(folder, model, name, **training):
    sample, settings = SAMPLES[name]
    options = _tuning(model, assets() / "tasks" / sample, **{"task": name, **settings, **training})
    start_run(options, folder / "run", resume=False)
    return folder / "run"


def _answers(run, step, weights):
    batches = open_examples(run)
    drawn = batches.at(step)
    found = load_checkpoint(RunFolder(run).snapshot_path(weights)).model
    return drawn, example_answers(found, drawn, batches.tokenizer.label)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_batch_of_examples_is_the_one_that_was_trained_on(name, tuned):
    run, trained = tuned(name)
    batches = open_examples(run)
    for step in (TUNING_STEPS, 1, *range(1, TUNING_STEPS + 1)):
        drawn, (read,) = batches.at(step), trained[step].parts
        for field in ("input_ids", "segment_ids", "attention_mask"):
            mine, theirs = getattr(drawn.batch, field), getattr(read, field)
            assert (mine is None) == (theirs is None) and (mine is None or torch.equal(mine, theirs)), field
        assert drawn.batch.labels.tolist() == read.labels.tolist()
        real = read.attention_mask is None or read.attention_mask.bool()
        assert ((~torch.from_numpy(drawn.is_padding)) == real).all()
        assert [row for rows in drawn.rows for row in rows] == list(range(len(drawn.ids)))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_losses_and_answers_are_those_of_the_checkpoint(name, tuned):
    """Against the loss that the run logged (it has no dropout), the loss that training minimises, and, example by
    example, what `evaluate` and `predict` say of all of them."""
    run, _ = tuned(name)
    drawn, answers = _answers(run, 2, weights=1)
    assert answers.loss == pytest.approx({line["step"]: line["loss"] for line in metrics(run)}[2], rel=1e-4)
    loaded = load_checkpoint(RunFolder(run).snapshot_path(1)).model.eval()
    with torch.no_grad():
        assert answers.loss == pytest.approx(float(task_loss(loaded, drawn.batch)), rel=1e-6)
    places = [place for unit in answers.units for place in unit.places]
    assert np.isfinite(answers.losses).sum() == len({(place.row, place.position) for place in places})
    assert not drawn.is_padding[np.isfinite(answers.losses)].any()
    outputs = run_task(loaded, open_examples(run).batches)
    if name not in ("crf", "squad2"):  # there an example's loss is another mean
        each = example_losses(drawn.features, by_unit(drawn.features, outputs))[drawn.units]
        assert [unit.loss for unit in answers.units] == pytest.approx(each.tolist(), rel=1e-4)
    said = decode(drawn.features, outputs, DecodeSettings.of(loaded))
    for unit, number in zip(answers.units, drawn.units, strict=True):
        if name in ("conll2003", "crf"):
            words = drawn.features.words[number]
            assert [place.given for place in unit.places] == [said[number].answer[word] for word in words[words >= 0]]
        elif name not in ("squad2", "summaries"):  # whose answer is the best of all windows, and the three best
            answer = said[number].answer
            written = str(answer + 1) if name == "swag" else ", ".join(answer) if name == "multilabel" else answer
            assert unit.given == (pytest.approx(answer, rel=1e-4) if name == "stsb" else written)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_right_answers_are_those_of_the_file(name, tuned):
    drawn, answers = _answers(tuned(name)[0], 1, weights=0)
    for unit in answers.units:
        example = drawn.features.examples[int(drawn.examples[unit.rows[0]])]
        for place in unit.places:
            assert (place.is_right is None) == (name == "stsb")
            shares = [option.probability for option in place.options]
            assert shares == sorted(shares, reverse=True)[:4] or any(option.is_right for option in place.options[4:])
            right = [option for option in place.options if option.is_right]
            if name not in ("stsb", "multilabel"):
                assert len(right) == 1 and right[0].name == place.right
                assert place.loss == pytest.approx(-np.log(right[0].probability), rel=1e-3)
        if name == "stsb":
            assert unit.right == pytest.approx(float(example.label)) and unit.is_right is None
        elif name == "multilabel":
            assert set(filter(None, str(unit.right).split(", "))) == set(example.label)
        elif name in ("sst2", "mnli"):
            assert unit.right == example.label and unit.is_right == (unit.given == example.label)
        elif name == "swag":
            assert unit.right == str(example.label + 1) and len(unit.rows) == len(example.endings)
        elif name in ("conll2003", "crf"):
            assert [place.right for place in unit.places] == list(example.tags)[: len(unit.places)]
        elif name == "squad2":
            assert unit.right == "" or unit.right == example.answers[0][0]
        else:
            labels = [place.right == "in the summary" for place in unit.places]
            assert labels == list(example.labels)[: len(labels)]
    assert (answers.right is None) == (name == "stsb")


def test_accumulated_batches_are_drawn_too(tmp_path, model):
    with noting() as trained:
        run = _run(tmp_path, model, "mnli", accumulate=2)
    batches = open_examples(run)
    for step, made in trained.items():
        drawn, rows = batches.at(step), []
        for part in made.parts:
            real = torch.ones_like(part.input_ids) if part.attention_mask is None else part.attention_mask
            rows += [ids[is_real.bool()].tolist() for ids, is_real in zip(part.input_ids, real, strict=True)]
        assert [row[~padding].tolist() for row, padding in zip(drawn.ids, drawn.is_padding, strict=True)] == rows


def test_what_was_cut_is_counted(tuned):
    run, _ = tuned("mnli")
    batches = open_examples(run)
    drawn = batches.at(1)
    for row, number in enumerate(drawn.examples.tolist()):
        example = drawn.features.examples[number]
        whole = len(batches.tokenizer.encode(example.text_a, example.text_b).ids)
        assert drawn.cut[row] == whole - int((~drawn.is_padding[row]).sum())
    assert drawn.cut.any()
    before = [snapshot_before(RunFolder(run), step) for step in (1, 2, 4)]  # those that met its batches
    assert [each and each[0] for each in before] == [0, 1, 2]


def test_examples_that_cannot_be_drawn_again_say_so(tmp_path, run, model):
    table = tmp_path / "train.tsv"
    rows = [f"a sentence number {number}\t{number % 2}" for number in range(30)]
    table.write_text("sentence\tlabel\n" + "\n".join(rows) + "\n")
    start_run(_tuning(model, table, "sst2", steps=2), run, resume=False)
    batches = open_examples(run)
    with pytest.raises(BertcoreError, match="has taken 2 steps so far"):
        batches.at(3)
    with pytest.raises(BertcoreError, match="count from 1"):
        batches.at(0)
    written = (run / "first_batch.json").read_text()
    kept = json.loads(written)
    kept["sequences"][0]["ids"][1] += 1
    (run / "first_batch.json").write_text(json.dumps(kept))
    with pytest.raises(BertcoreError, match="its first batch, which it saved, is different"):
        open_examples(run)
    (run / "first_batch.json").write_text(written)
    table.write_text(table.read_text().replace("number 2", "number 9"))
    with pytest.raises(BertcoreError, match="has changed since it began"):
        open_examples(run)
    table.unlink()
    with pytest.raises(BertcoreError, match=r"train\.tsv"):
        open_examples(run)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_command_shows_it(name, tuned):
    run, _ = tuned(name)
    drawn, answers = _answers(run, 2, weights=1)
    result = CliRunner().invoke(app, ["batch", str(run), "--step", "2", "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["loss"] == pytest.approx(answers.loss) and told["snapshot"] == 1
    rows = [sequence for example in told["examples"] for sequence in example["sequences"]]
    words = open_examples(run).tokenizer.label
    for row, sequence in enumerate(rows):
        read = [token["read"] for token in sequence["tokens"]]
        assert read == [words(int(number)) for number in drawn.ids[row][~drawn.is_padding[row]]]
    assert [example["right"] for example in told["examples"]] == [unit.right for unit in answers.units]
    for more in ([], ["--sequence", "1"]):
        shown = CliRunner().invoke(app, ["batch", str(run), "--step", "2", *more])
        assert shown.exit_code == 0 and "step 2" in shown.output
