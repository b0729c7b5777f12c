"""Held-out text: the same documents as in training, every token once, and figures as one word at a time gives them."""

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from model_report import held_out as held_out_module
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
from model_report.held_out import (
    ANY_RANDOM,
    OTHER_FILE,
    SAME_DOCUMENT,
    SAME_FILE,
    MaskedWords,
    masked_words,
    next_sentences,
    words_by_position,
    words_of_single_sentences,
)

from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint
from bertcore.data.corpus import load_corpus
from bertcore.data.pairs import IS_NEXT, NOT_NEXT, PairRules, TokenPair
from bertcore.errors import BertcoreError
from bertcore.evaluation.sets import share
from tests.engine.corpora import STORIES
from tests.engine.models import tiny_checkpoint, word_tokenizer

TOKENIZER = word_tokenizer()
RULES = PairRules.of(TOKENIZER, "nsp")


def numbered(lengths: list[int], first: int = 0) -> Document:
    """A document with these sentence lengths, each token with an id of its own."""
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Document("text", tuple("s" * len(lengths)), np.arange(first, first + starts[-1]), starts)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return load_checkpoint(tiny_checkpoint(tmp_path_factory.mktemp("tiny")))


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    texts = [story.replace("\n", " ").replace("!", "!|").replace(".", ".|") for story in STORIES.split("\n\n")[:12]]
    return [Document.of("a" if i % 3 else "b", text.split("|"), TOKENIZER) for i, text in enumerate(texts)]


class TestDocuments:
    @pytest.mark.parametrize("stories", [60, 4])
    def test_they_are_those_that_a_run_on_the_same_files_keeps_apart(self, tmp_path: Path, stories: int) -> None:
        first, second = tmp_path / "first.txt", tmp_path / "second.txt"
        texts = STORIES.split("\n\n")[:stories]
        first.write_text("\n\n".join(texts[: stories // 3]), encoding="utf-8")
        second.write_text("\n\n".join(texts[stories // 3 :]), encoding="utf-8")
        corpus = load_corpus([first, second], TOKENIZER)
        bounds = corpus.sentence_starts[corpus.document_starts]
        expected = [corpus.tokens[bounds[d] : bounds[d + 1]].tolist() for d in corpus.documents(held_out=True)]
        found = held_out_text([first, second], TOKENIZER)
        assert [document.tokens.tolist() for document in found.documents] == expected
        assert found.documents_in_text == len(corpus.held_out) and not found.is_whole
        for name, group in found.rows.items():
            text = (tmp_path / name).read_text(encoding="utf-8").replace("\n", " ")
            assert group and all(" ".join(document.sentences) in text for document in group)

    def test_a_text_of_single_sentences_keeps_the_one_with_a_pair_as_a_run_does(self, tmp_path: Path) -> None:
        file = tmp_path / "text.txt"
        single = [f"the cat sat on {word}" for word in ("the", "it", "a", "very", "on", "mat", "dog", "bird", "was")]
        for place in range(3):
            texts = [*single]
            texts[place * 3] = "The cat sat on the mat. It was very comfortable."
            file.write_text("\n\n".join(texts), encoding="utf-8")
            corpus = load_corpus([file], TOKENIZER)
            found = held_out_text([file], TOKENIZER).documents
            assert len(found) == len(corpus.documents(held_out=True))
            assert any(len(document.sentences) == 2 for document in found)

    def test_whole_files_by_kind_are_all_of_their_documents(self, tmp_path: Path) -> None:
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

    def test_a_sample_is_whole_documents_in_their_order(self) -> None:
        documents = [numbered([10], 10 * number) for number in range(50)]
        taken = sample(documents, 205)
        firsts = [int(document.tokens[0]) for document in taken]
        assert len(taken) == 20 and firsts == sorted(firsts) and firsts[-1] > 250
        assert sample(documents, 10**6) == documents and len(sample(documents, 3)) == 1


class TestSequences:
    @pytest.mark.parametrize("kind", ["nsp", "none"])
    def test_every_token_stands_in_just_one(self, kind: str) -> None:
        found = [numbered([3, 9, 2, 30, 4]), numbered([1], 100), numbered([7, 7], 200)]
        windows = cut(found, 16, PairRules.of(TOKENIZER, kind))
        pairs = [following(found, window) for window in windows]
        assert max(len(pair.a) + len(pair.b) for pair in pairs) == (13 if kind == "nsp" else 14)
        seen = np.concatenate([part for pair in pairs for part in (pair.a, pair.b)])
        assert sorted(seen) == sorted(np.concatenate([document.tokens for document in found]))

    def test_pairs_are_split_where_a_sentence_begins_nearest_the_middle(self) -> None:
        found = [numbered([2, 5, 4, 20])]
        windows = cut(found, 16, RULES)
        assert windows == [Window(0, 0, 7, 13), Window(0, 13, None, 26), Window(0, 26, None, 31)]
        assert following(found, windows[0]).label == IS_NEXT
        assert [w.first for w in cut(found, 16, RULES, only_full=True)] == [0]

    def test_windows_of_whole_sentences(self) -> None:
        found = [numbered([5, 6, 4, 30, 3, 3, 3, 3, 3, 2]), numbered([9], 200)]
        windows = whole_sentences(found, 16, RULES)  # 11 of 13 tokens of text are filled
        # the third sentence stands alone before one that is too long
        assert windows == [Window(0, 0, 5, 11), Window(0, 45, 48, 54), Window(0, 54, 57, 62)]
        # half of a short document is left to others: else a random B could not come from it
        found = [numbered([3] * 6), numbered([3, 3], 100), numbered([3], 200)]
        windows = whole_sentences(found, 40, RULES)
        assert windows == [Window(0, 0, 3, 9), Window(0, 9, 12, 18), Window(1, 0, 3, 6)]

    def test_single_sentences_are_whole_and_of_the_wanted_length(self) -> None:
        found = single_sentences([numbered([4, 5, 14, 15, 7]), numbered([9], 200)], 5, 14)
        expected = [(0, 4, 9), (0, 9, 23), (0, 38, 45), (1, 0, 9)]
        assert found == [Window(document, first, None, stop) for document, first, stop in expected]

    def test_a_random_b_is_whole_sentences_about_as_long_of_another_place(self) -> None:
        rng = np.random.default_rng(0)

        def seen(
            document: Document, window: Window, budget: int, *pools: list[Document], **how: bool
        ) -> set[tuple[int, int]]:
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

    def test_strange_pairs_are_neither_longer_nor_shorter(self, documents: list[Document]) -> None:
        rng, budget = np.random.default_rng(0), RULES.token_budget(24)
        windows = [w for w in whole_sentences(documents, 24, RULES) for _ in range(20)]
        pairs = [(w, random_next_sentence(documents[w.document], w, [documents], budget, rng)) for w in windows]
        difference = [len(pair.b) - (w.stop - (w.split or 0)) for w, pair in pairs if pair is not None]
        assert len(difference) > 100 and abs(np.mean(difference)) < 0.3

    def test_batches_hold_each_sequence_once_and_stay_within_their_tokens(self) -> None:
        lengths = [5, 90, 3, 40, 40, 8, 200]
        found = list(batches(lengths, 100))
        assert sorted(int(i) for chosen in found for i in chosen) == list(range(7))
        for chosen in found:
            assert len(chosen) == 1 or len(chosen) * max(lengths[i] for i in chosen) <= 100

    def test_what_is_left_of_many_is_spread_over_all(self) -> None:
        windows = [Window(i, 0, None, 1) for i in range(101)]
        assert [window.document for window in evenly(windows, 5)] == [0, 25, 50, 75, 100]
        assert evenly(windows, 200) == windows


class TestMaskedWords:
    def test_each_is_as_one_sequence_at_a_time_predicts_it(
        self, tiny: Checkpoint, documents: list[Document], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Padding, batches and chosen rows aside: the whole text through the model, sequence by sequence."""
        seen = []
        original = held_out_module.masked_batch
        monkeypatch.setattr(held_out_module, "masked_batch", lambda *args: seen.append(original(*args)) or seen[-1])
        monkeypatch.setattr(held_out_module, "MOST_TOKENS", 50)
        words = masked_words(tiny, documents, 24)
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
        np.testing.assert_array_equal(masked_words(tiny, documents, 24).losses, words.losses)

    def test_summary_by_hand(self) -> None:
        words = MaskedWords(
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
        both = MaskedWords.joined([words, words.counted_from(10)])
        assert both.documents.tolist() == [4, 4, 7, 14, 14, 17]
        assert both.at(2, 4).hidden.tolist() == [True, True] and both.at(1, 2).hidden.tolist() == [False, False]
        assert math.isnan(MaskedWords.joined([]).summary().top1_masked.value)

    def test_words_that_can_be_read_off_are_told_from_those_behind_the_mask(self, tmp_path: Path) -> None:
        """A model that sees its own word and no other: right on the tenth that is left as it is, on nothing else."""
        checkpoint = load_checkpoint(tiny_checkpoint(tmp_path))
        ids = [token for token in range(TOKENIZER.vocab_size) if token not in TOKENIZER.special.ids.values()]
        numbers = np.random.default_rng(5).choice(ids, 4000)
        document = Document("text", tuple("s" * 400), numbers, np.arange(0, 4001, 10))

        def model(seen: torch.Tensor, *others: object, rows: torch.Tensor) -> torch.Tensor:
            found: torch.Tensor = torch.nn.functional.one_hot(seen.reshape(-1)[rows], TOKENIZER.vocab_size).float()
            return found

        checkpoint.model.forward = model  # type: ignore[method-assign,assignment]
        checkpoint.model.mlm_logits = lambda hidden: hidden  # type: ignore[method-assign,assignment]
        summary = masked_words(checkpoint, [document], 24).summary()
        assert summary.top1_masked.count == pytest.approx(0.8 * summary.top1.count, rel=0.1)
        assert summary.top1_masked.value == 0.0
        # the 10% left as they are, and random words that happen to be the right one: 10% of one in the vocabulary
        assert summary.top1.value == pytest.approx(0.1 + 0.1 / TOKENIZER.vocab_size, abs=0.04)
        assert words_of_single_sentences(checkpoint, [document], 24, 50).summary().top1_masked.count == 2 * 50

    def test_a_single_sentence_is_read_with_nothing_around(
        self, tiny: Checkpoint, documents: list[Document], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen = []
        original = held_out_module.masked_batch
        monkeypatch.setattr(
            held_out_module, "masked_batch", lambda *args: seen.append((args[0], original(*args))) or seen[-1][1]
        )
        words = words_of_single_sentences(tiny, documents, 24, sentences=7)
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

    def test_by_place_counts_the_same_full_sequences_in_every_band(
        self, tiny: Checkpoint, documents: list[Document], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(held_out_module, "POSITION_LIMITS", (0, 8, 16, 512))  # the tiny model reads 40 tokens
        long = [numbered([6] * 30, 5) for _ in range(3)]
        long = [Document("text", d.sentences, 5 + d.tokens % 16, d.starts) for d in long]
        ranges = words_by_position(tiny, [*documents, *long], sequences=9)
        assert [(part.first, part.stop) for part in ranges] == [(0, 8), (8, 16), (16, 40)]
        counts = [part.words.loss.count for part in ranges]
        assert sum(counts) == 9 * round(0.15 * 37)
        assert all(part.words.documents <= 3 for part in ranges)
        assert words_by_position(tiny, documents[:1], sequences=9) == []


class TestNextSentences:
    def test_a_model_that_always_says_next_is_right_on_half(self, tmp_path: Path, documents: list[Document]) -> None:
        checkpoint = load_checkpoint(tiny_checkpoint(tmp_path))
        for bias, follows in (((5.0, -5.0), 1.0), ((-5.0, 5.0), 0.0)):
            checkpoint.model.nsp.classify.weight.mul_(0)
            checkpoint.model.nsp.classify.bias.copy_(torch.tensor(bias))
            found = next_sentences(checkpoint, documents, documents, 24, windows=50)
            assert set(found) >= {SAME_FILE, OTHER_FILE, ANY_RANDOM}
            for of_place in found.values():
                shares = of_place.right.value, of_place.true_next.value, of_place.random_next.value
                assert shares == (0.5, follows, 1 - follows)
                assert of_place.right.count == 2 * of_place.true_next.count

    def test_it_is_what_single_pairs_say(self, tiny: Checkpoint, documents: list[Document]) -> None:
        found = next_sentences(tiny, documents, documents, 24, windows=50)
        windows = whole_sentences(documents, 24, RULES)
        says = []
        for window in windows:
            pair = following(documents, window)
            ids = [TOKENIZER.cls_id, *pair.a, TOKENIZER.sep_id, *pair.b, TOKENIZER.sep_id]
            segments = [0] * (len(pair.a) + 2) + [1] * (len(pair.b) + 1)
            with torch.no_grad():
                hidden = tiny.model(torch.tensor([ids]), torch.tensor([segments]))
                says.append(int(tiny.model.logits("nsp", hidden[:, 0]).argmax()) == 0)
        assert (found[SAME_FILE].true_next.value, found[SAME_FILE].true_next.count) == (np.mean(says), len(windows))

    def test_each_random_b_comes_from_its_place(self, tiny: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
        """Tokens say where a sentence is from: tens are its document; ids are not read here."""
        found = [replace(numbered([3, 3, 3, 3], 10 * number), source="ab"[number > 2]) for number in range(5)]
        loose = replace(numbered([3] * 4, 90), source="c", is_connected=False)
        judged: list[list[TokenPair]] = []

        def says_next(checkpoint: Checkpoint, pairs: list[TokenPair]) -> np.ndarray:
            judged.append(pairs)
            return np.array([int(pair.b[0]) % 2 == 0 for pair in pairs], dtype=bool)

        monkeypatch.setattr(held_out_module, "_says_next", says_next)
        shares = next_sentences(tiny, [*found[:3], loose], [*found, loose], 24, windows=50)
        true, same_document, same_file, other_file = judged
        tens = [[(int(pair.a[0]) // 10, int(pair.b[0]) // 10) for pair in pairs] for pairs in judged]
        assert len(true) == len(same_document) == len(same_file) == len(other_file) == 6
        assert all(a == b for a, b in (*tens[0], *tens[1])) and all(len({int(p.a[0]), int(p.b[0])}) == 2 for p in true)
        assert all(abs(int(p.b[0]) - int(p.a[0])) > 3 or p.b[0] < p.a[0] for p in same_document)
        assert all(a != b and b <= 2 for a, b in tens[2]) and all(b in (3, 4) for _, b in tens[3])
        assert list(shares) == [SAME_DOCUMENT, SAME_FILE, OTHER_FILE, ANY_RANDOM]
        for place, pairs in zip(shares, judged[1:], strict=False):
            accepted, random = ([int(p.b[0]) % 2 == 0 for p in group] for group in (true, pairs))
            assert shares[place].true_next.value == np.mean(accepted)
            assert shares[place].random_next.value == pytest.approx(1 - np.mean(random))
            assert shares[place].right.value == pytest.approx((np.mean(accepted) + 1 - np.mean(random)) / 2)
        assert shares[ANY_RANDOM].true_next.count == 18
        assert shares[ANY_RANDOM].right.value == pytest.approx(
            np.mean([shares[place].right.value for place in list(shares)[:3]])
        )

    def test_sentences_without_connection_and_a_model_without_the_head_have_no_figure(
        self, tiny: Checkpoint, tmp_path: Path, documents: list[Document]
    ) -> None:
        loose = [replace(document, is_connected=False) for document in documents]
        assert next_sentences(tiny, loose, [*loose, *documents], 24, windows=50) == {}
        checkpoint = load_checkpoint(tiny_checkpoint(tmp_path, output_heads=("mlm",)))
        assert next_sentences(checkpoint, documents, documents, 24, windows=50) == {}


class TestEstimates:
    def test_it_covers_what_drawing_documents_anew_gives(self) -> None:
        """Words of a document are alike: the naive error would be three times too small."""
        rng = np.random.default_rng(0)
        means, errors = [], []
        for _ in range(300):
            level = rng.normal(size=40)
            values = (level[:, None] + rng.normal(size=(40, 25)) * 0.5).reshape(-1)
            estimate = mean_by_document(values, np.repeat(np.arange(40), 25))
            means.append(estimate.value)
            errors.append(estimate.standard_error)
        assert np.mean(errors) == pytest.approx(np.std(means), rel=0.1)

    def test_standard_errors_of_shares_of_single_values_and_what_cannot_be_known(self) -> None:
        values = np.array([1.0, 4.0, 2.0, 7.0, 5.5])
        estimate = mean_by_document(values, np.array([9, 2, 5, 3, 1]))
        assert estimate.standard_error == pytest.approx(values.std(ddof=1) / math.sqrt(5))
        assert share(np.array([True, True, True, False])).standard_error == pytest.approx(math.sqrt(0.75 * 0.25 / 4))
        assert math.isnan(share(np.zeros(0)).value)
        assert math.isnan(mean_by_document(np.array([1.0, 2.0]), np.array([3, 3])).standard_error)

    def test_calibration_error_by_hand(self) -> None:
        """In bins of a fifth: (0.2, 0.4] has 0.3 and 0.4, one of two right; (0.8, 1] has 0.9, 1.0 and 1.0, all right;
        0.2 is in the first one, wrong."""
        confidences = np.array([0.3, 0.4, 0.9, 1.0, 1.0, 0.2])
        right = np.array([True, False, True, True, True, False])
        gaps = 2 * abs(1 / 2 - 0.35), 3 * abs(1 - 2.9 / 3), 1 * 0.2
        assert expected_calibration_error(confidences, right, bins=5) == pytest.approx(sum(gaps) / 6)
        assert math.isnan(expected_calibration_error(np.zeros(0), np.zeros(0, bool)))
        # who is as sure as right has none
        rng = np.random.default_rng(0)
        confidences = rng.random(100_000)
        right = rng.random(100_000) < confidences
        assert expected_calibration_error(confidences, right) < 0.01
        assert expected_calibration_error(confidences**0.5, right) == pytest.approx(1 / 6, abs=0.01)
