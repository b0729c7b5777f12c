"""The room Apply: for each kind of task it shows what the engine itself says of the same text."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.figures.files import svg
from app.look import numbers, theme
from app.rooms.apply.room import ApplyRoom
from app.rooms.apply.tags_view import color_of, pieces_of, shape_of, types_of
from app.rooms.apply.texts_view import find_in_order
from app.rooms.apply.view import ApplyView, MarkedEditor
from app.shell.window import Window
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

TIMEOUT_MS = 120_000
A, B = "The cat sat on the mat.", "It was very comfortable."
PASSAGE = "A dog ran home. \U0001f600 The happy bird sat on the sofa. It was very comfortable."
ENDINGS = "sat on the rug.\nran home.\nwas very happy."
WORDS = f"{A} {B} a dog and bird ran home happy rug sofa"
TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
KINDS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "classify": (("classify",), {"labels": ("bad", "so so", "good"), "problem_type": "single_label_classification"}),
    "multilabel": (("classify",), {"labels": ("food", "school"), "problem_type": "multi_label_classification"}),
    "regress": (("classify",), {"labels": ("score",), "problem_type": "regression"}),
    "tag": (("tag", "crf"), {"labels": TAGS}),
    "span": (("span",), {"no_answer": True}),
    "choice": (("choice",), {}),
    "summarise": (("summarise",), {}),
}
Opener = Callable[[Path | str], Window]


def make_model(folder: Path, kind: str, seed: int = 1) -> Path:
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


@pytest.fixture
def apply_to(open_window: Opener, tmp_path: Path, qtbot: QtBot) -> Callable[..., tuple[Window, ApplyRoom, Any]]:
    """Opens a random model of a kind, types A, B and the editor's text, and gives the room and the oracle's answer."""

    def make(kind: str, a: str = A, b: str | None = None, text: str = "", seed: int = 1) -> tuple[Window, Any, Any]:
        folder = make_model(tmp_path / kind, kind, seed)
        window = open_window(folder)
        qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
        room = window.open_room("apply")
        assert isinstance(room, ApplyRoom)
        if text:
            room.view.editor.setPlainText(text)  # type: ignore[attr-defined]
        window.state.set_text(a, b or "")
        settle(window, qtbot)
        first, second = (text, None) if kind == "summarise" else (a, text or b)
        oracle = predict(load_checkpoint(folder), [as_example(kind, first, second)])[0]  # type: ignore[arg-type]
        return window, room, oracle

    return make


def marked(editor: MarkedEditor) -> list[str]:
    return [editor.toPlainText()[start:end] for start, end in editor.marks]


def about_text(room: ApplyRoom) -> str:
    return " ".join(line.text() for line in room.about)


def settle(window: Window, qtbot: QtBot) -> None:
    def is_settled() -> bool:
        state, reading = window.state, window.state.reading
        return reading is not None and reading.encoding is state.encoding and not window.services.inference.is_busy

    qtbot.waitUntil(is_settled, timeout=TIMEOUT_MS)


@pytest.mark.parametrize(("kind", "b"), [("classify", None), ("classify", B), ("multilabel", None)])
def test_classes_are_the_engines(kind: str, b: str | None, apply_to: Callable, qtbot: QtBot) -> None:
    _, room, oracle = apply_to(kind, A, b)
    bars = {bar.label: bar for bar in room.view.bars.bars}
    assert {name: bar.number for name, bar in bars.items()} == {
        name: numbers.probability(share) for name, share in oracle.probabilities.items()
    }
    assert [bars[name].fraction for name in oracle.probabilities] == pytest.approx([*oracle.probabilities.values()])
    given = {oracle.label} if kind == "classify" else set(oracle.labels)
    assert {name for name, bar in bars.items() if bar.is_strong} == given
    assert room.view.answer.text() == (", ".join(name for name in bars if name in given) or "None of the labels")


@pytest.mark.parametrize("kind", ["classify", "multilabel"])
def test_below_the_classes_is_what_each_word_adds(kind: str, apply_to: Callable, tmp_path: Path, qtbot: QtBot) -> None:
    window, room, oracle = apply_to(kind)
    view = room.view
    qtbot.waitUntil(lambda: view.asked["words"].answer is not None, timeout=TIMEOUT_MS)
    best = max(oracle.probabilities, key=oracle.probabilities.get)
    checkpoint, ids = load_checkpoint(tmp_path / kind), window.state.encoding.ids
    target = Target("classify", list(oracle.probabilities).index(best))
    wanted = leave_one_out(checkpoint.model, as_text(checkpoint.model, ids), target, checkpoint.tokenizer.mask_id)
    assert view.words.scores == pytest.approx(wanted.scores.tolist(), abs=1e-4)
    assert f"“{best}”" in view.words.intro
    assert [token.token for token in view.words.tokens.tokens] == window.state.encoding.labels
    window.state.set_text("")
    qtbot.waitUntil(lambda: view.words.isHidden(), timeout=TIMEOUT_MS)


@pytest.mark.parametrize(
    ("kind", "text", "name", "wanted"),
    [
        ("classify", "", "probability", lambda said: list(said.probabilities.values())),
        ("multilabel", "", "probability", lambda said: list(said.probabilities.values())),
        ("regress", "", "number", lambda said: [said.number]),
        ("tag", "", "probability", lambda said: list(said.probabilities)),
        ("span", PASSAGE, "score", lambda said: [said.score, said.no_answer_score]),
        ("choice", ENDINGS, "probability", lambda said: list(said.probabilities)),
        ("summarise", PASSAGE, "score", lambda said: list(said.probabilities)),
    ],
)
def test_each_answer_can_be_saved(kind: str, text: str, name: str, wanted: Callable, apply_to: Callable) -> None:
    _, room, oracle = apply_to(kind, text=text)
    (button,) = figure_buttons(room.view.card)
    figure = button.figure()
    assert figure.numbers[name].values.tolist() == pytest.approx(wanted(oracle), rel=1e-4)
    assert b"<text" in svg(figure) and kind in figure.caption  # the model's name is that of its task here


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_changed_inside_acts_here_too(kind: str, apply_to: Callable, tmp_path: Path, qtbot: QtBot) -> None:
    """Heads and layers that are switched off were ignored: the answer stayed that of the unchanged model."""
    text = {"span": PASSAGE, "choice": ENDINGS, "summarise": PASSAGE}.get(kind, "")
    b = B if kind in ("classify", "multilabel", "regress") else None
    window, room, oracle = apply_to(kind, A, b, text=text)
    assert room.view.changed.text() == ""
    window.state.set_what_if(WhatIf(heads_off=frozenset({(0, 1)}), layers_off=frozenset({1})))
    settle(window, qtbot)
    checkpoint = load_checkpoint(tmp_path / kind)
    first, second = (text, None) if kind == "summarise" else (A, text or b)
    off = interventions.ablate({(0, 1)}, {1})
    changed = predict(checkpoint, [as_example(kind, first, second)], changes=off)[0]  # type: ignore[arg-type]
    assert changed != oracle
    assert room.view.applied.prediction == changed and room.view.applied.before == oracle
    assert room.view.changed.text().startswith("Before your changes: ")
    (button,) = figure_buttons(room.view.card)
    assert "head 1·2 off" in button.figure().caption
    window.state.set_what_if(WhatIf())
    settle(window, qtbot)
    assert room.view.applied.prediction == oracle and room.view.changed.text() == ""


@pytest.mark.parametrize("kind", ["classify", "tag"])
def test_edited_rows_and_moved_tokens_act_as_in_the_reading(kind: str, apply_to: Callable, qtbot: QtBot) -> None:
    window, room, oracle = apply_to(kind, A, None)
    size = len(window.state.encoding.ids)
    what_if = WhatIf(
        rows=(EditedRow(0, 2, 0, (0.0, 1.0, *[0.0] * (size - 2))),),
        segments=((2, 1), (3, 1)),
        positions=((1, 4), (4, 1)),
    )
    window.state.set_what_if(what_if)
    settle(window, qtbot)
    logits = window.state.reading.task_logits[kind]
    if kind == "classify":
        shares = np.exp(logits - logits.max())
        expected = (shares / shares.sum()).tolist()
        assert list(room.view.applied.prediction.probabilities.values()) == pytest.approx(expected, abs=1e-5)
    assert room.view.applied.changed == what_if and room.view.applied.prediction != oracle


def test_edited_rows_do_not_act_on_another_text(apply_to: Callable, qtbot: QtBot) -> None:
    window, room, oracle = apply_to("span", A, None, text=PASSAGE)
    size = len(window.state.encoding.ids)
    window.state.set_what_if(WhatIf(rows=(EditedRow(0, 2, 0, (0.0, 1.0, *[0.0] * (size - 2))),)))
    settle(window, qtbot)
    assert room.view.applied.prediction == oracle and "have no effect here" in room.view.changed.text()


@pytest.mark.parametrize(
    ("kind", "text"), [("classify", ""), ("multilabel", ""), ("choice", ENDINGS), ("summarise", PASSAGE)]
)
def test_nothing_about_a_prediction_reads_as_correct(kind: str, text: str, apply_to: Callable) -> None:
    """A green tick beside what the model chose reads as if it were right."""
    _, room, _ = apply_to(kind, A, None, text=text)
    if kind in ("classify", "multilabel"):
        assert not any("\u2713" in bar.mark or bar.color == "good" for bar in room.view.bars.bars)
        return
    assert not any("\u2713" in row.mark for row in room.view.ranked.rows)
    picture, good = room.view.ranked.grab().toImage(), theme.color("good")
    pixels = {picture.pixelColor(x, y).rgb() for x in range(24, picture.width(), 3) for y in range(picture.height())}
    assert good.rgb() not in pixels and theme.color("bar_strong").rgb() in pixels


def test_b_changes_the_class_where_pairs_may_be_meant(apply_to: Callable, qtbot: QtBot) -> None:
    window, room, _ = apply_to("classify", A, B)
    with_b = [bar.fraction for bar in room.view.bars.bars]
    window.state.set_text(A, "")
    settle(window, qtbot)
    assert [bar.fraction for bar in room.view.bars.bars] != pytest.approx(with_b)


def test_number_is_the_engines(apply_to: Callable) -> None:
    _, room, oracle = apply_to("regress", A, B)
    assert room.view.answer.text() == numbers.decimal(oracle.number)
    assert room.view.scale.isHidden()  # nothing says what its numbers mean


def test_numbers_have_the_scale_that_they_were_learned_on(apply_to: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    heads, changes = KINDS["regress"]
    monkeypatch.setitem(KINDS, "regress", (heads, {**changes, "number_range": (0.25, 0.975)}))
    _, room, oracle = apply_to("regress", A, B)
    scale, outside = room.view.scale, not 0.25 <= oracle.number <= 0.975
    assert not scale.isHidden() and scale.value == oracle.number
    assert "on a scale from 0.25 to 0.975" in scale.accessibleName()
    note = "Outside 0.25 to 0.975" if outside else "It was trained on numbers from 0.25 to 0.975."
    assert room.view.note.text().startswith(note)


@pytest.mark.parametrize("seed", [3, 6])
def test_tags_are_marked_with_their_types(seed: int, apply_to: Callable) -> None:
    _, room, oracle = apply_to("tag", "The happy bird ran home and sat on the sofa.", seed=seed)
    assert {"O", "B-PER"} < set(oracle.tags)
    shown: list[str] = []
    for piece in room.view.sentence.pieces:  # written as BIO again, by hand
        _, *rest = piece.text.split(" ")
        shown += [f"B-{piece.type}" if piece.type else "O", *(f"I-{piece.type}" for _ in rest)]
    assert tuple(shown) == oracle.tags
    assert (
        " ".join(piece.text for piece in room.view.sentence.pieces) == "The happy bird ran home and sat on the sofa ."
    )
    assert "PER" in room.view.sentence.accessibleDescription()


def test_types_differ_in_more_than_colour() -> None:
    types = types_of(["O", *(f"{letter}-T{number}" for number in range(35) for letter in "BI")])
    assert len(types) == 35
    assert len({(shape_of(name, types), color_of(name, types).name()) for name in types}) == 35
    assert shape_of("T0", types) != shape_of("T1", types)


def test_entities_and_plain_tags_become_pieces() -> None:
    words, shares = ("Anna", "Reed", "saw", "Rome"), (0.9, 0.7, 1.0, 0.8)
    found = pieces_of(words, ("B-PER", "I-PER", "O", "B-LOC"), shares, list(TAGS))
    assert [(piece.text, piece.type, piece.share) for piece in found] == [
        ("Anna Reed", "PER", 0.7),
        ("saw", "", 0.0),
        ("Rome", "LOC", 0.8),
    ]
    plain = pieces_of(words, ("NNP", "NNP", "VBD", "NNP"), shares, ["NNP", "VBD"])
    assert [(piece.text, piece.type) for piece in plain][:2] == [("Anna", "NNP"), ("Reed", "NNP")]


@pytest.mark.parametrize("seed", range(1, 6))
def test_answer_is_marked_where_the_engine_finds_it(seed: int, apply_to: Callable) -> None:
    _, room, oracle = apply_to("span", "Who sat on the sofa?", text=PASSAGE, seed=seed)
    assert room.view.answer.text() == (oracle.text or "No answer")
    assert marked(room.view.editor) == ([oracle.text] if oracle.text else [])
    assert numbers.decimal(oracle.score) in room.view.scores.text()
    assert numbers.decimal(oracle.no_answer_score) in room.view.scores.text()
    assert room.view.scale.value == pytest.approx(oracle.score - oracle.no_answer_score, abs=1e-4)


def test_marks_stand_right_behind_a_character_of_two_units(qtbot: QtBot, looks: object) -> None:
    editor = MarkedEditor("The passage", "")
    qtbot.addWidget(editor)
    editor.setPlainText(PASSAGE)
    start = PASSAGE.index("happy bird")
    editor.set_marks([(start, start + len("happy bird"))])
    assert [selection.cursor.selectedText() for selection in editor.extraSelections()] == ["happy bird"]


def test_endings_are_ranked(apply_to: Callable) -> None:
    _, room, oracle = apply_to("choice", "The cat", text=ENDINGS)
    rows = room.view.ranked.rows
    shares = {row.text: row.share for row in rows}
    assert [shares[ending] for ending in ENDINGS.splitlines()] == pytest.approx(list(oracle.probabilities))
    assert [row.share for row in rows] == sorted(oracle.probabilities, reverse=True)
    assert [row.text for row in rows if row.is_chosen] == [ENDINGS.splitlines()[oracle.choice]]


def test_picked_sentences_are_marked(apply_to: Callable) -> None:
    text = "A dog ran home. The bird sat on the sofa. It was happy. The cat sat on the rug. A bird ran."
    _, room, oracle = apply_to("summarise", text=text)
    assert marked(room.view.editor) == list(oracle.sentences)
    assert 0 < len(oracle.sentences) < 5
    rows = room.view.ranked.rows
    assert [row.share for row in rows] == pytest.approx(list(oracle.probabilities))
    assert [row.text for row in rows if row.is_chosen] == list(oracle.sentences)


def test_a_summary_is_as_long_as_asked(apply_to: Callable, qtbot: QtBot) -> None:
    """Two sentences, then 100% of the five; no more than three share no three words with another."""
    text = "A dog ran home. The bird sat on the sofa. It was happy. The cat sleeps a lot. My birds sang."
    window, room, _ = apply_to("summarise", text=text)
    view = room.view
    for number, unit, picked in ((2, False, 2), (100, True, 5), (1, False, 1)):
        view.unit.setCurrentIndex(view.unit.findData(unit))
        view.length.setValue(number)
        settle(window, qtbot)
        view.unit.activated.emit(view.unit.currentIndex())
        settle(window, qtbot)
        assert sum(row.is_chosen for row in view.ranked.rows) == picked


def test_the_longest_answer_is_asked(apply_to: Callable, qtbot: QtBot, tmp_path: Path) -> None:
    window, room, _ = apply_to("span", "Who sat on the sofa?", text=PASSAGE)
    room.view.longest.setValue(1)
    settle(window, qtbot)
    tokens = load_checkpoint(tmp_path / "span").tokenizer.encode(room.view.answer.text()).tokens  # with [CLS] and [SEP]
    assert len(tokens) == 3 or room.view.answer.text() == "No answer"


def test_sentences_that_come_twice_are_found_in_order() -> None:
    assert find_in_order("No. Yes. No.", ["No.", "Yes.", "No."]) == [(0, 3), (4, 8), (9, 12)]
    assert find_in_order("No. Yes.", ["No.", "Perhaps.", "Yes."]) == [(0, 3), None, (4, 8)]


def test_typing_in_the_editor_asks_anew_and_old_marks_go(apply_to: Callable, qtbot: QtBot) -> None:
    window, room, _ = apply_to("summarise", text="A dog ran home. The bird sat on the sofa.")
    before = len(room.view.ranked.rows)
    room.view.editor.moveCursor(room.view.editor.textCursor().MoveOperation.End)
    QTest.keyClicks(room.view.editor, " It was happy.")
    assert not room.view.editor.marks
    settle(window, qtbot)
    assert len(room.view.ranked.rows) == before + 1 and room.view.editor.marks


def test_m_in_the_editor_is_a_letter_and_tab_leaves_it(apply_to: Callable, qtbot: QtBot) -> None:
    window, room, _ = apply_to("choice", "The cat", text=ENDINGS)
    window.activateWindow()
    room.view.editor.setFocus()
    QTest.keyClick(room.view.editor, Qt.Key.Key_M)
    assert room.view.text.count("m") == ENDINGS.count("m") + 1 and not window.state.masked
    QTest.keyClick(room.view.editor, Qt.Key.Key_Tab)
    assert "\t" not in room.view.text


def test_what_is_missing_is_said_in_place(apply_to: Callable, qtbot: QtBot) -> None:
    window, room, _ = apply_to("choice", "The cat", text=ENDINGS)
    room.view.editor.setPlainText("only one")
    assert "two or more endings" in room.view.problem.text() and not room.view.ranked.isVisible()
    room.view.editor.setPlainText(ENDINGS)
    settle(window, qtbot)
    assert room.view.problem.text() == "" and len(room.view.ranked.rows) == 3
    assert window.frame.banner.isHidden()


def test_editor_text_outlives_projector_mode(apply_to: Callable, qtbot: QtBot) -> None:
    window, _, _ = apply_to("choice", "The cat", text=ENDINGS)
    window.appearance.set_look(projector=True)
    try:
        room = window.frame.room
        assert isinstance(room, ApplyRoom)
        qtbot.waitUntil(lambda: room.is_drawn, timeout=TIMEOUT_MS)
        assert room.view.text == ENDINGS  # type: ignore[attr-defined]
    finally:
        window.appearance.set_look(projector=False)


def test_run_folder_says_what_was_taught(open_window: Opener, tmp_path: Path, qtbot: QtBot) -> None:
    run = tmp_path / "run"
    folder = make_model(run / "snapshots" / "step-00000010", "regress")
    (run / "config.json").write_text(json.dumps({"kind": "finetune", "data": {"task": "stsb"}}))
    (run / "evaluation.json").write_text(json.dumps({"metrics": {"mse": 2.0, "spearmanr": 0.5}}))
    window = open_window(folder)
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    room = window.open_room("apply")
    assert isinstance(room, ApplyRoom)
    window.state.set_text(A, "")
    settle(window, qtbot)
    assert "second one in B" in room.view.problem.text()
    window.state.set_text(A, B)
    settle(window, qtbot)
    assert room.view.problem.text() == "" and not room.view.scale.isHidden()  # type: ignore[attr-defined]
    assert "How similar" in about_text(room) and "Spearman 0.500" in about_text(room)


def test_model_without_a_task_leads_to_train(window: Window, qtbot: QtBot) -> None:
    room = window.open_room("apply")
    assert isinstance(room, ApplyRoom) and room.views.key == "offers"
    room.view.train.click()
    train = window.frame.room
    assert train is window.frame.rooms["train"]
    assert train.form.run_kind.key == "classify"  # type: ignore[attr-defined]
    assert window.state.model is not None
    assert train.form.model.reference == str(window.state.model.folder)  # type: ignore[attr-defined]


def test_the_models_that_ship_are_offered_and_open_with_something_to_try(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, open_window: Opener, model_folder: Path, qtbot: QtBot
) -> None:
    monkeypatch.setattr("bertcore.locations.assets", lambda: tmp_path)
    for name, kind in (("bertscope-sentiment", "classify"), ("bertscope-answers", "span")):
        folder = make_model(tmp_path / "checkpoints" / name, kind)
        task = "sst2" if kind == "classify" else "squad"
        about = {"name": name, "data": {"task": task}, "metrics": {"accuracy": 0.8}}
        (folder / "bertscope.json").write_text(json.dumps(about))
    window = open_window(model_folder)
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    window.state.set_text("My own words.", "")
    settle(window, qtbot)
    room = window.open_room("apply")
    assert isinstance(room, ApplyRoom) and list(room.view.buttons) == ["bertscope-sentiment", "bertscope-answers"]
    room.view.buttons["bertscope-answers"].click()
    qtbot.waitUntil(lambda: window.state.text_a == "Who built the mill?", timeout=TIMEOUT_MS)
    settle(window, qtbot)
    assert room.view.problem.text() == "" and room.view.applied is not None
    assert "old mill" in room.view.text  # type: ignore[attr-defined]
    shown = {name: button.isEnabled() for name, button in room.model_buttons.items()}
    assert shown == {"bertscope-sentiment": True, "bertscope-answers": False}
    room.model_buttons["bertscope-sentiment"].click()
    qtbot.waitUntil(lambda: isinstance(room.view, ApplyView) and room.view.task.kind == "classify", timeout=TIMEOUT_MS)
    settle(window, qtbot)
    assert "accuracy 80.0%" in about_text(room) and "ignores B" in about_text(
        room
    )  # of the task, though there is no run
    window.open_model(model_folder)
    qtbot.waitUntil(lambda: room.views.key == "offers", timeout=TIMEOUT_MS)
    assert window.services.settings.recent_models == [str(model_folder)]


@pytest.mark.parametrize("kind", KINDS)
def test_example_gives_an_answer(kind: str, apply_to: Callable, qtbot: QtBot) -> None:
    window, room, _ = apply_to(
        kind, A, B, text=PASSAGE if kind in ("span", "summarise") else ENDINGS if kind == "choice" else ""
    )
    room.show_example()
    settle(window, qtbot)
    assert room.view.problem.text() == ""
