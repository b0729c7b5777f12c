"""Held-out text, figures as one word at a time gives them; and the whole report, whose card says its numbers."""

import json
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from model_report import held_out
from model_report import report as report_module
from model_report.documents import (
    Document,
    Window,
    batches,
    cut,
    evenly,
    following,
    held_out_text,
    random_next_sentence,
    sample,
    single_sentences,
    whole_documents,
    whole_sentences,
)
from model_report.estimates import expected_calibration_error, mean_by_document
from model_report.head_census import Head, HeadCensus, head_census, sentence_pairs
from model_report.markdown import cloze_table, figures
from model_report.report import Effort, measure_model, measure_model_on_files, measure_text

from bertcore.analysis.attention_heads import classify_heads
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.data.cloze import read_cloze
from bertcore.data.corpus import load_corpus
from bertcore.data.pairs import IS_NEXT, NOT_NEXT, PairRules
from bertcore.errors import BertcoreError
from bertcore.evaluation.sets import Cloze, Estimate, MinimalPairs, cloze_files, read_minimal_pairs, share
from tests.engine.corpora import STORIES
from tests.engine.models import TOKENIZER, tiny_checkpoint, word_tokenizer
from tests.text_file import text_file

RULES = PairRules.of(TOKENIZER, "nsp")


def numbered(lengths, first=0):
    """A document with these sentence lengths, each token with an id of its own."""
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Document("text", tuple("s" * len(lengths)), np.arange(first, first + starts[-1]), starts)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return load_checkpoint(tiny_checkpoint(tmp_path_factory.mktemp("tiny")))


@pytest.fixture(scope="module")
def documents():
    texts = [story.replace("\n", " ").replace("!", "!|").replace(".", ".|") for story in STORIES.split("\n\n")[:12]]
    return [Document.of("a" if i % 3 else "b", text.split("|"), TOKENIZER) for i, text in enumerate(texts)]


class TestDocuments:
    @pytest.mark.parametrize("stories", [60, 4])
    def test_they_are_those_that_a_run_on_the_same_files_keeps_apart(self, tmp_path, stories):
        texts = STORIES.split("\n\n")[:stories]
        first = text_file(tmp_path / "first.txt", "\n\n".join(texts[: stories // 3]))
        second = text_file(tmp_path / "second.txt", "\n\n".join(texts[stories // 3 :]))
        corpus = load_corpus([first, second], TOKENIZER)
        bounds = corpus.sentence_starts[corpus.document_starts]
        expected = [corpus.tokens[bounds[d] : bounds[d + 1]].tolist() for d in corpus.documents(held_out=True)]
        found = held_out_text([first, second], TOKENIZER)
        assert [document.tokens.tolist() for document in found.documents] == expected
        assert found.documents_in_text == len(corpus.held_out) and not found.is_whole
        for name, group in found.rows.items():
            text = (tmp_path / name).read_text(encoding="utf-8").replace("\n", " ")
            assert group and all(" ".join(document.sentences) in text for document in group)

    def test_a_text_of_single_sentences_keeps_the_one_with_a_pair_as_a_run_does(self, tmp_path):
        single = [f"the cat sat on {word}" for word in ("the", "it", "a", "very", "on", "mat", "dog", "bird", "was")]
        for place in range(3):
            texts = [*single]
            texts[place * 3] = "The cat sat on the mat. It was very comfortable."
            file = text_file(tmp_path / "text.txt", "\n\n".join(texts))
            corpus = load_corpus([file], TOKENIZER)
            found = held_out_text([file], TOKENIZER).documents
            assert len(found) == len(corpus.documents(held_out=True))
            assert any(len(document.sentences) == 2 for document in found)

    def test_whole_files_by_kind_are_all_of_their_documents(self, tmp_path):
        texts = STORIES.split("\n\n")[:9]
        files = [tmp_path / f"{name}.txt" for name in "abc"]
        for number, file in enumerate(files):
            file.write_text("\n\n".join(texts[3 * number : 3 * number + 3]), encoding="utf-8")
        kinds = {"stories": files[:2], "single": files[2:]}
        text = whole_documents(kinds, TOKENIZER, unconnected=files[2:])
        assert text.is_whole and text.documents_in_text == len(text.documents) == 9
        assert [" ".join(d.sentences) for d in text.documents] == [story.replace("\n", " ").strip() for story in texts]
        assert [d.source for d in text.rows["stories"]] == ["a.txt"] * 3 + ["b.txt"] * 3
        assert [d.is_connected for d in text.documents] == [True] * 6 + [False] * 3
        files[2].write_text("\n")
        with pytest.raises(BertcoreError, match="no text in c.txt"):
            whole_documents(kinds, TOKENIZER)

    def test_a_sample_is_whole_documents_in_their_order(self):
        documents = [numbered([10], 10 * number) for number in range(50)]
        taken = sample(documents, 205)
        firsts = [int(document.tokens[0]) for document in taken]
        assert len(taken) == 20 and firsts == sorted(firsts) and firsts[-1] > 250
        assert sample(documents, 10**6) == documents and len(sample(documents, 3)) == 1


class TestSequences:
    @pytest.mark.parametrize("kind", ["nsp", "none"])
    def test_every_token_stands_in_just_one(self, kind):
        found = [numbered([3, 9, 2, 30, 4]), numbered([1], 100), numbered([7, 7], 200)]
        windows = cut(found, 16, PairRules.of(TOKENIZER, kind))
        pairs = [following(found, window) for window in windows]
        assert max(len(pair.a) + len(pair.b) for pair in pairs) == (13 if kind == "nsp" else 14)
        seen = np.concatenate([part for pair in pairs for part in (pair.a, pair.b)])
        assert sorted(seen) == sorted(np.concatenate([document.tokens for document in found]))

    def test_pairs_are_split_where_a_sentence_begins_nearest_the_middle(self):
        found = [numbered([2, 5, 4, 20])]
        windows = cut(found, 16, RULES)
        assert windows == [Window(0, 0, 7, 13), Window(0, 13, None, 26), Window(0, 26, None, 31)]
        assert following(found, windows[0]).label == IS_NEXT
        assert [w.first for w in cut(found, 16, RULES, only_full=True)] == [0]

    def test_windows_of_whole_sentences(self):
        found = [numbered([5, 6, 4, 30, 3, 3, 3, 3, 3, 2]), numbered([9], 200)]
        windows = whole_sentences(found, 16, RULES)  # 11 of 13 tokens of text are filled
        # the third sentence stands alone before one that is too long
        assert windows == [Window(0, 0, 5, 11), Window(0, 45, 48, 54), Window(0, 54, 57, 62)]
        # half of a short document is left to others: else a random B could not come from it
        found = [numbered([3] * 6), numbered([3, 3], 100), numbered([3], 200)]
        windows = whole_sentences(found, 40, RULES)
        assert windows == [Window(0, 0, 3, 9), Window(0, 9, 12, 18), Window(1, 0, 3, 6)]

    def test_single_sentences_are_whole_and_of_the_wanted_length(self):
        found = single_sentences([numbered([4, 5, 14, 15, 7]), numbered([9], 200)], 5, 14)
        expected = [(0, 4, 9), (0, 9, 23), (0, 38, 45), (1, 0, 9)]
        assert found == [Window(document, first, None, stop) for document, first, stop in expected]

    def test_a_random_b_is_whole_sentences_about_as_long_of_another_place(self):
        rng = np.random.default_rng(0)

        def seen(document, window, budget, *pools, **how):
            pairs = [random_next_sentence(document, window, pools, budget, rng, **how) for _ in range(60)]
            a = list(range(window.first, window.split or 0))
            assert all(pair.label == NOT_NEXT and pair.a.tolist() == a for pair in pairs if pair is not None)
            return {(int(pair.b[0]), len(pair.b)) for pair in pairs if pair is not None}

        found = [numbered([5, 8]), numbered([6, 2, 12, 9], 100), numbered([3], 200)]
        given = found[0], Window(0, 0, 5, 13)
        assert seen(*given, 13, found) == {(100, 8)}  # nine from 120 on would not fit into 13
        assert seen(*given, 14, found) == seen(*given, 14, found[2:], found[:2]) == {(100, 8), (120, 9)}
        assert seen(*given, 13, [found[0], found[2]]) == seen(*given, 13, found[2:]) == seen(*given, 13) == set()
        same = numbered([4, 4, 5, 5, 4, 9, 4])
        places = {(0, 4), (4, 4), (18, 4), (31, 4)}
        assert seen(same, Window(0, 8, 13, 18), 13, [same], is_same_document=True) == places

    def test_strange_pairs_are_neither_longer_nor_shorter(self, documents):
        rng, budget = np.random.default_rng(0), RULES.token_budget(24)
        windows = [w for w in whole_sentences(documents, 24, RULES) for _ in range(20)]
        pairs = [(w, random_next_sentence(documents[w.document], w, [documents], budget, rng)) for w in windows]
        difference = [len(pair.b) - (w.stop - (w.split or 0)) for w, pair in pairs if pair is not None]
        assert len(difference) > 100 and abs(np.mean(difference)) < 0.3

    def test_batches_hold_each_sequence_once_and_stay_within_their_tokens(self):
        lengths = [5, 90, 3, 40, 40, 8, 200]
        found = list(batches(lengths, 100))
        assert sorted(int(i) for chosen in found for i in chosen) == list(range(7))
        for chosen in found:
            assert len(chosen) == 1 or len(chosen) * max(lengths[i] for i in chosen) <= 100

    def test_what_is_left_of_many_is_spread_over_all(self):
        windows = [Window(i, 0, None, 1) for i in range(101)]
        assert [window.document for window in evenly(windows, 5)] == [0, 25, 50, 75, 100]
        assert evenly(windows, 200) == windows


class TestMaskedWords:
    def test_each_is_as_one_sequence_at_a_time_predicts_it(self, tiny, documents, monkeypatch):
        """Padding, batches and chosen rows aside: the whole text through the model, sequence by sequence."""
        seen = []
        original = held_out.masked_batch
        monkeypatch.setattr(held_out, "masked_batch", lambda *args: seen.append(original(*args)) or seen[-1])
        monkeypatch.setattr(held_out, "MOST_TOKENS", 50)
        words = held_out.masked_words(tiny, documents, 24)
        assert len(seen) > 3
        losses, ranks, places, confidences = [], [], [], []
        for batch in seen:
            for row, label in zip(batch.rows, batch.labels, strict=True):
                sequence, place = divmod(int(row), batch.input_ids.shape[1])
                real = slice(None) if batch.attention_mask is None else batch.attention_mask[sequence] == 1
                ids, segments = (array[sequence][real][None] for array in (batch.input_ids, batch.segment_ids))
                with torch.no_grad():
                    shares = tiny.model.mlm_logits(tiny.model(ids, segments))[0, place].double().softmax(-1)
                losses.append(-math.log(float(shares[label])))
                ranks.append(int((shares > shares[label]).sum()) + 1)
                places.append(place)
                confidences.append(float(shares.max()))
        np.testing.assert_allclose(words.confidences, confidences, atol=1e-4)
        np.testing.assert_allclose(words.losses, losses, atol=1e-4)
        assert words.ranks.tolist() == ranks and words.positions.tolist() == places
        assert len(ranks) == pytest.approx(0.15 * sum(map(len, documents)), rel=0.15)
        assert set(words.documents.tolist()) == set(range(len(documents)))
        np.testing.assert_array_equal(held_out.masked_words(tiny, documents, 24).losses, words.losses)

    def test_summary_by_hand(self):
        words = held_out.MaskedWords(
            documents=np.array([4, 4, 7]),
            positions=np.array([1, 9, 3]),
            losses=np.array([1.0, 2.0, 6.0], dtype=np.float32),
            ranks=np.array([1, 5, 6], dtype=np.int32),
            hidden=np.array([False, True, True]),
            confidences=np.array([0.9, 0.3, 0.5], dtype=np.float32),
        )
        summary = words.summary()
        assert (summary.loss.value, summary.loss.count, summary.documents) == (3.0, 3, 2)
        assert (summary.top1.value, summary.top5.value) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
        assert summary.perplexity == pytest.approx(math.exp(3))
        assert (summary.top1_masked.value, summary.top1_masked.count) == (0.0, 2)
        assert summary.confidence.value == summary.calibration_error == pytest.approx(0.4)
        # deviations from 3 by document: -2 - 1 = -3, and 3; 2/1 * (9 + 9) / 3^2
        assert summary.loss.standard_error == pytest.approx(2.0)
        assert words.at(1, 9).losses.tolist() == [1.0, 6.0]
        both = held_out.MaskedWords.joined([words, words.counted_from(10)])
        assert both.documents.tolist() == [4, 4, 7, 14, 14, 17]
        assert both.at(2, 4).hidden.tolist() == [True, True] and both.at(1, 2).hidden.tolist() == [False, False]
        assert math.isnan(held_out.MaskedWords.joined([]).summary().top1_masked.value)

    def test_words_that_can_be_read_off_are_told_from_those_behind_the_mask(self, tmp_path):
        """A model that sees its own word and no other: right on the tenth that is left as it is, on nothing else."""
        checkpoint = load_checkpoint(tiny_checkpoint(tmp_path))
        ids = [token for token in range(TOKENIZER.vocab_size) if token not in TOKENIZER.special.ids.values()]
        numbers = np.random.default_rng(5).choice(ids, 4000)
        document = Document("text", tuple("s" * 400), numbers, np.arange(0, 4001, 10))

        def model(seen, *others, rows):
            return torch.nn.functional.one_hot(seen.reshape(-1)[rows], TOKENIZER.vocab_size).float()

        checkpoint.model.forward = model
        checkpoint.model.mlm_logits = lambda hidden: hidden
        summary = held_out.masked_words(checkpoint, [document], 24).summary()
        assert summary.top1_masked.count == pytest.approx(0.8 * summary.top1.count, rel=0.1)
        assert summary.top1_masked.value == 0.0
        # the 10% left as they are, and random words that happen to be the right one: 10% of one in the vocabulary
        assert summary.top1.value == pytest.approx(0.1 + 0.1 / TOKENIZER.vocab_size, abs=0.04)
        assert held_out.words_of_single_sentences(checkpoint, [document], 24, 50).summary().top1_masked.count == 2 * 50

    def test_a_single_sentence_is_read_with_nothing_around(self, tiny, documents, monkeypatch):
        seen = []
        original = held_out.masked_batch
        monkeypatch.setattr(
            held_out, "masked_batch", lambda *args: seen.append((args[0], original(*args))) or seen[-1][1]
        )
        words = held_out.words_of_single_sentences(tiny, documents, 24, sentences=7)
        pairs = [pair for group, _ in seen for pair in group]
        assert all((batch.input_ids.reshape(-1)[batch.rows] == TOKENIZER.mask_id).all() for _, batch in seen)
        sentences = {
            tuple(document.tokens[first:stop].tolist())
            for document in documents
            for first, stop in pairwise(document.starts)
        }
        assert len(pairs) == 7 and all(tuple(pair.a.tolist()) in sentences and not len(pair.b) for pair in pairs)
        assert all(5 <= len(pair.a) <= 22 for pair in pairs)
        assert len(words.losses) == sum(max(1, round(0.15 * len(pair.a))) for pair in pairs)
        assert len(set(words.documents.tolist())) > 1

    def test_by_place_counts_the_same_full_sequences_in_every_band(self, tiny, documents, monkeypatch):
        monkeypatch.setattr(held_out, "POSITION_LIMITS", (0, 8, 16, 512))  # the tiny model reads 40 tokens
        long = [numbered([6] * 30, 5) for _ in range(3)]
        long = [Document("text", d.sentences, 5 + d.tokens % 16, d.starts) for d in long]
        ranges = held_out.words_by_position(tiny, [*documents, *long], sequences=9)
        assert [(part.first, part.stop) for part in ranges] == [(0, 8), (8, 16), (16, 40)]
        counts = [part.words.loss.count for part in ranges]
        assert sum(counts) == 9 * round(0.15 * 37)
        assert all(part.words.documents <= 3 for part in ranges)
        assert held_out.words_by_position(tiny, documents[:1], sequences=9) == []


class TestNextSentences:
    def test_it_is_what_single_pairs_say(self, tiny, documents):
        found = held_out.next_sentences(tiny, documents, documents, 24, windows=50)
        windows = whole_sentences(documents, 24, RULES)
        says = []
        for window in windows:
            pair = following(documents, window)
            ids = [TOKENIZER.cls_id, *pair.a, TOKENIZER.sep_id, *pair.b, TOKENIZER.sep_id]
            segments = [0] * (len(pair.a) + 2) + [1] * (len(pair.b) + 1)
            with torch.no_grad():
                hidden = tiny.model(torch.tensor([ids]), torch.tensor([segments]))
                says.append(int(tiny.model.logits("nsp", hidden[:, 0]).argmax()) == 0)
        same = found[held_out.SAME_FILE]
        assert (same.true_next.value, same.true_next.count) == (np.mean(says), len(windows))
        assert same.right.count == 2 * same.true_next.count

    def test_each_random_b_comes_from_its_place(self, tiny, monkeypatch):
        """Tokens say where a sentence is from: tens are its document; ids are not read here."""
        found = [replace(numbered([3, 3, 3, 3], 10 * number), source="ab"[number > 2]) for number in range(5)]
        loose = replace(numbered([3] * 4, 90), source="c", is_connected=False)
        judged = []

        def says_next(checkpoint, pairs):
            judged.append(pairs)
            return np.array([int(pair.b[0]) % 2 == 0 for pair in pairs], dtype=bool)

        monkeypatch.setattr(held_out, "_says_next", says_next)
        shares = held_out.next_sentences(tiny, [*found[:3], loose], [*found, loose], 24, windows=50)
        true, same_document, same_file, other_file = judged
        tens = [[(int(pair.a[0]) // 10, int(pair.b[0]) // 10) for pair in pairs] for pairs in judged]
        assert len(true) == len(same_document) == len(same_file) == len(other_file) == 6
        assert all(a == b for a, b in (*tens[0], *tens[1])) and all(len({int(p.a[0]), int(p.b[0])}) == 2 for p in true)
        assert all(abs(int(p.b[0]) - int(p.a[0])) > 3 or p.b[0] < p.a[0] for p in same_document)
        assert all(a != b and b <= 2 for a, b in tens[2]) and all(b in (3, 4) for _, b in tens[3])
        assert list(shares) == [held_out.SAME_DOCUMENT, held_out.SAME_FILE, held_out.OTHER_FILE, held_out.ANY_RANDOM]
        for place, pairs in zip(shares, judged[1:], strict=False):
            accepted, random = ([int(p.b[0]) % 2 == 0 for p in group] for group in (true, pairs))
            assert shares[place].true_next.value == np.mean(accepted)
            assert shares[place].random_next.value == pytest.approx(1 - np.mean(random))
            assert shares[place].right.value == pytest.approx((np.mean(accepted) + 1 - np.mean(random)) / 2)
        assert shares[held_out.ANY_RANDOM].true_next.count == 18
        of_places = [shares[place].right.value for place in list(shares)[:3]]
        assert shares[held_out.ANY_RANDOM].right.value == pytest.approx(np.mean(of_places))

    def test_sentences_without_connection_and_a_model_without_the_head_have_no_figure(self, tiny, tmp_path, documents):
        loose = [replace(document, is_connected=False) for document in documents]
        assert held_out.next_sentences(tiny, loose, [*loose, *documents], 24, windows=50) == {}
        checkpoint = load_checkpoint(tiny_checkpoint(tmp_path, output_heads=("mlm",)))
        assert held_out.next_sentences(checkpoint, documents, documents, 24, windows=50) == {}


class TestEstimates:
    def test_standard_errors_of_shares_of_single_values_and_what_cannot_be_known(self):
        values = np.array([1.0, 4.0, 2.0, 7.0, 5.5])
        estimate = mean_by_document(values, np.array([9, 2, 5, 3, 1]))
        assert estimate.standard_error == pytest.approx(values.std(ddof=1) / math.sqrt(5))
        assert share(np.array([True, True, True, False])).standard_error == pytest.approx(math.sqrt(0.75 * 0.25 / 4))
        assert math.isnan(share(np.zeros(0)).value)
        assert math.isnan(mean_by_document(np.array([1.0, 2.0]), np.array([3, 3])).standard_error)

    def test_calibration_error_by_hand(self):
        """In bins of a fifth: (0.2, 0.4] has 0.3 and 0.4, one of two right; (0.8, 1] has 0.9, 1.0 and 1.0, all right;
        0.2 is in the first one, wrong."""
        confidences = np.array([0.3, 0.4, 0.9, 1.0, 1.0, 0.2])
        right = np.array([True, False, True, True, True, False])
        gaps = 2 * abs(1 / 2 - 0.35), 3 * abs(1 - 2.9 / 3), 1 * 0.2
        assert expected_calibration_error(confidences, right, bins=5) == pytest.approx(sum(gaps) / 6)
        assert math.isnan(expected_calibration_error(np.zeros(0), np.zeros(0, bool)))


# --- the whole report of a model: its parts agree, it goes to JSON, and the card says its numbers

LONGEST = 160  # tokens: this vocabulary spells most words out
EFFORT = Effort(length=24, single_sentences=50, pair_windows=20, full_sequences=10, head_texts=6)


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return load_checkpoint(tiny_checkpoint(tmp_path_factory.mktemp("tiny"), max_position_embeddings=LONGEST))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two files of stories, long enough for full sequences, with sentences of some words."""
    folder = tmp_path_factory.mktemp("text")
    longer = STORIES.replace("A dog sang", "A dog sang on the mat").replace("was very", "was very very")
    stories = [f"{story} ".replace("\n", " ") * 8 for story in longer.split("\n\n")]
    for name, part in (("first.txt", stories[:40]), ("second.txt", stories[40:])):
        (folder / name).write_text("\n\n".join(part), encoding="utf-8")
    return [folder / "first.txt", folder / "second.txt"]


@pytest.fixture(scope="module")
def report(reader, files):
    return measure_model_on_files(reader, files, effort=EFFORT)


def test_figures_of_all_are_those_of_the_files_weighed_by_their_words(report):
    words = report.text.words
    assert list(words) == ["first.txt", "second.txt", "all"]
    counts = [words[name].loss.count for name in ("first.txt", "second.txt")]
    losses = [words[name].loss.value for name in ("first.txt", "second.txt")]
    assert words["all"].loss.count == sum(counts)
    assert words["all"].loss.value == pytest.approx(np.average(losses, weights=counts), rel=1e-5)
    assert words["all"].documents == words["first.txt"].documents + words["second.txt"].documents
    assert [part.stop for part in report.text.by_position] == [64, 128, 160]
    first, second, every = (words[name].top1_masked for name in ("first.txt", "second.txt", "all"))
    assert 0 < every.count == first.count + second.count < words["all"].top1.count
    assert every.value == pytest.approx(np.average([first.value, second.value], weights=[first.count, second.count]))


def test_a_file_is_measured_on_its_own_held_out_documents(reader, files, report):
    documents = held_out_text(files, reader.tokenizer).rows["second.txt"]
    assert report.text.words["second.txt"] == held_out.masked_words(reader, documents, 24).summary()
    single = report.text.single_sentences  # of all files they would weigh wrongly
    assert single["second.txt"] == held_out.words_of_single_sentences(reader, documents, 24, 50).summary()
    assert list(single) == ["first.txt", "second.txt"]
    card = section(report, "Single sentences")
    assert "| **all** |" not in card and "no row for all" in card


def test_files_of_one_name_are_told_apart(reader, tmp_path, files):
    texts = []
    for folder, name, source in (("en", "wiki.txt", 0), ("de", "wiki.txt", 1), ("en", "all", 1)):
        (tmp_path / folder).mkdir(exist_ok=True)
        texts.append(tmp_path / folder / name)
        texts[-1].write_bytes(files[source].read_bytes())
    found = measure_model_on_files(reader, texts[:2], effort=EFFORT)
    assert list(found.text.words) == ["en/wiki.txt", "de/wiki.txt", "all"]
    assert set(held_out_text(texts[1:], reader.tokenizer).rows) == {"wiki.txt", "2: all"}


def test_less_text_where_less_is_asked_for(reader, files, report):
    text = held_out_text(files, reader.tokenizer)
    found = measure_model_on_files(reader, files, effort=replace(EFFORT, most_tokens=700, pair_windows=2)).text
    for name, documents in text.rows.items():
        fitting = found.words[name].documents
        assert 1 < fitting < len(documents) == report.text.words[name].documents
        assert found.next_sentence[name][held_out.SAME_FILE].true_next.count == 2
    assert found.documents < report.text.documents == len(text.documents) < found.documents_in_text


def test_whole_files_by_kind(reader, files, tmp_path):
    """Each kind has its row, of all its files; sentences without connection have no next one."""
    single = text_file(tmp_path / "single.txt", "\n\n".join(["the cat sat on the mat.\nit was a very dog."] * 5))
    found = measure_model(reader, {"stories": files, "captions": [single]}, unconnected=[single], effort=EFFORT)
    assert found.text.is_whole
    assert list(found.text.words) == ["stories", "captions", "all"]
    assert found.text.documents == found.text.documents_in_text == found.text.words["all"].documents
    assert list(found.text.single_sentences) == ["stories", "captions"]
    assert list(found.text.next_sentence) == ["stories"]
    assert f"({found.text.documents:,} of the {found.text.documents:,} documents)" in figures(found)
    by_file = measure_model_on_files(reader, files, whole=True, effort=EFFORT).text
    assert list(by_file.words) == ["first.txt", "second.txt", "all"]
    assert by_file.words["all"].loss.count == found.text.words["stories"].loss.count


def test_the_same_report_each_time_as_json(reader, files, report):
    again = measure_model_on_files(reader, files, effort=EFFORT)
    text = json.dumps(report.to_dict())
    assert json.dumps(again.to_dict()) == text
    values = json.loads(text)
    assert len(values["cloze"]["sentences"]) == 200 and len(values["cloze"]["sentences"][0]["guesses"]) == 5
    assert len(values["minimal_pairs"]["pairs"]) == 100
    words = values["text"]["words"]["all"]
    assert words["perplexity"] > 1 and 0 <= words["top1_masked"]["value"] <= 1 and 0 <= words["calibration_error"] <= 1
    assert len(values["second_cloze"]["sentences"]) == 100
    possible = sum(sentence["rank"] is not None for sentence in values["cloze"]["sentences"])
    assert values["cloze"]["possible"]["top5"]["count"] == possible < 200
    pairs = values["minimal_pairs"]
    different = sum(pair["good_tokens"] != pair["bad_tokens"] for pair in pairs["pairs"])
    assert pairs["of_different_length"] == different > 0
    assert sum(values["heads"]["counts"].values()) == 8


def test_without_text_the_sets_alone_are_measured(reader, report, monkeypatch):
    monkeypatch.setattr(report_module, "read_cloze", lambda file: read_cloze(file)[:9])
    monkeypatch.setattr(report_module, "read_minimal_pairs", lambda file: read_minimal_pairs(file)[:9])
    short = measure_model(reader)
    assert short.text is None and short.heads is None
    assert [answer.rank for answer in short.cloze.answers] == [answer.rank for answer in report.cloze.answers[:9]]
    assert short.minimal_pairs.right.count == 9
    assert "Held-out" not in figures(short) and "Cloze set" in figures(short)
    given = measure_model(reader, cloze_sets=cloze_files())
    assert given.minimal_pairs is None and len(given.second_cloze.answers) == 9, "pairs are English"
    assert "Second cloze set" in figures(given) and "## Minimal pairs" not in figures(given)


def test_a_model_without_pairs_is_read_in_one_part_and_has_no_next_sentence(tmp_path, files, report):
    checkpoint = load_checkpoint(tiny_checkpoint(tmp_path, output_heads=("mlm",), max_position_embeddings=LONGEST))
    assert held_out.rules_for(checkpoint) == PairRules.of(checkpoint.tokenizer, "none")
    text = measure_text(checkpoint, held_out_text(files, checkpoint.tokenizer), EFFORT)
    assert text.next_sentence == {}
    assert "## Next sentence" in figures(report)
    assert "ext sentence" not in figures(replace(report, text=text))
    with pytest.raises(BertcoreError, match="masked-word"):
        measure_model(load_checkpoint(tiny_checkpoint(tmp_path / "other", output_heads=("nsp",))))


def section(report, title):
    """Of the card, up to the next title."""
    return figures(report).split(f"## {title}")[1].split("##")[0]


class TestTheCard:
    def test_says_the_numbers(self, report):
        card = figures(report)
        words, ranges = report.text.words["all"], report.text.by_position
        assert f"{words.loss.value:.3f} ± {words.loss.standard_error:.3f} | {words.perplexity:.1f}" in card
        assert f"| 1 to 64 | {ranges[0].words.loss.count:,} |" in card
        assert f"{report.minimal_pairs.right.value:.1%}" in card and f"{report.cloze.score.top5.value:.1%}" in card
        assert "| first.txt |" in card and "| **all** |" in card
        single = report.text.single_sentences["second.txt"]
        row = section(report, "Single sentences").split("| second.txt |")[1].splitlines()[0]
        assert f"{single.loss.value:.3f} ±" in row and f"{single.top5.value:.1%} ±" in row

    def test_tells_the_usual_share_right_from_that_of_words_that_cannot_be_seen_and_how_sure_it_is(self, report):
        words = replace(
            report.text.words["all"],
            top1=Estimate(0.371, 0.003, 1000),
            top1_masked=Estimate(0.301, 0.004, 800),
            confidence=Estimate(0.46, 0.004, 800),
            calibration_error=0.0714,
        )
        text = replace(report.text, words={**report.text.words, "all": words})
        table = section(replace(report, text=text), "Held-out text")
        head, row = (next(line for line in table.splitlines() if name in line) for name in ("| text |", "| **all** |"))
        shown = dict(zip(head.split(" | "), row.split(" | "), strict=True))
        assert (shown["right"], shown["right at [MASK]"]) == ("37.1% ± 0.3", "30.1% ± 0.4")
        assert row.endswith("| 46.0% ± 0.4 | 0.071 |")
        assert "8 in 10 of these are replaced by [MASK]" in table and "as is usual" in table

    def test_tells_accepted_from_rejected_next_sentences(self, report):
        shares = Estimate(0.668, 0.007, 3000), Estimate(0.9, 0.01, 1500), Estimate(0.436, 0.02, 1500)
        found = held_out.NextSentences(*shares)
        text = replace(report.text, next_sentence={"news": {held_out.SAME_FILE: found}})
        card = section(replace(report, text=text), "Next sentence")
        assert "| true B accepted | random B rejected | balanced accuracy |" in card
        assert "| news | another document of the file | 1,500 | 90.0% ± 1.0 | 43.6% ± 2.0 | 66.8% ± 0.7 |" in card

    def test_says_how_much_of_the_cloze_set_is_possible_and_where_pairs_have_more_tokens(self, report):
        ranks = [1, 3, 9, None, None]
        answers = [replace(a, rank=rank) for a, rank in zip(report.cloze.answers, ranks, strict=False)]
        card = figures(replace(report, cloze=Cloze(tuple(answers))))
        assert "| **all** | 5 | 20.0% ± 17.9 | 40.0% ± 21.9 |" in card
        assert "2 of the 5 have no answer that is one token" in card
        assert "Of the 3 that can be: 33.3% ± 27.2 first, 66.7% ± 27.2 in the top five." in card
        every = figures(replace(report, cloze=Cloze(tuple(answers[:3]))))
        assert "| **all** | 3 |" in every and "are possible" not in every
        pair = replace(report.minimal_pairs.preferences[0], good_tokens=7, bad_tokens=7)
        longer = replace(pair, bad_tokens=9)
        card = figures(replace(report, minimal_pairs=MinimalPairs((pair, longer, pair))))
        assert "In 1 of the 3 pairs one sentence has more tokens" in card
        alike = figures(replace(report, minimal_pairs=MinimalPairs((pair, pair))))
        assert "both sentences of every pair have the same number of tokens" in alike

    def test_the_cloze_table_has_every_sentence_with_its_word_and_its_guesses(self, report):
        for page in (figures(report), cloze_table(report)):
            cells = [line.count("|") if line.startswith("|") else 0 for line in page.splitlines()]
            assert all(a == b for a, b in pairwise(cells) if a and b)
        rows = [line for line in cloze_table(report).splitlines() if line.startswith("|") and line.count("**") >= 2]
        assert len(rows) == 200
        for row, answer in zip(rows, report.cloze.answers, strict=True):
            assert answer.sentence.text.replace("[MASK]", f"**{answer.sentence.answers[0]}**") in row
            assert row.endswith("| - |" if answer.rank is None else f"| {answer.rank:,} |")
            shown = row.split("|")[3:8]
            for cell, guess in zip(shown, answer.guesses, strict=True):
                assert guess.token.replace("|", "/") in cell
                assert ("**" in cell) == (guess.token in answer.sentence.answers)


class TestHeads:
    TEXTS = (
        ("the cat sat on a mat", "the cat sang very"),
        ("a bird sang", "it was a bird"),
        ("the dog", "a mat was it"),
    )

    def test_each_head_is_what_it_was_in_most_texts(self, reader):
        census = head_census(reader, self.TEXTS)
        kinds = []
        for a, b in self.TEXTS:
            encoding = reader.tokenizer.encode(a, b)
            attentions = trace(reader.model, encoding.ids, encoding.segments).attentions
            kinds.append([[found.kind for found in classify_heads(layer, encoding)] for layer in attentions])
        assert census.texts == 3 and len(census.heads) == 8
        for head in census.heads:
            of_head = [text[head.layer][head.number] for text in kinds]
            assert of_head.count(head.kind) == max(map(of_head.count, of_head))
            assert head.share == pytest.approx(of_head.count(head.kind) / 3)
        assert sum(census.counts().values()) == 8
        assert head_census(reader, []) is None
        heads = [Head(0, i, kind, 1.0) for i, kind in enumerate(("mixed", "broad", "next token", "broad"))]
        assert list(HeadCensus(5, tuple(heads)).counts().items()) == [("next token", 1), ("broad", 2), ("mixed", 1)]

    def test_texts_are_neighbouring_sentences_in_turn_from_each_file(self):
        long, other, short = "the cat sat on the mat .", "it was a very comfortable dog .", "the cat ."

        def document(source, *sentences):
            return Document.of(source, sentences, word_tokenizer())

        documents = [
            document("a", short, long, short, long, other),
            document("a", long, short),
            document("a", other, long),
            document("b", long, long),
        ]
        assert sentence_pairs(documents, 9) == [(long, other), (long, long), (other, long)]
        assert sentence_pairs(documents, 2) == [(long, other), (long, long)]
