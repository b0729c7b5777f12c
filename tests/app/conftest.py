"""A tiny random model and a real window, offscreen. No network, no built-in checkpoint, no home folder."""

import gc
import os
import re
import shutil
from functools import partialmethod
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
import torch
from PySide6.QtCore import QDeadlineTimer, QEvent, QEventLoop, QMimeData, QObject, QPointF, QRectF, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent, QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.compute.question import Question
from app.figures.files import svg
from app.look import language, numbers, theme, translated
from app.runs.run_info import is_built_in
from app.runs.service import RunsService
from app.shell.services import Services
from app.shell.window import Window
from app.state.baseline import ComparisonOffer, OtherText
from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.config import BertConfig
from bertcore.model.bert import Bert
from bertcore.runs import known_runs as registry
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.pretrain_options import PretrainOptions
from tests.app.train_room import Models, served_room

TEXT_A, TEXT_B = "The cat sat on the mat.", "It was very comfortable."
WORDS = f"{TEXT_A} {TEXT_B} a dog and bird ran home happy rug sofa"
TIMEOUT_MS = 120_000  # for what comes in any case; so long, where the machine is busy


def make_checkpoint(folder, *, output_heads=("mlm", "nsp"), layers=2, heads=4, hidden=32, seed=1, step=100):
    """A random model with a vocabulary of the words above, as a checkpoint folder."""
    tokenizer = Tokenizer.train([WORDS] * 20, 200)
    sizes = {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": 64}
    config = BertConfig(vocab_size=tokenizer.vocab_size, max_position_embeddings=64, **sizes)
    model = Bert(config, output_heads, pooler=bool(output_heads), generator=torch.Generator().manual_seed(seed))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(8)  # far from uniform, so that a swapped or transposed picture shows
    save_checkpoint(model, tokenizer, folder, name=folder.name, step=step if output_heads else None)
    return folder


def make_run(folder, steps, **model):
    """A finished run whose snapshots are different random models."""
    run = RunFolder.create(folder, PretrainOptions(name=folder.name, preset="tiny").to_dict())
    for step in steps:
        with run.begin_snapshot(step) as snapshot:
            made = make_checkpoint(folder.parent / f"{folder.name}-{step}", seed=step + 1, step=step, **model)
            shutil.copytree(made, snapshot, dirs_exist_ok=True)
            shutil.rmtree(made)
        run.append_metric({"kind": "train", "step": max(step, 1), "phase": "masked", "mlm_loss": 8 / (1 + step)})
    run.write_status(state="done", step=max(steps), fraction=1.0)
    return run


def wait_until(is_so):
    """Lets everything go on until it is; what comes in any case may take minutes, where the machine is busy."""
    ends = QDeadlineTimer(5 * TIMEOUT_MS)
    while not is_so():
        assert not ends.hasExpired(), "waited in vain"
        loop = QEventLoop()
        QTimer.singleShot(1, loop.quit)
        loop.exec()
        handle_events()  # what has come with it too


class PatientBot(QtBot):
    """Of itself it gives up after five seconds."""

    def waitUntil(self, callback, *, timeout=TIMEOUT_MS):
        wait_until(callback)

    waitSignal = partialmethod(QtBot.waitSignal, timeout=TIMEOUT_MS)
    waitExposed = partialmethod(QtBot.waitExposed, timeout=TIMEOUT_MS)


@pytest.fixture
def qtbot(qapp, request):
    return PatientBot(request)


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory):
    return make_checkpoint(tmp_path_factory.mktemp("models") / "tiny-model")


@pytest.fixture(scope="session")
def headless_folder(tmp_path_factory):
    """An encoder without heads, as sentence encoders such as MiniLM are."""
    return make_checkpoint(tmp_path_factory.mktemp("models") / "encoder-only", output_heads=(), layers=3, heads=2)


@pytest.fixture(scope="session")
def tokenizer(model_folder):
    return Tokenizer.from_folder(model_folder)


@pytest.fixture
def no_built_in_runs(monkeypatch):
    """Only runs that the test makes itself, whether or not BERTscope ships one."""
    known = registry.known_runs
    monkeypatch.setattr(registry, "known_runs", lambda: [run for run in known() if not is_built_in(run)])


@pytest.fixture(scope="session", autouse=True)
def dressed(qapp):
    """The application as the program sets it up, for the first test as for the last."""
    qapp.setStyle("Fusion")
    theme.register_fonts()
    theme.apply(qapp, "light")
    language.install(qapp)


@pytest.fixture(autouse=True)
def nothing_stays(qapp, dressed):
    """What is one for the whole program is as the next test expects it, and closed widgets are gone."""
    yield
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    if (theme.active(), theme.scale()) != (theme.LIGHT, 1.0):
        theme.apply(qapp, "light")
    if translated.language() != "en":
        language.install(qapp)
    numbers.set_technical(True)
    gc.enable()  # a window has turned it off for good


@pytest.fixture
def open_window(qtbot, qapp):
    """On a model, with texts A and B as they are read where they are given. An error in any thread fails the test."""
    windows = []
    unexpected = []

    def make(model, a=None, b=""):
        owner = QObject()
        services = Services(owner)
        services.settings.words = "technical"  # numbers as they are computed
        for signal in (services.errors.reported, services.inference.failed):
            signal.connect(unexpected.append)
        window = Window(services, str(model))
        windows.append(window)
        window.show()
        if a is not None:
            wait_until(lambda: window.state.reading is not None)
            window.state.set_text(a, b)
            settle(window)
        return window

    yield make
    for window in windows:
        close_for_good(window, qapp)
    assert unexpected == []


def close_for_good(window, qapp):
    window.close()
    assert window.services.close()
    window.deleteLater()
    qapp.sendPostedEvents(window, QEvent.Type.DeferredDelete)
    window.services.owner.deleteLater()


@pytest.fixture
def window(open_window, model_folder):
    """A window that shows the pair above, read by the tiny model, without masks."""
    made = open_window(model_folder)
    made.state.set_text(TEXT_A, TEXT_B)
    made.state.set_masks(())
    settle(made)
    made.history.look()
    made.history._done.clear()  # the change from the first example to this pair
    made.history.changed.emit()
    return made


@pytest.fixture
def models(qtbot):
    """For the room Train on its own; files about other rooms have a `room` of their own."""
    return Models()


@pytest.fixture
def room(models, request, qtbot):
    """Beside the runs of `service`, where a test names that, too."""
    is_served = "service" in request.fixturenames
    made = served_room(request.getfixturevalue("service") if is_served else None, models)
    qtbot.addWidget(made)
    made.resize(1300, 720)
    return made


@pytest.fixture
def orders(room):
    """The runs that are to be started."""
    made = []
    room.state.start_requested.connect(made.append)
    return made


@pytest.fixture
def service(qtbot, monkeypatch):
    """Ends the runs that a test has started."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    made = RunsService()
    yield made
    made.close()
    for child in made._children.values():
        child.terminate()
        child._process.wait(TIMEOUT_MS / 1000)


@pytest.fixture
def calls(monkeypatch):
    """Writes down the calls of a function from now on, by their first argument."""

    def counted(owner, name):
        made = []
        original = getattr(owner, name)

        def call(*arguments, **named):
            made.append(arguments[0])
            return original(*arguments, **named)

        monkeypatch.setattr(owner, name, call)
        return made

    return counted


def settle(window, qtbot=None):
    wait_until(window.is_settled)


def read_text(window, *texts, **named):
    """Another text A or B, as it is read."""
    window.state.set_text(*texts, **named)
    settle(window)


def read_masked(window, masks):
    window.state.set_masks(masks)
    settle(window)


def read_changed(window, what_if):
    """With this changed inside the model."""
    window.state.set_what_if(what_if)
    settle(window)


def compare(window, baseline):
    window.state.set_baseline(baseline)
    settle(window)


def compare_texts(window, view, ours, theirs):
    """As a person does who clicks for it in a view."""
    view.comparison_wanted.emit(ComparisonOffer(OtherText(theirs, ""), text=ours))
    settle(window)
    wait_until(lambda: not view.is_running)


def shown_room(window, key):
    """Open and drawn."""
    room = window.open_room(key)
    settle(window)
    return room


def answered(window):
    """The text is read, and nothing that the room asked for is still under way."""
    settle(window)

    def is_done():
        questions = window.frame.room.findChildren(Question)
        return not window.services.inference.is_busy and not any(question.is_running for question in questions)

    wait_until(is_done)


def shown_view(window, room, view, qtbot=None):
    """A view that is open, with all that it has asked for."""
    shown = window.open_room(room).open_view(view)
    answered(window)
    return shown


def check_scripts(view, tolerance=2e-4):
    """The script of each figure of a view makes its numbers again."""
    figures = [figure for figure in map(view.figure_of, view.cards) if figure is not None]
    for figure in figures:
        made = {}
        assert figure.script, figure.title
        exec(figure.script, made)
        saved = next(iter(figure.numbers.values())).values
        np.testing.assert_allclose(made["numbers"], saved, atol=tolerance, err_msg=figure.title)
    assert figures


def placed(widget, qtbot, width, height):
    """On show by itself, in this size."""
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    return widget


def words_of(figure):
    """What is written in its picture."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg(figure).decode())


def click(widget, at):
    """A click of the left button in the middle of a rectangle, or at a point."""
    place = at.center() if isinstance(at, QRectF) else at
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place.toPoint())


def drop(widget, place):
    """A file, a folder or a link that is let go over a window or a room."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(place)) if isinstance(place, Path) else QUrl(place)])
    action, buttons = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    widget.dropEvent(QDropEvent(QPointF(10, 10), action, data, buttons, Qt.KeyboardModifier.NoModifier))


def press(widget, *keys):
    """Keys as Qt writes them: "Right", "Ctrl+M"."""
    for key in keys:
        combination = QKeySequence(key)[0]
        QTest.keyClick(widget, combination.key(), combination.keyboardModifiers())


def handle_events():
    """All that is put off to a later turn of the event loop, and what that puts off: layouts, painting, timers of 0 ms.

    What has not happened then does not happen by itself.
    """
    loop = QEventLoop()
    while loop.processEvents():
        pass


def units_of(window):
    """What rows and columns stand for now: tokens or words."""
    return window.state.reading.units(window.state.token_view)
