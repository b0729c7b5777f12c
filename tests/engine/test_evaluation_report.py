"""The whole report of a model: its parts agree, it goes to JSON, and the card says its numbers."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from model_report import report as report_module
from model_report.documents import Document, held_out_text
from model_report.head_census import Head, HeadCensus, head_census, sentence_pairs
from model_report.held_out import SAME_FILE, NextSentences, masked_words, rules_for, words_of_single_sentences
from model_report.markdown import cloze_table, figures
from model_report.report import Effort, ModelReport, measure_model, measure_model_on_files, measure_text

from bertcore.analysis.attention_heads import classify_heads
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint
from bertcore.data.cloze import read_cloze
from bertcore.data.pairs import PairRules
from bertcore.errors import BertcoreError
from bertcore.evaluation.sets import Cloze, Estimate, MinimalPairs, read_minimal_pairs
from tests.engine.corpora import STORIES
from tests.engine.models import tiny_checkpoint, word_tokenizer
from tests.text_file import text_file

LONGEST = 160  # tokens: this vocabulary spells most words out
EFFORT = Effort(length=24, single_sentences=50, pair_windows=20, full_sequences=10, head_texts=6)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return load_checkpoint(tiny_checkpoint(tmp_path_factory.mktemp("tiny"), max_position_embeddings=LONGEST))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two files of stories, long enough for full sequences, with sentences of some words."""
    folder = tmp_path_factory.mktemp("text")
    longer = STORIES.replace("A dog sang", "A dog sang on the mat").replace("was very", "was very very")
    stories = [f"{story} ".replace("\n", " ") * 8 for story in longer.split("\n\n")]
    for name, part in (("first.txt", stories[:40]), ("second.txt", stories[40:])):
        (folder / name).write_text("\n\n".join(part), encoding="utf-8")
    return [folder / "first.txt", folder / "second.txt"]


@pytest.fixture(scope="module")
def report(tiny: Checkpoint, files: list[Path]) -> ModelReport:
    return measure_model_on_files(tiny, files, effort=EFFORT)


def test_figures_of_all_are_those_of_the_files_weighed_by_their_words(report: ModelReport) -> None:
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


def test_a_file_is_measured_on_its_own_held_out_documents(
    tiny: Checkpoint, files: list[Path], report: ModelReport
) -> None:
    documents = held_out_text(files, tiny.tokenizer).rows["second.txt"]
    assert report.text.words["second.txt"] == masked_words(tiny, documents, 24).summary()
    single = report.text.single_sentences  # of all files they would weigh wrongly
    assert single["second.txt"] == words_of_single_sentences(tiny, documents, 24, 50).summary()
    assert list(single) == ["first.txt", "second.txt"]
    section = figures(report).split("## Single sentences")[1].split("##")[0]
    assert "| **all** |" not in section and "no row for all" in section


def test_files_of_one_name_are_told_apart(tiny: Checkpoint, tmp_path: Path, files: list[Path]) -> None:
    texts = []
    for folder, name, source in (("en", "wiki.txt", 0), ("de", "wiki.txt", 1), ("en", "all", 1)):
        (tmp_path / folder).mkdir(exist_ok=True)
        texts.append(tmp_path / folder / name)
        texts[-1].write_bytes(files[source].read_bytes())
    found = measure_model_on_files(tiny, texts[:2], effort=EFFORT)
    assert found.text is not None and list(found.text.words) == ["en/wiki.txt", "de/wiki.txt", "all"]
    assert set(held_out_text(texts[1:], tiny.tokenizer).rows) == {"wiki.txt", "2: all"}


def test_less_text_where_less_is_asked_for(tiny: Checkpoint, files: list[Path], report: ModelReport) -> None:
    text = held_out_text(files, tiny.tokenizer)
    found = measure_model_on_files(tiny, files, effort=replace(EFFORT, most_tokens=700, pair_windows=2)).text
    for name, documents in text.rows.items():
        fitting = found.words[name].documents
        assert 1 < fitting < len(documents) == report.text.words[name].documents
        assert found.next_sentence[name][SAME_FILE].true_next.count == 2
    assert found.documents < report.text.documents == len(text.documents) < found.documents_in_text


def test_whole_files_by_kind(tiny: Checkpoint, files: list[Path], tmp_path: Path) -> None:
    """Each kind has its row, of all its files; sentences without connection have no next one."""
    single = text_file(tmp_path / "single.txt", "\n\n".join(["the cat sat on the mat.\nit was a very dog."] * 5))
    found = measure_model(tiny, {"stories": files, "captions": [single]}, unconnected=[single], effort=EFFORT)
    assert found.text is not None and found.text.is_whole
    assert list(found.text.words) == ["stories", "captions", "all"]
    assert found.text.documents == found.text.documents_in_text == found.text.words["all"].documents
    assert list(found.text.single_sentences) == ["stories", "captions"]
    assert list(found.text.next_sentence) == ["stories"]
    assert f"({found.text.documents:,} of the {found.text.documents:,} documents)" in figures(found)
    by_file = measure_model_on_files(tiny, files, whole=True, effort=EFFORT).text
    assert by_file is not None and list(by_file.words) == ["first.txt", "second.txt", "all"]
    assert by_file.words["all"].loss.count == found.text.words["stories"].loss.count


def test_the_same_report_each_time_as_json(tiny: Checkpoint, files: list[Path], report: ModelReport) -> None:
    again = measure_model_on_files(tiny, files, effort=EFFORT)
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


def test_without_text_the_sets_alone_are_measured(
    tiny: Checkpoint, report: ModelReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_module, "read_cloze", lambda file: read_cloze(file)[:9])
    monkeypatch.setattr(report_module, "read_minimal_pairs", lambda file: read_minimal_pairs(file)[:9])
    short = measure_model(tiny)
    assert short.text is None and short.heads is None
    assert [answer.rank for answer in short.cloze.answers] == [answer.rank for answer in report.cloze.answers[:9]]
    assert short.minimal_pairs.right.count == 9
    assert "Held-out" not in figures(short) and "Cloze set" in figures(short)


def test_a_model_without_pairs_is_read_in_one_part_and_has_no_next_sentence(
    tmp_path: Path, files: list[Path], report: ModelReport
) -> None:
    checkpoint = load_checkpoint(tiny_checkpoint(tmp_path, output_heads=("mlm",), max_position_embeddings=LONGEST))
    assert rules_for(checkpoint) == PairRules.of(checkpoint.tokenizer, "none")
    text = measure_text(checkpoint, held_out_text(files, checkpoint.tokenizer), EFFORT)
    assert text.next_sentence == {}
    assert "## Next sentence" in figures(report)
    assert "ext sentence" not in figures(replace(report, text=text))
    with pytest.raises(BertcoreError, match="masked-word"):
        measure_model(load_checkpoint(tiny_checkpoint(tmp_path / "other", output_heads=("nsp",))))


class TestTheCard:
    def test_says_the_numbers(self, report: ModelReport) -> None:
        card = figures(report)
        words, ranges = report.text.words["all"], report.text.by_position
        assert f"{words.loss.value:.3f} ± {words.loss.standard_error:.3f} | {words.perplexity:.1f}" in card
        assert f"| 1 to 64 | {ranges[0].words.loss.count:,} |" in card
        assert f"{report.minimal_pairs.right.value:.1%}" in card and f"{report.cloze.score.top5.value:.1%}" in card
        assert "| first.txt |" in card and "| **all** |" in card
        single = report.text.single_sentences["second.txt"]
        row = card.split("## Single sentences")[1].split("| second.txt |")[1].splitlines()[0]
        assert f"{single.loss.value:.3f} ±" in row and f"{single.top5.value:.1%} ±" in row

    def test_tells_the_usual_share_right_from_that_of_words_that_cannot_be_seen_and_how_sure_it_is(
        self, report: ModelReport
    ) -> None:
        words = replace(
            report.text.words["all"],
            top1=Estimate(0.371, 0.003, 1000),
            top1_masked=Estimate(0.301, 0.004, 800),
            confidence=Estimate(0.46, 0.004, 800),
            calibration_error=0.0714,
        )
        text = replace(report.text, words={**report.text.words, "all": words})
        table = figures(replace(report, text=text)).split("## Held-out text")[1].split("##")[0]
        head, row = (next(line for line in table.splitlines() if name in line) for name in ("| text |", "| **all** |"))
        shown = dict(zip(head.split(" | "), row.split(" | "), strict=True))
        assert (shown["right"], shown["right at [MASK]"]) == ("37.1% ± 0.3", "30.1% ± 0.4")
        assert row.endswith("| 46.0% ± 0.4 | 0.071 |")
        assert "8 in 10 of these are replaced by [MASK]" in table and "as is usual" in table

    def test_tells_accepted_from_rejected_next_sentences(self, report: ModelReport) -> None:
        found = NextSentences(
            right=Estimate(0.668, 0.007, 3000),
            true_next=Estimate(0.9, 0.01, 1500),
            random_next=Estimate(0.436, 0.02, 1500),
        )
        text = replace(report.text, next_sentence={"news": {SAME_FILE: found}})
        section = figures(replace(report, text=text)).split("## Next sentence")[1].split("##")[0]
        assert "| true B accepted | random B rejected | balanced accuracy |" in section
        assert "| news | another document of the file | 1,500 | 90.0% ± 1.0 | 43.6% ± 2.0 | 66.8% ± 0.7 |" in section

    def test_says_how_much_of_the_cloze_set_is_possible(self, report: ModelReport) -> None:
        ranks = [1, 3, 9, None, None]
        answers = [replace(a, rank=rank) for a, rank in zip(report.cloze.answers, ranks, strict=False)]
        card = figures(replace(report, cloze=Cloze(tuple(answers))))
        assert "| **all** | 5 | 20.0% ± 17.9 | 40.0% ± 21.9 |" in card
        assert "2 of the 5 have no answer that is one token" in card
        assert "Of the 3 that can be: 33.3% ± 27.2 first, 66.7% ± 27.2 in the top five." in card
        every = figures(replace(report, cloze=Cloze(tuple(answers[:3]))))
        assert "| **all** | 3 |" in every and "are possible" not in every

    def test_says_in_how_many_minimal_pairs_more_tokens_are_added_up(self, report: ModelReport) -> None:
        pair = replace(report.minimal_pairs.preferences[0], good_tokens=7, bad_tokens=7)
        longer = replace(pair, bad_tokens=9)
        card = figures(replace(report, minimal_pairs=MinimalPairs((pair, longer, pair))))
        assert "In 1 of the 3 pairs one sentence has more tokens" in card
        alike = figures(replace(report, minimal_pairs=MinimalPairs((pair, pair))))
        assert "both sentences of every pair have the same number of tokens" in alike

    def test_the_cloze_table_has_every_sentence_with_its_word_and_its_guesses(self, report: ModelReport) -> None:
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

    def test_each_head_is_what_it_was_in_most_texts(self, tiny: Checkpoint) -> None:
        census = head_census(tiny, self.TEXTS)
        kinds = []
        for a, b in self.TEXTS:
            encoding = tiny.tokenizer.encode(a, b)
            attentions = trace(tiny.model, encoding.ids, encoding.segments).attentions
            kinds.append([[found.kind for found in classify_heads(layer, encoding)] for layer in attentions])
        assert census is not None and census.texts == 3 and len(census.heads) == 8
        for head in census.heads:
            of_head = [text[head.layer][head.number] for text in kinds]
            assert of_head.count(head.kind) == max(map(of_head.count, of_head))
            assert head.share == pytest.approx(of_head.count(head.kind) / 3)
        assert sum(census.counts().values()) == 8
        assert head_census(tiny, []) is None
        heads = [Head(0, i, kind, 1.0) for i, kind in enumerate(("mixed", "broad", "next token", "broad"))]
        assert list(HeadCensus(5, tuple(heads)).counts().items()) == [("next token", 1), ("broad", 2), ("mixed", 1)]

    def test_texts_are_neighbouring_sentences_in_turn_from_each_file(self) -> None:
        long, other, short = "the cat sat on the mat .", "it was a very comfortable dog .", "the cat ."

        def document(source: str, *sentences: str) -> Document:
            return Document.of(source, sentences, word_tokenizer())

        documents = [
            document("a", short, long, short, long, other),
            document("a", long, short),
            document("a", other, long),
            document("b", long, long),
        ]
        assert sentence_pairs(documents, 9) == [(long, other), (long, long), (other, long)]
        assert sentence_pairs(documents, 2) == [(long, other), (long, long)]
