"""A mixture of texts: shares, resumes, held-out sources, and next sentences that do not follow."""

import json
from collections import Counter

import numpy as np
import pytest

from bertcore.data.corpus import Corpus
from bertcore.data.mixed_sampler import MixedSampler
from bertcore.data.mixture import MixtureFile, find_files, readings, sources_of
from bertcore.data.pairs import IS_NEXT, NO_LABEL, NOT_NEXT, PairRules
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training import evaluate as evaluating
from bertcore.training.start import start_run
from tests.engine.corpora import STORIES, document_of, numbered_corpus
from tests.engine.training_runs import losses, metrics, stop_at, tiny_run
from tests.text_file import text_file

LENGTH = 24
RULES = PairRules("nsp", pack=True, specials=(2, 3), separator=4_000_000_000)


def _corpus(first, documents=40):
    """Documents of 20 sentences of 4 tokens; ids count from `first`."""
    plain = numbered_corpus([[4] * 20] * documents)
    return Corpus(plain.tokens + np.uint32(first), plain.sentence_starts, plain.document_starts, plain.held_out)


def _sampler(sources, seed=0):
    corpora = [_corpus(number * 1_000_000) for number in range(len(sources))]
    return MixedSampler(corpora, sources, held_out=False, length=LENGTH, seed=seed, rules=RULES)


def test_each_source_is_read_as_often_as_its_weight_says_and_a_resume_goes_on_with_the_same_windows():
    """The state passes through JSON, as in a snapshot, and over the ends of epochs."""
    whole, before, after = (_sampler([MixtureFile(weight=weight) for weight in (6, 3, 1)]) for _ in range(3))
    expected = whole.windows(1000)
    assert Counter(expected[:, 0].tolist()) == {0: 600, 1: 300, 2: 100}
    first = before.windows(500)
    after.restore(json.loads(json.dumps(before.state)))
    np.testing.assert_array_equal(np.concatenate([first, after.windows(500)]), expected)


def test_what_does_not_follow_comes_from_near_as_often_as_from_far():
    sampler = _sampler([MixtureFile(), MixtureFile()])
    corpora = [inner.corpus for inner in sampler.samplers]
    where = Counter()
    pairs = sampler.pairs(sampler.windows(4000), np.random.default_rng(1))
    for pair in (pair for pair in pairs if pair.label == NOT_NEXT):
        (source, a), (other, b) = (divmod(int(token), 1_000_000) for token in (pair.a[-1], pair.b[0]))
        if source != other:
            where["another source"] += 1
            continue
        same = document_of(corpora[source], a) == document_of(corpora[source], b)
        where["same document" if same else "same source"] += 1
        assert not same or b != a + 1
    total = where.total()
    assert abs(sum(pair.label == IS_NEXT for pair in pairs) / 4000 - 0.5) < 0.03
    for name, share in (("another source", 0.5), ("same source", 0.25), ("same document", 0.25)):
        assert abs(where[name] / total - share) < 4 * np.sqrt(share / total), where


def test_sentences_that_have_nothing_to_do_with_one_another_make_no_pairs():
    """And none of them is taken for a B that does not follow."""
    sampler = _sampler([MixtureFile(), MixtureFile(pairs=False)])
    pairs = sampler.pairs(sampler.windows(600), np.random.default_rng(2))
    single = [pair for pair in pairs if pair.a[0] >= 1_000_000]
    assert single and all(pair.label == NO_LABEL and len(pair.b) == 0 for pair in single)
    assert all((pair.b[pair.b != RULES.separator] < 1_000_000).all() for pair in pairs if pair.label == NOT_NEXT)


@pytest.mark.parametrize(
    ("mixture", "sentence"),
    [
        ({"a.txt": {"held_out": True}}, "No file of the mixture is to be trained on"),
        ({"a.txt": {}}, "No file of the mixture is held out"),
        ({"a.txt": {"wieght": 2}}, "There is no setting named wieght in a.txt"),
        ({"a.txt": 3}, "must be a table of settings"),
        ({"a.txt": {"weight": -1}}, "The weight must be between 0 and 1,000,000"),
    ],
)
def test_a_wrong_mixture_is_refused(mixture, sentence):
    with pytest.raises(BertcoreError, match=sentence):
        sources_of(mixture)


def test_files_are_found_and_heavy_small_ones_are_read_more_often_for_a_vocabulary(tmp_path):
    large, small = text_file(tmp_path / "large.txt", "x" * 9000), text_file(tmp_path / "small.txt", "x" * 1000)
    assert readings([large, small], [7, 3]) == [large, small, small, small]
    assert find_files(["small.txt"], ["/nowhere", str(tmp_path)]) == [small]
    with pytest.raises(BertcoreError, match=r"The recipe reads gone\.txt, which is not in"):
        find_files(["gone.txt"], [str(tmp_path)])


MIXTURE = {
    "tales.txt": {"kind": "books", "weight": 3},
    "talk.txt": {"kind": "everyday", "weight": 1, "pairs": False},
    "unseen.txt": {"kind": "books", "held_out": True},
    "news.txt": {"kind": "news", "held_out": True},
}
STEPS = 6


@pytest.fixture
def options(tmp_path):
    """A tiny run on four files below one folder; the held-out ones have a word that no other has."""
    documents = STORIES.split("\n\n")
    for name, part in zip(MIXTURE, (documents[:20], documents[20:40], documents[40:50], documents[50:]), strict=True):
        text = "\n\n".join(part)
        text_file(tmp_path / name, text.replace("cat", "qxqx") if "held_out" in MIXTURE[name] else text)
    data = {"mixture": MIXTURE, "sequence_length": 32, "long_sequence_length": 32, "long_share": 0.0}
    return tiny_run(tmp_path, data, steps=STEPS, batch_size=4, held_out_sequences=8)


def test_a_run_of_a_mixture_resumes_as_if_it_had_not_stopped(options, tmp_path):
    start_run(options, tmp_path / "whole", resume=False)
    start_run(options, tmp_path / "stopped", resume=False, on_event=stop_at(tmp_path / "stopped", 3))
    assert RunFolder(tmp_path / "stopped").status().step == 3
    start_run(options, tmp_path / "stopped", resume=True)
    assert losses(tmp_path / "stopped") == losses(tmp_path / "whole")
    assert len(losses(tmp_path / "whole")) == STEPS


def test_a_measurement_reads_each_kind_once_and_held_out_files_are_never_trained_on(options, run, monkeypatch):
    words = []
    real = evaluating.pretraining_loss

    def counted(model, batch):
        words.append(len(batch.labels))
        return real(model, batch)

    monkeypatch.setattr(evaluating, "pretraining_loss", counted)
    start_run(options, run, resume=False)
    lines = metrics(run, "held_out")
    assert sum(words) == sum(line["words"] for line in lines)
    for line in lines:
        counts, losses = zip(*((kind["words"], kind["mlm_loss"]) for kind in line["kinds"].values()), strict=True)
        assert set(line["kinds"]) == {"books", "news"} and line["words"] == sum(counts)
        assert line["mlm_loss"] == pytest.approx(np.average(losses, weights=counts))
    vocabulary = Tokenizer.from_folder(run / "tokenizer").raw.get_vocab()
    assert "cat" in vocabulary and "q" not in vocabulary


def test_a_changed_weight_is_another_text(options, tmp_path):
    start_run(options.with_changes(steps=1), tmp_path / "run", resume=False)
    file = tmp_path / "run" / "config.json"
    config = json.loads(file.read_text("utf-8"))
    config["data"]["mixture"]["tales.txt"]["weight"] = 5
    file.write_text(json.dumps(config), "utf-8")
    with pytest.raises(BertcoreError, match="The data of this run has changed since it began"):
        start_run(None, tmp_path / "run", resume=True)


@pytest.mark.parametrize("weights", [(6.0, 3.0, 1.0), (0.37, 0.21, 0.19, 0.23), (1.0, 1.0)])
def test_the_next_source_is_the_one_furthest_behind_its_share(weights):
    """To the last bit, as arrays would say it: a run that is resumed reads on as it began."""
    sampler = _sampler([MixtureFile(weight=weight) for weight in weights])
    shares, taken = np.array(weights) / np.sum(weights), np.zeros(len(weights), dtype=np.int64)
    found = np.concatenate([sampler._sources(count) for count in (1, 700, 4_000)])
    for row, number in enumerate(found.tolist()):
        assert number == (shares * (row + 1) - taken).argmax()
        taken[number] += 1
    assert sampler._taken.tolist() == taken.tolist()
