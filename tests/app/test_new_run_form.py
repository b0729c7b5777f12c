"""The form for a new run: what it starts, what it refuses, and its keys."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.look import theme
from app.rooms.train.new_run_form import A_FILE
from app.rooms.train.room import TrainRoom
from app.runs.run_kinds import RUN_KINDS
from app.widgets.controls import SpinBox
from bertcore.model.bert import Bert
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import PretrainOptions
from tests.app.train_room import idle, idle_room


@pytest.fixture
def room(qtbot: QtBot) -> TrainRoom:
    made = idle_room()
    qtbot.addWidget(made)
    return made


def test_start_carries_what_the_form_says(room: TrainRoom, tmp_path: Path, qtbot: QtBot) -> None:
    file = tmp_path / "mein text.txt"
    file.write_text("One sentence. Another one.")
    room.runs_card.show_form()
    room.form.set_file(file)
    room.form.basic.set_value("preset", "mini")
    room.form.length.spin_box.setValue(7.5)
    with qtbot.waitSignal(idle(room).start_requested) as caught:
        room.form.submit()
    options = caught.args[0].options
    assert (options.name, options.preset, options.training.minutes) == ("mein text", "mini", 7.5)
    assert options.data.corpus == (str(file),)


def test_missing_file_is_told_and_nothing_starts(room: TrainRoom, tmp_path: Path, qtbot: QtBot) -> None:
    room.form.set_file(tmp_path / "gone.txt")
    with qtbot.assertNotEmitted(idle(room).start_requested):
        room.form.submit()
    assert "gone.txt" in room.form.problem.text()


@pytest.mark.parametrize(("typed", "minutes"), [("soon", 2.0), ("7.5", 7.5), ("0", 2.0), ("-3", 3.0), ("12", 12.0)])
def test_only_a_length_that_can_be_run_is_typed(room: TrainRoom, typed: str, minutes: float, qtbot: QtBot) -> None:
    room.runs_card.show_form()
    room.form.length.spin_box.selectAll()
    qtbot.keyClicks(room.form.length.spin_box, typed)
    with qtbot.waitSignal(idle(room).start_requested) as caught:
        room.form.submit()
    assert caught.args[0].options.training.minutes == minutes


def test_length_looks_as_the_other_fields_do(room: TrainRoom) -> None:
    """A style sheet draws no buttons of a spin box, and leaves its text no room."""
    room.runs_card.show_form()
    field = room.form.length.spin_box
    assert field.text() == "2" and field.buttonSymbols() == SpinBox.ButtonSymbols.NoButtons
    assert field.lineEdit().x() == theme.px(9) and field.lineEdit().width() > 0.7 * field.width()
    field.setValue(0.2)
    assert field.text() == "0.2"
    field.setValue(1200)
    assert field.text() == "1200"


def test_enter_in_a_line_starts_and_elsewhere_does_not(room: TrainRoom, qtbot: QtBot) -> None:
    room.runs_card.show_form()
    with qtbot.assertNotEmitted(idle(room).start_requested):
        qtbot.keyClick(room.form.basic.fields["preset"], Qt.Key.Key_Return)
        qtbot.keyClick(room.form.cancel, Qt.Key.Key_Return)
    room.runs_card.show_form()
    with qtbot.waitSignal(idle(room).start_requested):
        qtbot.keyClick(room.form.length.spin_box, Qt.Key.Key_Return)


@pytest.mark.parametrize("field", ["name", "source", "cancel"])
def test_escape_in_the_form_is_not_the_windows(room: TrainRoom, field: str, qtbot: QtBot) -> None:
    escaped: list[str] = []
    action = QAction("Deselect", room)  # the room is the window here
    action.setShortcut("Esc")
    action.triggered.connect(lambda: escaped.append("window"))
    room.addAction(action)
    with qtbot.waitExposed(room):
        room.show()
    room.form.cancelled.connect(lambda: escaped.append("form"))
    room.runs_card.show_form()
    qtbot.keyClick(getattr(room.form, field), Qt.Key.Key_Escape)
    qtbot.keyClick(room.time_machine.slider, Qt.Key.Key_Escape)
    assert escaped == ["form", "window"]


def test_sample_stories_are_one_click_away(room: TrainRoom, qtbot: QtBot) -> None:
    with qtbot.waitSignal(idle(room).start_requested) as caught:
        room.form.submit()
    assert Path(caught.args[0].options.data.corpus[0]).name == "stories.txt"


@pytest.mark.parametrize("kind", ["classify", "pretrain"])
def test_a_dialog_that_is_closed_chooses_nothing(
    room: TrainRoom, kind: str, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    form = room.form
    form.kind.setCurrentIndex(form.kind.findData(kind))
    form.kind.activated.emit(form.kind.currentIndex())
    first = form.source.currentText()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    at = form.source.findData(A_FILE)
    form.source.setCurrentIndex(at)
    form.source.activated.emit(at)
    assert form.source.currentText() == first
    with qtbot.waitSignal(idle(room).start_requested) as caught:
        form.submit()
    assert caught.args[0].kind == ("pretrain" if kind == "pretrain" else "finetune")


class TestAdvanced:
    def test_it_is_folded_at_first(self, room: TrainRoom) -> None:
        room.runs_card.show_form()
        advanced = room.form.advanced
        assert not room.form.fold.isChecked() and all(not field.isVisibleTo(room) for field in advanced.fields.values())
        room.form.fold.click()
        assert all(field.isVisibleTo(room) for field in advanced.fields.values())

    def test_what_is_left_alone_changes_nothing(self, room: TrainRoom) -> None:
        for kind in RUN_KINDS:
            room.form.set_kind(kind.key)
            assert room.form.advanced.fields and room.form.advanced.changes() == {}

    def test_what_is_set_reaches_the_run(self, room: TrainRoom) -> None:
        wanted = {
            "positions": "sinusoidal_fixed",
            "learning_rate": "3e-4",
            "mask_share": "20%",
            "mask_fate": "1",
            "random_fate": "0",
            "masking": "words",
            "sequence_length": "96",
            "causal_share": "0",
        }
        for name, text in wanted.items():
            room.form.advanced.set_value(name, text)
        room.form.basic.set_value("preset", "base")
        options = room.form.command().options
        assert isinstance(options, PretrainOptions)
        assert (options.preset, options.positions, options.training.learning_rate) == ("base", "sinusoidal_fixed", 3e-4)
        data = options.data
        assert (data.mask_share, data.mask_fate, data.random_fate, data.masking) == (0.2, 1.0, 0.0, "words")
        assert (data.sequence_length, data.long_sequence_length, options.training.causal_share) == (96, 96, 0.0)

    def test_a_family_brings_its_pairs_and_they_can_be_changed(self, room: TrainRoom) -> None:
        advanced = room.form.advanced
        advanced.set_value("family", "albert")
        advanced.fields["family"].activated.emit(2)  # type: ignore[attr-defined]
        assert room.form.command().options.data.pairs == "sop"  # type: ignore[union-attr]
        advanced.set_value("pairs", "nsp")
        assert room.form.command().options.data.pairs == "nsp"  # type: ignore[union-attr]

    def test_of_a_task_too(self, room: TrainRoom) -> None:
        room.form.set_kind("classify")
        for name, text in {"classifier_dropout": "0.3", "max_held_out": "50", "schedule": "constant"}.items():
            room.form.advanced.set_value(name, text)
        options = room.form.command().options
        assert isinstance(options, FinetuneOptions)
        assert (options.training.classifier_dropout, options.data.max_held_out) == (0.3, 50)
        assert options.training.schedule == "constant" and options.training.epochs == 10.0

    @pytest.mark.parametrize(("name", "text"), [("batch_size", "2.5"), ("mask_share", "95"), ("seed", "many")])
    def test_what_cannot_be_is_said_in_a_sentence(self, room: TrainRoom, name: str, text: str, qtbot: QtBot) -> None:
        room.form.advanced.set_value(name, text)
        with qtbot.assertNotEmitted(idle(room).start_requested):
            room.form.submit()
        assert room.form.advanced.fields[name].accessibleName() in room.form.problem.text()

    def test_epochs_of_pretraining(self, room: TrainRoom) -> None:
        unit = room.form.length.unit_choice
        unit.setCurrentIndex(unit.findData("epochs"))
        unit.activated.emit(unit.currentIndex())
        training = room.form.command().options.training
        assert (training.epochs, training.minutes) == (1.0, None)  # type: ignore[union-attr]


class TestWhatIsSaid:
    def test_exact_number_of_parameters(self, room: TrainRoom) -> None:
        """Counted by making the model."""
        room.form.set_kind("pretrain")
        room.form.set_vocab_size(2885)
        room.form.basic.set_value("preset", "mini")
        options = room.form.planned().options
        assert isinstance(options, PretrainOptions)
        model = Bert(options.model_config(2885), ("mlm", "nsp"))
        count = sum(parameter.numel() for parameter in model.parameters())
        assert f"{count:,} parameters" in room.form.advice.text()

    def test_until_the_words_are_counted_it_is_at_most(self, room: TrainRoom) -> None:
        room.form.set_kind("pretrain")
        assert "At most" in room.form.advice.text()

    def test_each_field_has_a_line_of_help(self, room: TrainRoom) -> None:
        form = room.form
        for field in (form.model, form.task, form.length, form.name):
            assert field.accessibleDescription()


def _dropped(room: TrainRoom, file: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    point, action, mouse = QPointF(5, 5), Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(point.toPoint(), action, data, mouse, Qt.KeyboardModifier.NoModifier)
    room.dragEnterEvent(enter)
    assert enter.isAccepted()
    room.dropEvent(QDropEvent(point, action, data, mouse, Qt.KeyboardModifier.NoModifier))


def test_a_file_that_is_dropped_is_what_to_learn_from(room: TrainRoom, tmp_path: Path) -> None:
    room.runs_card.show_form()
    file = tmp_path / "mine.txt"
    file.write_text("One sentence. Another one.")
    _dropped(room, file)
    assert room.form.planned().options.data.corpus == (str(file),)  # type: ignore[union-attr]
    settings = tmp_path / "settings.json"
    room.form.set_kind("distil")
    room.form.save(settings)
    room.form.set_kind("pretrain")
    _dropped(room, settings)
    assert room.form.run_kind.key == "distil"
