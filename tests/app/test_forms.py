"""The form for a new run: what it starts of each kind, what it refuses, its keys, and its settings in a file."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog

from app.look import theme
from app.rooms.train.form.fields import values_of
from app.rooms.train.form.new_run_form import A_FILE, NewRunForm
from app.runs.run_kinds import BY_KEY, RUN_KINDS, read_settings
from app.runs.run_state import RunState
from app.widgets.controls import SpinBox
from bertcore.locations import assets, built_in_checkpoint
from bertcore.model.bert import Bert
from bertcore.settings import read_recipe
from bertcore.tasks.readers.reading import TASKS
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import PretrainOptions

TASK_KINDS = [kind.key for kind in RUN_KINDS if kind.is_task]
CSV = "review,stars,when\nThe dog ran home.,good,May\nThe cat sat.,bad,June\n"
PAIRS = "sentence1\tsentence2\tlabel\nA dog.\tA cat.\tno\nA dog.\tDogs.\tyes\n"


def _started(room, orders):
    orders.clear()
    room.form.submit()
    (order,) = orders
    return order


def _write(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


def _choose(form, name, value):
    """As a person does: in the drop-down list of that name."""
    field = form.length.unit_choice if name == "unit" else getattr(form, name)
    field.setCurrentIndex(value if isinstance(value, int) else field.findData(value))
    field.activated.emit(field.currentIndex())


def _own(file, text):
    return lambda form, folder: form.set_file(_write(folder, file, text))


def _set(**settings):
    def fill(form, _folder):
        for name, text in settings.items():
            (form.basic if name in form.basic.fields else form.advanced).set_value(name, text)

    return fill


def _settings(text):
    return lambda form, folder: form.load(_write(folder, "settings.json", text))


def _of_family(pairs=""):
    def fill(form, _folder):
        form.advanced.set_value("family", "albert")
        form.advanced.fields["family"].activated.emit(2)
        if pairs:
            form.advanced.set_value("pairs", pairs)

    return fill


def _with_length(unit, number=None):
    def fill(form, _folder):
        _choose(form, "unit", unit)
        if number is not None:
            form.length.spin_box.setValue(number)

    return fill


def _with_columns(form, folder):
    _own("reviews.csv", CSV)(form, folder)
    columns = form.columns.choices
    assert [columns["text"].itemText(i) for i in range(1, 4)] == ["review", "stars", "when"]
    columns["text"].setCurrentText("review")
    columns["label"].setCurrentText("stars")


def _published(form, folder):
    for name in ("eng.train", "eng.testa"):
        _write(folder, name, "Anna NNP I-NP I-PER\n")
    form.set_file(folder)


MANY = {"preset": "base", "positions": "sinusoidal_fixed", "masking": "words", "learning_rate": "3e-4"}
MANY |= {"mask_share": "20%", "mask_fate": "1", "random_fate": "0", "sequence_length": "96", "causal_share": "0"}
NUMBERS = {"learning_rate": 3e-4, "mask_share": 0.2, "mask_fate": 1.0, "random_fate": 0.0, "causal_share": 0.0}
NUMBERS |= dict.fromkeys(("sequence_length", "long_sequence_length"), 96)
STARTED = {  # kind, what is filled in, settings
    "a text of one's own": ("pretrain", _own("my text.txt", "One. Two."), {"name": "my text", "minutes": 2.0}),
    "size and length": (
        "pretrain",
        lambda form, folder: (_set(preset="mini")(form, folder), form.length.spin_box.setValue(7.5)),
        {"preset": "mini", "minutes": 7.5, "questions": None, "corpus": (str(assets() / "corpus" / "stories.txt"),)},
    ),
    "many settings": ("pretrain", _set(**MANY), {**MANY, **NUMBERS}),
    "a family brings its pairs": ("pretrain", _of_family(), {"family": "albert", "pairs": "sop"}),
    "other pairs of a family": ("pretrain", _of_family("nsp"), {"family": "albert", "pairs": "nsp"}),
    "epochs of text": ("pretrain", _with_length("epochs"), {"epochs": 1.0, "minutes": None}),
    "settings of a task": (
        "classify",
        _set(classifier_dropout="0.3", max_held_out="50", schedule="constant"),
        {"classifier_dropout": 0.3, "max_held_out": 50, "schedule": "constant", "epochs": None, "crf": False},
    ),
    "a classifier of one's own": (
        "classify",
        _set(classifier_layers="1", classifier_width="64", classifier_activation="tanh", one_logit="True"),
        {"classifier_layers": 1, "classifier_width": 64, "classifier_activation": "tanh", "one_logit": True},
    ),
    "a classifier as the checkpoint has it": (
        "similarity",
        _set(classifier_activation="None"),
        {"classifier_layers": None, "classifier_activation": None, "one_logit": False},
    ),
    "minutes of a task": ("classify", _with_length("minutes", 1.5), {"minutes": 1.5, "epochs": None}),
    "CRF": ("tag", _set(crf="True"), {"crf": True}),
    "second sample": ("tag", lambda form, _: _choose(form, "source", 1), {"task": "conll2003-pos"}),
    "columns": (
        "classify",
        _with_columns,
        {"columns": {"text": "review", "label": "stars"}, "task": "classify", "name": "reviews", "epochs": None},
    ),
    "usual columns": (
        "pairs",
        _own("pairs.tsv", PAIRS),
        {"columns": {"text": "sentence1", "text_b": "sentence2", "label": "label"}},
    ),
    "columns by number": ("tag", _own("names.txt", "Anna NNP B-PER\n"), {"columns": {"text": "1", "label": "3"}}),
    "a published folder": ("tag", _published, {"task": "conll2003"}),
}


@pytest.mark.parametrize("case", STARTED)
def test_what_is_set_reaches_the_run(case, room, orders, tmp_path):
    kind, fill, expected = STARTED[case]
    room.runs_card.show_form()
    room.form.set_kind(kind)
    fill(room.form, tmp_path)
    values = values_of(_started(room, orders).options)
    assert {name: values[name] for name in expected} == expected
    if room.form._own is not None:
        assert str(room.form._own) in (values.get("train"), *values.get("corpus", ()))


@pytest.mark.parametrize("kind", TASK_KINDS)
def test_a_sample_starts_at_once(kind, room, orders, tmp_path):
    room.form.set_kind(kind)
    order = _started(room, orders)
    options = order.options
    assert order.arguments(tmp_path / "r.json") == ["finetune", "--recipe", str(tmp_path / "r.json")]
    assert FinetuneOptions.from_dict(json.loads(json.dumps(options.to_dict()))) == options  # as the child reads it
    assert Path(options.data.train).is_dir() and options.model is None
    assert TASKS[options.data.task].sample == Path(options.data.train).name and options.training.epochs is None


@pytest.mark.parametrize(("kind", "setting"), [("continue", "start"), ("distil", "teacher"), ("classify", "model")])
def test_the_model_to_start_from(kind, setting, room, orders, model_folder, headless_folder, tmp_path):
    room.form.set_kind(kind)
    room.form.model.set_folder(str(model_folder))
    values = values_of(_started(room, orders).options)
    assert values[setting] in (str(model_folder), str(model_folder.resolve())) and not values.get("causal_share")
    refused = {str(tmp_path): str(tmp_path), **({} if setting == "model" else {str(headless_folder): "masked-word"})}
    for folder, said in refused.items():
        room.form.model.set_folder(folder)
        orders.clear()
        room.form.submit()
        assert not orders and said in room.form.problem.text()
    for folder, reference in ((model_folder, str(model_folder)), (built_in_checkpoint(), None)):
        room.runs_card.show_task_form(folder)  # teaching begins with the open model each time
        assert room.form.model.reference == reference
        room.runs_card.show_list()


REFUSED = {
    "a file that is gone": ("pretrain", lambda form, folder: form.set_file(folder / "gone.txt"), "gone.txt"),
    "a column that is not chosen": ("classify", _own("reviews.csv", CSV), "choose one of the columns"),
    "a row without a label": ("classify", _own("own.tsv", "text\tlabel\nOne.\tgood\nTwo.\t\n"), "line 3"),
    "a row without a column": ("classify", _own("own.tsv", "text\tlabel\nOne.\tgood\nTwo\n"), "line 3"),
    "an empty file": ("classify", _own("own.tsv", ""), "empty"),
    "half a text": ("pretrain", _set(batch_size="2.5"), "Batch size"),
    "too large a share": ("pretrain", _set(mask_share="95"), "Share of tokens to guess"),
    "no number": ("pretrain", _set(seed="many"), "Seed"),
    "settings that are no JSON": ("pretrain", _settings("not json"), "not valid JSON"),
    "settings of something else": ("pretrain", _settings('{"kind": "evaluate"}'), "not contain the settings of a run"),
    "settings that nobody knows": ("pretrain", _settings('{"presett": "tiny"}'), "presett"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_said_and_nothing_starts(case, room, orders, tmp_path):
    kind, fill, said = REFUSED[case]
    room.form.set_kind(kind)
    fill(room.form, tmp_path)
    if not case.startswith("settings"):
        room.form.submit()
    assert not orders and said in room.form.problem.text()


@pytest.mark.parametrize("kind", [kind.key for kind in RUN_KINDS])
def test_each_kind_shows_what_it_has(kind, room):
    entry, form = BY_KEY[kind], room.form
    form.set_kind(kind)
    assert form._sentence.text() == entry.sentence
    assert tuple(form.basic.fields) == entry.basic and tuple(form.advanced.fields) == entry.advanced
    assert form.advanced.changes() == {} == form.basic.changes()
    assert all(field.accessibleDescription() for field in (form.model, form.task, form.length, form.name))
    assert form.model.isHidden() != entry.starts_from_model and form.sweep.isHidden() != entry.has_score
    titles, names = [], []
    for at in range(len(entry.samples)):
        _choose(form, "source", at)
        titles.append(form.source.currentText())
        names.append(form.name.text())
    assert len(set(titles)) == len(titles) and len(set(names)) == len(names), (titles, names)


def test_every_published_task_can_be_tried_and_every_sample_is_offered():
    offered = [spec for kind in RUN_KINDS for spec in kind.samples]
    names = [spec.name for spec in offered]
    assert set(TASKS) - {kind.own_task for kind in RUN_KINDS} <= set(names) and len(names) == len(set(names))
    assert {spec.sample for spec in offered} == {spec.sample for spec in TASKS.values()}


@pytest.mark.parametrize(("typed", "minutes"), [("soon", 2.0), ("7.5", 7.5), ("0", 2.0), ("-3", 3.0), ("12", 12.0)])
def test_only_a_length_that_can_be_run_is_typed(room, orders, typed, minutes, qtbot):
    """In a field that looks as the others do: it has no buttons, and room for its text."""
    room.runs_card.show_form()
    field = room.form.length.spin_box
    assert field.text() == "2" and field.buttonSymbols() == SpinBox.ButtonSymbols.NoButtons
    assert field.lineEdit().x() == theme.px(9) and field.lineEdit().width() > 0.7 * field.width()
    field.selectAll()
    qtbot.keyClicks(field, typed)
    assert _started(room, orders).options.training.minutes == minutes
    for number, text in ((0.2, "0.2"), (1200, "1200")):
        field.setValue(number)
        assert field.text() == text


def test_enter_in_a_line_starts_and_elsewhere_does_not(room, orders, qtbot):
    room.runs_card.show_form()
    for field in (room.form.basic.fields["preset"], room.form.cancel):
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert not orders
    for field in (room.form.length.spin_box, room.form.name, room.form.advanced.fields["seed"]):
        room.runs_card.show_form()
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert orders.pop()


def test_tab_goes_from_field_to_field_as_they_stand(room):
    form, order = room.form, []
    widget = form
    while (widget := widget.nextInFocusChain()) is not form:
        order.append(widget)
    fields = [form.source, form.basic.fields["preset"], form.length.spin_box, form.fold]
    fields += [*form.advanced.fields.values(), form.start]
    assert sorted(fields, key=order.index) == fields


def test_escape_in_the_form_is_not_the_windows(room, qtbot):
    escaped = []
    action = QAction("Deselect", room)  # the room is the window here
    action.setShortcut("Esc")
    action.triggered.connect(lambda: escaped.append("window"))
    room.addAction(action)
    with qtbot.waitExposed(room):
        room.show()
    room.form.cancelled.connect(lambda: escaped.append("form"))
    for field in (room.form.name, room.form.source, room.form.cancel):
        room.runs_card.show_form()
        qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.keyClick(room.time_machine.slider, Qt.Key.Key_Escape)
    assert escaped == [*["form"] * 3, "window"]


@pytest.mark.parametrize("kind", ["classify", "pretrain"])
def test_a_dialog_that_is_closed_chooses_nothing(room, orders, kind, monkeypatch):
    _choose(room.form, "kind", kind)
    first = room.form.source.currentText()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    _choose(room.form, "source", A_FILE)
    assert room.form.source.currentText() == first
    assert _started(room, orders).kind == BY_KEY[kind].usual.kind


def test_advanced_is_folded_at_first(room):
    room.runs_card.show_form()
    fields = room.form.advanced.fields.values()
    assert not any(field.isVisibleTo(room) for field in fields)
    room.form.fold.click()
    assert all(field.isVisibleTo(room) for field in fields)


def test_number_of_parameters(room):
    """Counted by making the model; at most so many until the words are counted."""
    room.form.set_kind("pretrain")
    assert "At most" in room.form.advice.text()
    room.form.show_estimate(SimpleNamespace(total=SimpleNamespace(seconds=60.0), epochs=3.0, vocab_size=2885))
    room.form.basic.set_value("preset", "mini")
    model = Bert(room.form.planned().options.model_config(2885), ("mlm", "nsp"))
    assert f"{sum(parameter.numel() for parameter in model.parameters()):,} parameters" in room.form.advice.text()


def test_epochs_follow_from_the_file_until_somebody_types_a_number(room):
    """Of a small file as many as the run itself takes for 150 steps, which the estimate says."""
    room.form.set_kind("classify")
    help_of_length = room.form._words[room.form.length][1]
    assert room.form.length.spin_box.text() == "automatic" and "as many as make 150 steps" in help_of_length.text()
    found = SimpleNamespace(total=SimpleNamespace(seconds=60.0), epochs=18.75, vocab_size=2885)
    room.form.show_estimate(found)
    assert "Automatic: 18.8 of this file" in help_of_length.text()
    assert room.form.planned().options.training.epochs == 18.75
    room.form.length.spin_box.setValue(2.0)
    room.form.show_estimate(found)
    assert room.form.planned().options.training.epochs == 2.0 and "Automatic" not in help_of_length.text()
    room.form.length.set_length("steps", 77)
    assert room.form.planned().options.training.steps == 77


def test_what_is_dropped_is_what_to_learn_from_or_its_settings(room, tmp_path):
    def drop(file):
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(file))])
        point, action, mouse = QPointF(5, 5), Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
        enter = QDragEnterEvent(point.toPoint(), action, data, mouse, Qt.KeyboardModifier.NoModifier)
        room.dragEnterEvent(enter)
        assert enter.isAccepted()
        room.dropEvent(QDropEvent(point, action, data, mouse, Qt.KeyboardModifier.NoModifier))

    room.runs_card.show_form()
    file, settings = _write(tmp_path, "mine.txt", "One sentence. Another one."), tmp_path / "settings.json"
    drop(file)
    assert room.form.planned().options.data.corpus == (str(file),)
    room.form.set_kind("distil")
    room.form.save(settings)
    room.form.set_kind("pretrain")
    drop(settings)
    assert room.form.run_kind.key == "distil"


@pytest.fixture
def form(qtbot):
    made = NewRunForm(RunState())
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize("kind", [kind.key for kind in RUN_KINDS])
def test_there_and_back(kind, form, tmp_path, qtbot):
    form.set_kind(kind)
    form.name.setText("another name")
    form.length.set_length("steps", 77)
    _set(seed="5", learning_rate="1.2345e-4", **dict.fromkeys(set(form.basic.fields) & {"crf"}, "True"))(form, tmp_path)
    file = tmp_path / "settings.json"
    form.save(file)
    wanted = form.planned().options
    assert type(wanted).from_file(file) == wanted, "the shell reads the same"
    other = NewRunForm(RunState())
    qtbot.addWidget(other)
    other.advanced.set_value("seed", "9")  # what was typed before is gone
    other.load(file)
    assert other.run_kind.key == kind and other.planned().options == wanted
    assert other.name.text() == "another name" and other.length.number == 77


def test_what_has_no_field_is_kept(form, tmp_path):
    options = PretrainOptions(preset="tiny").with_changes(name="mine", evaluations=7, next_sentence_weight=0.5)
    corpus = str(assets() / "corpus" / "mirror.txt")
    settings = json.dumps({**options.to_dict(), "data": {"corpus": [corpus]}})
    form.load(_write(tmp_path, "settings.json", settings))
    found = form.planned().options
    assert found.data.corpus == (corpus,)
    assert (found.training.evaluations, found.training.next_sentence_weight) == (7, 0.5)
    form.set_kind("pretrain")
    assert form.planned().options.training.evaluations == 20, "another start forgets them"


@pytest.mark.parametrize("file", sorted((assets() / "recipes").glob("*.json")), ids=lambda file: file.stem)
def test_recipes_that_ship(file, form):
    """But for the texts, which are named on the command line."""
    form.load(file)
    wanted, found = read_settings(read_recipe(file), file.name), form.planned().options
    assert ("no file or folder" in form.problem.text()) == isinstance(wanted, FinetuneOptions)
    assert type(found) is type(wanted) and found.name == wanted.name
    given = {name: value for name, value in vars(wanted.training).items() if value is not None}
    assert given == {name: getattr(found.training, name) for name in given}


def test_own_file_with_its_columns(form, tmp_path):
    table = _write(tmp_path, "mine.csv", "id,said,mood\n1,Hi.,good\n2,Go.,bad\n")
    columns = {"text": "said", "label": "mood"}
    options = FinetuneOptions(name="moods").with_changes(task="classify", train=str(table), columns=columns)
    form.load(_write(tmp_path, "s.json", json.dumps(options.to_dict())))
    found = form.command().options
    assert found.data.columns == columns and found.data.train == str(table)
