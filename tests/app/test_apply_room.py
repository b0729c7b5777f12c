"""The room Apply: for each kind of task it shows what the engine itself says of the same text, and of a baseline."""

import json

import numpy as np
import pytest
import torch
from PySide6.QtTest import QTest

from app.figures.files import svg
from app.look import numbers, theme
from app.rooms.apply.tags_view import looks_of, pieces_of, types_of
from app.rooms.apply.texts_view import find_in_order
from app.rooms.apply.view import ApplyView, MarkedEditor
from app.state.baseline import OtherModel, OtherText
from app.state.what_if import EditedRow, WhatIf
from app.widgets.figure_button import figure_buttons
from bertcore.analysis import interventions
from bertcore.analysis.effects import leave_one_out
from bertcore.analysis.passes import as_text
from bertcore.analysis.targets import Target
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.config import BertConfig
from bertcore.model.bert import Bert
from bertcore.tasks.predict import as_example, predict
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.app.conftest import WORDS, placed, press, read_changed, read_text, settle, wait_until

A, B, OTHER_A = "The cat sat on the mat.", "It was very comfortable.", "The dog sat on the mat."
PASSAGE = "A dog ran home. \U0001f600 The happy bird sat on the sofa. It was very comfortable."
ENDINGS = "sat on the rug.\nran home.\nwas very happy."
TEXTS = {"span": PASSAGE, "choice": ENDINGS, "summarise": PASSAGE}  # of the views' editors
TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
KINDS = {
    "classify": (("classify",), {"labels": ("bad", "so so", "good"), "problem_type": "single_label_classification"}),
    "multilabel": (("classify",), {"labels": ("food", "school"), "problem_type": "multi_label_classification"}),
    "regress": (("classify",), {"labels": ("score",), "problem_type": "regression"}),
    "tag": (("tag", "crf"), {"labels": TAGS}),
    "span": (("span",), {"no_answer": True}),
    "choice": (("choice",), {}),
    "summarise": (("summarise",), {}),
}


def make_model(folder, kind, seed=1):
    heads, changes = KINDS[kind]
    tokenizer = Tokenizer.train([WORDS] * 20, 200)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    config = BertConfig(vocab_size=tokenizer.vocab_size, max_position_embeddings=64, **sizes, **changes)
    model = Bert(config, heads, generator=torch.Generator().manual_seed(seed))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(8)  # far from undecided
    save_checkpoint(model, tokenizer, folder, name=kind)
    return folder


def oracle_of(folder, kind, a, b=None, text=None, **options):
    """What the engine says."""
    text = TEXTS.get(kind, "") if text is None else text
    first, second = (text, None) if kind == "summarise" else (a, text or b)
    return predict(load_checkpoint(folder), [as_example(kind, first, second)], **options)[0]


@pytest.fixture
def apply_to(open_window, tmp_path):
    """Opens a random model of a kind, types A, B and the editor's text, and gives its view and the oracle's answer."""

    def make(kind, a=A, b=None, text=None, seed=1):
        folder = make_model(tmp_path / kind, kind, seed)
        window = open_window(folder, a, b or "")
        view = window.open_room("apply").view
        view.set_text(TEXTS.get(kind, "") if text is None else text)
        settle(window)
        return window, view, oracle_of(folder, kind, a, b, text)

    return make


@pytest.mark.parametrize("kind", KINDS)
def test_each_view(kind, apply_to, tmp_path):
    """It saves its answer; what is changed inside acts, which it did not once; and its example has an answer."""
    b = B if kind in ("classify", "multilabel", "regress") else None
    window, view, oracle = apply_to(kind, A, b)
    (button,) = figure_buttons(view.card)
    figure = button.figure()
    (name, saved), shares = next(iter(figure.numbers.items())), getattr(oracle, "probabilities", ())
    of_kind = {"regress": lambda: [oracle.number], "span": lambda: [oracle.score, oracle.no_answer_score]}
    wanted = of_kind.get(kind, lambda: list(shares.values() if isinstance(shares, dict) else shares))()
    assert saved.values.tolist() == pytest.approx(wanted, rel=1e-4)
    made = {}
    exec(figure.script, made)
    assert made["numbers"].tolist() == pytest.approx(wanted, rel=1e-4)
    assert name == {"regress": "number", "span": "score", "summarise": "score"}.get(kind, "probability")
    assert b"<text" in svg(figure) and kind in figure.caption  # the model's name is that of its task here
    assert view.changed.text() == ""
    read_changed(window, WhatIf(heads_off=frozenset({(0, 1)}), layers_off=frozenset({1})))
    changed = oracle_of(tmp_path / kind, kind, A, b, changes=interventions.ablate({(0, 1)}, {1}))
    assert view.applied.prediction == changed != oracle == view.applied.unchanged
    assert view.changed.text().startswith("Before your changes: ") and "head 1·2 off" in button.figure().caption
    read_changed(window, WhatIf())
    assert view.applied.prediction == oracle and view.changed.text() == ""
    window.open_room("apply").show_example()
    settle(window)
    assert view.problem.text() == "" and view.applied.prediction != oracle


@pytest.mark.parametrize(("kind", "b"), [("classify", None), ("classify", B), ("multilabel", None)])
def test_classes_are_the_engines(kind, b, apply_to, tmp_path):
    """Below them is what each word adds; no green and no tick beside what the model chose: it need not be right."""
    window, view, oracle = apply_to(kind, A, b)
    bars = {bar.label: bar for bar in view.bars.bars}
    probabilities = oracle.probabilities
    written = {name: numbers.probability(share) for name, share in probabilities.items()}
    assert {name: bar.number for name, bar in bars.items()} == written
    assert [bars[name].fraction for name in probabilities] == pytest.approx([*probabilities.values()])
    given = {oracle.label} if kind == "classify" else set(oracle.labels)
    assert {name for name, bar in bars.items() if bar.is_strong} == given
    assert view.answer.text() == (", ".join(name for name in bars if name in given) or "None of the labels")
    assert not any("\u2713" in bar.mark or bar.color == "good" for bar in view.bars.bars)
    wait_until(lambda: view.asked["words"].answer is not None)
    best = max(probabilities, key=probabilities.get)
    model = load_checkpoint(tmp_path / kind)
    text = as_text(model.model, window.state.encoding.ids, window.state.encoding.segments)
    target = Target("classify", list(probabilities).index(best))
    wanted = leave_one_out(model.model, text, target, model.tokenizer.mask_id)
    assert view.words.scores == pytest.approx(wanted.scores.tolist(), abs=1e-4)
    assert f"“{best}”" in view.words.intro
    assert [token.token for token in view.words.tokens.tokens] == window.state.encoding.labels
    if b is not None:
        read_text(window, A, "")
        assert [bar.fraction for bar in view.bars.bars] != pytest.approx([bar.fraction for bar in bars.values()])
    window.state.set_text("")
    wait_until(lambda: view.words.isHidden() and view.problem.text() == "Type a text in A.")


@pytest.mark.parametrize("kind", ["classify", "tag"])
def test_edited_rows_and_moved_tokens_act_as_in_the_reading(kind, apply_to):
    window, view, oracle = apply_to(kind)
    what_if = WhatIf(rows=edited(window), segments=((2, 1), (3, 1)), positions=((1, 4), (4, 1)))
    read_changed(window, what_if)
    logits = window.state.reading.task_logits[kind]
    if kind == "classify":
        shares = np.exp(logits - logits.max())
        expected = (shares / shares.sum()).tolist()
        assert list(view.applied.prediction.probabilities.values()) == pytest.approx(expected, abs=1e-5)
    assert view.applied.changed == what_if and view.applied.prediction != oracle


def test_edited_rows_do_not_act_on_another_text(apply_to):
    window, view, oracle = apply_to("span")
    read_changed(window, WhatIf(rows=edited(window)))
    assert view.applied.prediction == oracle and "have no effect here" in view.changed.text()


def edited(window):
    return (EditedRow(0, 2, 0, (0.0, 1.0, *[0.0] * (len(window.state.encoding.ids) - 2))),)


@pytest.mark.parametrize("limits", [None, (0.25, 0.975)])
def test_a_number_is_the_engines(limits, apply_to, monkeypatch):
    """Its scale is that which it was trained on, where that is known."""
    heads, changes = KINDS["regress"]
    monkeypatch.setitem(KINDS, "regress", (heads, {**changes, "number_range": limits}))
    _, view, oracle = apply_to("regress", A, B)
    assert view.answer.text() == numbers.decimal(oracle.number)
    assert view.scale.isHidden() == (limits is None)
    if limits is not None:
        assert view.scale.value == oracle.number and "on a scale from 0.25 to 0.975" in view.scale.accessibleName()
        is_outside = not 0.25 <= oracle.number <= 0.975
        note = "Outside 0.25 to 0.975" if is_outside else "It was trained on numbers from 0.25 to 0.975."
        assert view.note.text().startswith(note)


@pytest.mark.parametrize("seed", [3, 6])
def test_tags_are_marked_with_their_types(seed, apply_to):
    _, view, oracle = apply_to("tag", "The happy bird ran home and sat on the sofa.", seed=seed)
    assert {"O", "B-PER"} < set(oracle.tags)
    shown = []
    for piece in view.sentence.pieces:  # written as BIO again, by hand
        _, *rest = piece.text.split(" ")
        shown += [f"B-{piece.type}" if piece.type else "O", *(f"I-{piece.type}" for _ in rest)]
    assert tuple(shown) == oracle.tags
    assert " ".join(piece.text for piece in view.sentence.pieces) == "The happy bird ran home and sat on the sofa ."
    assert "PER" in view.sentence.accessibleDescription()


def test_entities_and_plain_tags_become_pieces_and_types_differ_in_more_than_colour():
    types = types_of(["O", *(f"{letter}-T{number}" for number in range(35) for letter in "BI")])
    looks = looks_of(types)
    assert len({looks[name] for name in types}) == len(types) == 35 and looks["T0"][1] != looks["T1"][1]
    words, shares = ("Anna", "Reed", "saw", "Rome"), (0.9, 0.7, 1.0, 0.8)
    found = pieces_of(words, ("B-PER", "I-PER", "O", "B-LOC"), shares, TAGS)
    pieces = [("Anna Reed", "PER", 0.7), ("saw", "", 0.0), ("Rome", "LOC", 0.8)]
    assert [(piece.text, piece.type, piece.share) for piece in found] == pieces
    plain = pieces_of(words, ("NNP", "NNP", "VBD", "NNP"), shares, ["NNP", "VBD"])
    assert [(piece.text, piece.type) for piece in plain][:2] == [("Anna", "NNP"), ("Reed", "NNP")]


def marked(editor):
    return [selection.cursor.selectedText() for selection in editor.extraSelections()]


@pytest.mark.parametrize("seed", range(1, 6))
def test_an_answer_is_marked_where_the_engine_finds_it(seed, apply_to, tmp_path):
    """And is no longer than asked. Characters of two units before it move no mark."""
    window, view, oracle = apply_to("span", "Who sat on the sofa?", seed=seed)
    assert view.answer.text() == (oracle.text or "No answer")
    assert marked(view.editor) == ([oracle.text] if oracle.text else [])
    assert numbers.decimal(oracle.score) in view.scores.text()
    assert numbers.decimal(oracle.no_answer_score) in view.scores.text()
    assert view.scale.value == pytest.approx(oracle.score - oracle.no_answer_score, abs=1e-4)
    view.longest.setValue(1)
    settle(window)
    tokens = load_checkpoint(tmp_path / "span").tokenizer.encode(view.answer.text()).tokens  # with [CLS] and [SEP]
    assert len(tokens) == 3 or view.answer.text() == "No answer"


def test_what_the_engine_refuses_is_said_in_place_of_the_answer(open_window, tmp_path, monkeypatch):
    monkeypatch.setitem(KINDS["regress"][1], "labels", ("score", "another"))
    window = open_window(make_model(tmp_path / "two", "regress"), A)
    view = window.open_room("apply").view
    settle(window)
    assert "only one is shown here" in view.problem.text() and view.problem.isVisible()
    assert view.applied is None and not view.answer.isVisible()


def test_marks_stand_right_behind_a_character_of_two_units(qtbot):
    editor = placed(MarkedEditor("The passage", ""), qtbot, 300, 100)
    editor.setPlainText(PASSAGE)
    start = PASSAGE.index("happy bird")
    editor.set_marks([(start, start + len("happy bird"))])
    assert marked(editor) == ["happy bird"] and editor.accessibleDescription() == "marked: happy bird"


def no_green(ranked):
    """No tick and no green beside what the model chose: it need not be right."""
    picture, good = ranked.grab().toImage(), theme.color("good")
    pixels = {picture.pixelColor(x, y).rgb() for x in range(24, picture.width(), 3) for y in range(picture.height())}
    is_green = good.rgb() in pixels or any("\u2713" in row.mark for row in ranked.rows)
    return not is_green and theme.color("bar_strong").rgb() in pixels


def test_endings_are_ranked(apply_to):
    """What is missing is said in their place; M in the editor is a letter, and Tab leaves it."""
    window, view, oracle = apply_to("choice", "The cat")
    rows = view.ranked.rows
    shares = {row.text: row.share for row in rows}
    assert [shares[ending] for ending in ENDINGS.splitlines()] == pytest.approx(list(oracle.probabilities))
    assert [row.share for row in rows] == sorted(oracle.probabilities, reverse=True)
    assert [row.text for row in rows if row.is_chosen] == [ENDINGS.splitlines()[oracle.choice]]
    assert no_green(view.ranked)
    view.editor.setPlainText("only one")
    assert "two or more endings" in view.problem.text() and not view.ranked.isVisible()
    view.editor.setPlainText(ENDINGS)
    settle(window)
    assert view.problem.text() == "" and view.ranked.isVisible() and len(view.ranked.rows) == 3
    assert window.frame.banner.isHidden()
    window.activateWindow()
    view.editor.setFocus()
    press(view.editor, "M")
    assert view.text.count("m") == ENDINGS.count("m") + 1 and not window.state.masked
    press(view.editor, "Tab")
    assert "\t" not in view.text
    window.appearance.set_look(projector=True)
    wait_until(lambda: window.open_room("apply").is_drawn)
    again = window.open_room("apply").view
    assert again is not view and again.text == view.text


def test_picked_sentences_are_marked(apply_to):
    """As many as asked: no more than three share no three words with another. Typing asks anew, and old marks go."""
    text = "A dog ran home. The bird sat on the sofa. It was happy. The cat sleeps a lot. My birds sang."
    window, view, oracle = apply_to("summarise", text=text)
    assert marked(view.editor) == list(oracle.sentences) and 0 < len(oracle.sentences) < 5
    assert [row.share for row in view.ranked.rows] == pytest.approx(list(oracle.probabilities))
    assert [row.text for row in view.ranked.rows if row.is_chosen] == list(oracle.sentences)
    assert no_green(view.ranked)
    for number, unit, picked in ((2, False, 2), (100, True, 5), (1, False, 1)):
        view.unit.setCurrentIndex(view.unit.findData(unit))
        view.length.setValue(number)
        settle(window)
        view.unit.activated.emit(view.unit.currentIndex())
        settle(window)
        assert sum(row.is_chosen for row in view.ranked.rows) == picked
    view.editor.moveCursor(view.editor.textCursor().MoveOperation.End)
    QTest.keyClicks(view.editor, " It was happy.")
    assert not marked(view.editor)
    settle(window)
    assert len(view.ranked.rows) == 6 and marked(view.editor)


def test_sentences_that_come_twice_are_found_in_order():
    assert find_in_order("No. Yes. No.", ["No.", "Yes.", "No."]) == [(0, 3), (4, 8), (9, 12)]
    assert find_in_order("No. Yes.", ["No.", "Perhaps.", "Yes."]) == [(0, 3), None, (4, 8)]


def about(room):
    return " ".join(line.text() for line in room.about)


def test_run_folder_says_what_was_taught(open_window, tmp_path):
    run = tmp_path / "run"
    folder = make_model(run / "snapshots" / "step-00000010", "regress")
    (run / "config.json").write_text(json.dumps({"kind": "finetune", "data": {"task": "stsb"}}))
    (run / "evaluation.json").write_text(json.dumps({"metrics": {"mse": 2.0, "spearmanr": 0.5}}))
    window = open_window(folder, A)
    view = window.open_room("apply").view
    for b, problem in (("", "It was fine-tuned on pairs of texts: type the second one in B."), (B, "")):
        read_text(window, A, b)
        assert view.problem.text() == problem
    assert view.scale.isVisible() and "How similar" in about(window.open_room("apply"))
    assert "Spearman 0.500" in about(window.open_room("apply")) and "reads A and B." in about(window.open_room("apply"))


def test_model_without_a_task_leads_to_train(window):
    view = window.open_room("apply").view
    view.train.click()
    train = window.frame.room
    assert train is window.frame.rooms["train"]
    assert train.form.run_kind.key == "classify"
    assert train.form.model.reference == str(window.state.model.folder)


def test_models_that_ship_are_offered_and_open_with_something_to_try(monkeypatch, tmp_path, open_window, model_folder):
    monkeypatch.setattr("bertcore.locations.assets", lambda: tmp_path)
    for name, kind, task in (("bertscope-sentiment", "classify", "sst2"), ("bertscope-answers", "span", "squad")):
        folder = make_model(tmp_path / "checkpoints" / name, kind)
        shipped = {"name": name, "data": {"task": task}, "metrics": {"accuracy": 0.8}}
        (folder / "bertscope.json").write_text(json.dumps(shipped))
    window = open_window(model_folder, "My own words.")
    room = window.open_room("apply")
    assert list(room.view.buttons) == ["bertscope-sentiment", "bertscope-answers"]
    room.view.buttons["bertscope-answers"].click()
    wait_until(lambda: window.state.text_a == "Who built the mill?")
    settle(window)
    assert room.view.problem.text() == "" and room.view.applied is not None and "old mill" in room.view.text
    shown = {name: button.isEnabled() for name, button in room.model_buttons.items()}
    assert shown == {"bertscope-sentiment": True, "bertscope-answers": False}
    room.model_buttons["bertscope-sentiment"].click()
    wait_until(lambda: isinstance(room.view, ApplyView) and room.view.task.kind == "classify")
    settle(window)
    assert "accuracy 80.0%" in about(room) and "ignores B" in about(room)  # of the task, though there is no run
    window.open_model(model_folder)
    wait_until(lambda: room.views.key == "offers")
    assert window.services.settings.recent_models == [str(model_folder)]


def compare(window, baseline):
    window.state.set_baseline(baseline)
    settle(window)
    wait_until(lambda: not window.open_room("apply").view.is_running)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "summarise"])
def test_the_answer_of_another_model(kind, apply_to, tmp_path):
    """Typing on asks it too."""
    window, view, oracle = apply_to(kind)
    other = make_model(tmp_path / "other", kind, seed=5)
    compare(window, OtherModel(str(other)))
    theirs = oracle_of(other, kind, A)
    assert view.baseline.prediction == theirs and view.applied.prediction == oracle != theirs
    assert view.changed.text().startswith(f"Baseline ({kind}): ")
    if kind == "regress":
        assert view.changed.text() == f"Baseline (regress): {numbers.decimal(theirs.number)}"
    if kind == "classify":
        marks = {bar.label: (bar.mark, bar.before) for bar in view.bars.bars}
        each = theirs.probabilities.items()
        assert marks == {name: (f"vs {numbers.probability(share)}", share) for name, share in each}
        assert view.card.hint == "the line across a bar: classify"
    read_text(window, OTHER_A, "")
    assert view.baseline.prediction == oracle_of(other, kind, OTHER_A)
    compare(window, None)
    assert view.changed.text() == "" and view.baseline is None
    if kind == "classify":
        assert view.card.hint == "" and all(bar.before is None and not bar.mark for bar in view.bars.bars)


def test_the_answer_to_another_text_and_a_model_of_another_task_has_none(apply_to, tmp_path):
    window, view, oracle = apply_to("regress")
    compare(window, OtherText(OTHER_A, ""))
    theirs, shown = oracle_of(tmp_path / "regress", "regress", OTHER_A), view.changed.text()
    assert view.baseline.prediction == theirs != oracle
    assert shown.startswith("Baseline (“") and shown.endswith(numbers.decimal(theirs.number))
    compare(window, OtherModel(str(make_model(tmp_path / "other", "tag"))))
    assert view.changed.text() == "tag was not fine-tuned for this task, so it has no answer to compare."
    assert view.baseline is None and view.applied.prediction == oracle


def test_a_summary_reads_neither_a_nor_b(apply_to):
    """Its document is the editor's, so with another text there is nothing to compare."""
    window, view, _ = apply_to("summarise")
    compare(window, OtherText(OTHER_A, ""))
    assert view.changed.text() == "" and view.baseline is None
