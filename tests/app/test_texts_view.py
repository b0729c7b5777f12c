"""The view "Many texts": a row for each, as the engine scores it; sorted, opened, saved."""

import json
import math

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QFileDialog, QStyleOptionViewItem
from typer.testing import CliRunner

from app.compute.text_scores import ScoredPairs, ScoredTexts, are_minimal_pairs, readable_pairs
from app.figures.files import table as csv_table
from app.look import numbers, theme
from app.rooms.predict.predict_sentences import template_means
from app.rooms.predict.texts_view import EXAMPLES, TEMPLATE
from app.state.baseline import OtherText
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.cli.main import app as cli
from bertcore.evaluation.score_texts import ListedText, TextScore, listed_texts, mean_by_choice, score_texts
from tests.app.conftest import press, settle, wait_until
from tests.app.predict_room import figure_of, page

LIST = "the cat sat on the mat\tthe dog ran\nthe cat\nthe [MASK] sat"


@pytest.fixture
def view(window):
    return page("texts", window, ())


def scored(view, text, word=""):
    view.box.setPlainText(text)
    view.word.setText(word)
    view.score.click()
    wait_until(lambda: not view.scores.is_running)


def test_each_row_is_what_the_engine_says(view, window):
    scored(view, LIST)
    checkpoint = load_checkpoint(window.state.reading.request.model.folder)
    wanted = score_texts(checkpoint, [text for line in LIST.split("\n") for text in listed_texts(line)])
    shown = view.table.shown
    assert [(one.a, one.b, one.word) for one in shown] == [(one.a, one.b, one.word) for one in wanted]
    assert [one.surprise_bits for one in shown] == pytest.approx([one.surprise_bits for one in wanted], abs=1e-4)
    assert shown[0].next_sentence == pytest.approx(wanted[0].next_sentence, abs=1e-5)
    fields = [column.field for column in view.table.things.columns]
    assert fields == ["a", "b", "surprise_bits", "log_likelihood", "word", "word_probability", "next_sentence"]


def test_the_text_of_a_sorted_row_is_opened(view, window):
    assert not view.use.isVisible()
    scored(view, LIST)
    assert view.use.isVisible() and not view.use.isEnabled()
    column = [one.field for one in view.table.things.columns].index("log_likelihood")
    for order, is_falling in ((Qt.SortOrder.DescendingOrder, True), (Qt.SortOrder.AscendingOrder, False)):
        view.table.sortByColumn(column, order)
        values = [one.log_likelihood for one in view.table.shown]
        assert values == sorted(values, key=lambda value: value or 0, reverse=is_falling)
    row = [one.b for one in view.table.shown].index("the dog ran")
    view.table.selectRow(row)
    for opens in (lambda: press(view.table, "Return"), view.use.click):
        window.state.set_text("the cat", "")
        opens()
        settle(window)
        assert (window.state.text_a, window.state.text_b) == ("the cat sat on the mat", "the dog ran")
    assert len(view.table.shown) == 3, "the list stays"
    view.table.activated.emit(view.table.model().index(1 - min(row, 1), 0))
    assert window.state.text_b == ""
    scored(view, "the cat sat > the sat cat")
    assert view.use.text() == "Compare this pair" and not view.use.isEnabled()
    view.table.selectRow(0)
    view.use.click()
    settle(window)
    assert window.state.text_a == "the cat sat" and window.state.baseline == OtherText("the sat cat", "")


def test_two_of_them_are_seen_as_a_batch(view, window):
    scored(view, "the cat sat on the mat\nthe dog ran")
    assert view.pad.isVisible()
    view.table.selectRow(1)
    view.pad.click()
    settle(window)
    padding = window.frame.room.view
    assert (window.state.text_a, window.state.text_b) == ("the dog ran", "the cat sat on the mat")
    assert [text.encoding.padding for text in padding.texts] == [3, 0]
    scored(view, "the cat sat > the sat cat")
    assert not view.pad.isVisible()


def test_a_template_has_means_and_a_grid(view):
    scored(view, TEMPLATE)
    first, second = mean_by_choice(view.table.shown)
    assert not view.grid.isHidden()
    assert view.grid.values.mean(axis=1) == pytest.approx(list(first.values()))
    assert view.grid.values.mean(axis=0) == pytest.approx(list(second.values()))
    more, less = sorted(zip(("he", "she"), view.grid.values[0], strict=True), key=lambda one: -one[1])
    factor = numbers.number(math.exp(more[1] - less[1]), 2)
    said = f"With “doctor”: “{more[0]}” makes the text {factor} times as likely as “{less[0]}” does."
    same = "With “doctor”: " in view.means.text() and "equally likely" in view.means.text()
    assert said in view.means.text() or same
    scored(view, "The [cat|dog] sat.")
    assert view.grid.isHidden() and "cat" in view.means.text() and "Mean ln p" in view.means.text()
    scored(view, LIST)
    assert view.grid.isHidden() and view.means.isHidden()
    scored(view, "the [cat|dog] sat on the [MASK].", "mat")
    assert [one.word for one in view.table.shown] == ["mat"] * 2 and "probability" in view.means.text()


@pytest.mark.parametrize(
    ("text", "word", "sentence"),
    [
        (" \n", "", "Write a few texts first"),
        ("a\tb\tc", "", "line 1: expected a text"),
        ("the cat\nthe cat", "cat", "line 1: there is no [MASK]"),
        ("[a|b]" * 14, "", "more than 10,000 texts"),
    ],
)
def test_what_does_not_fit_is_said(view, text, word, sentence):
    scored(view, text, word)
    assert sentence in view.line.text and view.scores.answer is None


def test_a_file_is_opened(view, tmp_path, monkeypatch):
    file = tmp_path / "texts.tsv"
    file.write_text("the cat\tthe dog\n\nthe mat\n")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    view.open_file.click()
    wait_until(lambda: len(view.table.shown) == 2)
    view.load(tmp_path / "absent.txt")
    assert "There is no file" in view.line.text
    file.write_text("the cat\n" * 10_001)
    view.load(file)
    assert "more text than fits" in view.line.text


def test_it_offers_lists_and_saves_one_line_for_each_text(view):
    assert figure_of(view) is None
    view.try_texts("\n".join(EXAMPLES))
    wait_until(lambda: view.scores.answer is not None)
    lines = csv_table(figure_of(view)).splitlines()
    assert "surprise_bits" in lines[4]
    assert [line.split(",")[0].startswith("The ") for line in lines[5:]] == [True] * len(EXAMPLES)


BLIMP = [
    {"sentence_good": "the cat sat.", "sentence_bad": "the cat the.", "field": "syntax", "UID": "word_order"},
    {"sentence_good": "the dog ran.", "sentence_bad": "ran dog the.", "field": "syntax", "UID": "word_order"},
    {"sentence_good": "the dogs ran", "sentence_bad": "the dogs mat", "field": "syntax", "UID": "verbs"},
]


@pytest.fixture
def file(tmp_path):
    made = tmp_path / "blimp.jsonl"
    made.write_text("".join(json.dumps(pair) + "\n" for pair in BLIMP))
    return made


def test_a_file_of_minimal_pairs_has_the_figures_of_evaluate(view, window, file, tmp_path):
    view.load(file)
    wait_until(lambda: not view.scores.is_running)
    found, out = view.scores.answer, tmp_path / "out.json"
    folder = window.state.reading.request.model.folder
    assert CliRunner().invoke(cli, ["evaluate", str(folder), "--pairs", str(file), "--out", str(out)]).exit_code == 0
    wanted = json.loads(out.read_text())["minimal_pairs"]
    assert (found.right.value, found.right.standard_error) == (wanted["right"], wanted["standard_error"])
    rights = {name: right.value for name, right in found.phenomena.items()}
    assert rights == {name: phenomenon["right"] for name, phenomenon in wanted["phenomena"].items()}
    p = found.right.value
    assert found.right.standard_error == pytest.approx((p * (1 - p) / 3) ** 0.5)
    shown = [bar.label.replace(" ", "_") for bar in view.phenomena.bars]
    assert shown == sorted(rights, key=rights.get) and not view.phenomena.isHidden()
    score = score_texts(load_checkpoint(folder), [ListedText("the cat sat."), ListedText("the cat the.")])
    bits = [-(one.log_likelihood or 0) / math.log(2) for one in score]
    assert found.scores[0].margin_bits == pytest.approx(bits[1] - bits[0], abs=1e-3)
    assert found.scores[0].is_right == (bits[0] < bits[1])
    assert "phenomena" in figure_of(view).numbers


def test_pairs_are_shown_as_a_person_would_type_them(view, file):
    assert "For each text" in view.empty.text()
    view.load(file)
    assert view.box.toPlainText().splitlines()[:2] == ["# word_order", "the cat sat. > the cat the."]
    assert "Press Score" in view.empty.text()
    wait_until(lambda: not view.scores.is_running)
    written, fields = view.scores.answer, ["a", "b", "margin_bits", "phenomenon"]
    pairs = [(pair["sentence_good"], pair["sentence_bad"], pair["UID"]) for pair in BLIMP]
    assert [(one.a, one.b, one.phenomenon) for one in written.scores] == pairs
    assert [column.field for column in view.table.things.columns] == fields
    scored(view, "the cat sat. > the cat the.")
    assert isinstance(view.scores.answer, ScoredPairs) and view._phenomena_area.isHidden()
    assert [column.field for column in view.table.things.columns] == fields[:3]
    scored(view, "the cat sat. > the cat sat.")
    assert "line 1: expected a right sentence" in view.line.text


def test_columns_fit_and_the_word_that_differs_is_in_sight(view):
    """After minimal pairs, texts and numbers were cut beside an empty half of the card."""
    scored(view, "the cat the dog sat on the mat. > the cat the dog ran on the mat.")
    delegate, option = view.table.itemDelegate(), QStyleOptionViewItem()

    def shown(column, words):
        """In a column with room for these words."""
        option.rect = QRect(0, 0, option.fontMetrics.horizontalAdvance(words) + theme.px(20), 20)
        delegate.initStyleOption(option, view.table.model().index(0, column))
        return option.text

    assert [shown(column, "the cat the dog") for column in (0, 1)] == ["…dog sat on the mat.", "…dog ran on the mat."]
    assert shown(0, "the cat the dog sat on") == "the cat the dog sat on the mat."
    scored(view, "\n".join(map(json.dumps, BLIMP)))
    scored(view, "the [cat|dog] sat on the [mat|rug].")
    table, header = view.table, view.table.horizontalHeader()
    for column in range(header.count()):
        needed = max(table.sizeHintForColumn(column), header.sectionSizeHint(column))
        wait_until(lambda column=column, needed=needed: header.sectionSize(column) >= needed)
    wait_until(lambda: header.length() <= table.viewport().width())


def test_what_is_no_list_of_pairs_stays_as_it_is():
    assert not are_minimal_pairs("the cat > the dog\nthe cat") and not are_minimal_pairs("# the cat")
    for line in ('{"good": "a", "bad": "b"}', '{"good": "a > b", "bad": "b", "phenomenon": "c"}', "the cat", "[1]"):
        assert readable_pairs([line]) is None


def scored_words(values, word=None):
    """he and she after each of the words a, b ..."""
    found = [
        TextScore("", None, ("ab"[row], column), 3, value, 1.0, word, value if word else None, *[None] * 4, 0)
        for row, one in enumerate(values)
        for column, value in zip(("he", "she"), one, strict=True)
    ]
    return ScoredTexts(found, mean_by_choice(found))


def test_a_template_is_put_in_words():
    """Of ln p the exponential of the difference, of a probability the ratio."""
    said = template_means(scored_words([[-11.34, -11.96], [-15.52, -12.72]]))
    assert "With “a”: “he” makes the text 1.9 times as likely as “she” does." in said
    assert "With “b”: “she” makes the text 16 times as likely as “he” does." in said
    assert said.endswith("Mean ln p (nearer to 0: more likely): a −11.65, b −14.12; he −13.43, she −12.34.")
    assert "“he” and “she” are equally likely" in template_means(scored_words([[-3.0, -3.01]]))
    assert "“mat” is 2 times as likely with “he” as with “she”" in template_means(scored_words([[0.4, 0.2]], "mat"))


def test_a_pair_opens_with_its_other_sentence_as_the_baseline(view, window):
    scored(view, "\n".join(map(json.dumps, BLIMP)))
    margins = [row.margin_bits for row in view.table.shown]
    assert margins == sorted(margins), "what it gets wrong comes first"
    row = [row.a for row in view.table.shown].index("the dog ran.")
    view.table.activated.emit(view.table.model().index(row, 0))
    settle(window)
    assert (window.state.text_a, window.state.baseline) == ("the dog ran.", OtherText("ran dog the.", ""))
    page("texts", window, ())
    scored(view, LIST)
    assert view._phenomena_area.isHidden()
    scored(view, '{"good": "the cat"}')
    assert "line 1" in view.line.text and "phenomenon" in view.line.text
