"""No words are cut off, squeezed or written over others: at 1280 × 720, for a projector, at twice the scale."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from app.look import theme
from app.rooms.attend.heads_card import HeadsCard
from app.rooms.attend.matrix_view import AttentionGrid
from app.state.what_if import WhatIf
from app.widgets.card import Hint, label, scrolled
from app.widgets.controls import Choice, MenuButton
from app.widgets.curve_plot import LEAST_PX, CurvePlot
from app.widgets.curve_specs import CurveSpec, Mark, PlotSpec
from app.widgets.status_line import StatusLine
from tests.app.conftest import TEXT_A, TEXT_B, handle_events, make_checkpoint, placed, read_text, settle, wait_until
from tests.app.layout_check import curve_words, faults
from tests.app.layout_walk import SIZE, walk, walk_train, write_runs
from tests.app.test_apply_room import ENDINGS, KINDS, PASSAGE, make_model
from tests.end_to_end.shell import run_python

LONG_NAME = "a-model-with-a-rather-long-name-uncased-whole-word-masking"
LONG_PROBLEM = "The folder cannot be read as a checkpoint. " * 4
UNSEEN_TEXTS = (
    "Uncomfortable passengers waited for the extraordinarily delayed train, misunderstanding every announcement.",
    "Nevertheless the stationmaster apologised repeatedly, offering unbelievably generous refreshments to everyone.",
)


@pytest.fixture
def sized(window, projector):
    """The window at its least size, as it is and as a projector shows it."""
    window.appearance.set_look(projector=projector)
    window.resize(SIZE)
    return window


@pytest.fixture(params=[False, True], ids=["normal", "projector"])
def projector(request):
    return request.param


class TestCheck:
    """It finds what it is for."""

    @pytest.fixture
    def page(self, qtbot):
        return placed(QWidget(), qtbot, 300, 200)

    def put(self, page, widget, x=10, y=10, width=0):
        widget.setParent(page)
        hint = widget.sizeHint()
        widget.setGeometry(x, y, width or hint.width(), hint.height())
        widget.show()
        return widget

    def test_words_with_room_are_no_fault(self, page):
        self.put(page, label("Learning rate"))
        self.put(page, QPushButton("Start"), y=50)
        self.put(page, label("These words go on below one another", wrap=True), y=90, width=120).resize(120, 60)
        assert faults(page) == []

    @pytest.mark.parametrize("made", [QLabel, QPushButton], ids=["label", "button"])
    def test_too_narrow(self, page, made):
        self.put(page, made("Learning rate"), width=40)
        assert any("Learning rate" in fault and "need" in fault for fault in faults(page))

    def test_too_low(self, page):
        made = QLabel("These words go on below one another")
        made.setWordWrap(True)
        self.put(page, made).setFixedSize(120, 15)
        assert any("its words need" in fault for fault in faults(page))

    def test_out_of_the_window(self, page):
        self.put(page, label("Learning rate"), x=270)
        assert any("stands out of" in fault for fault in faults(page))

    def test_one_over_the_other(self, page):
        self.put(page, label("Learning rate"))
        self.put(page, label("Batch size"), x=40)
        assert any("overlap" in fault for fault in faults(page))

    def test_cut_by_a_column_that_cannot_scroll_there(self, page):
        inside = QWidget()
        QVBoxLayout(inside).addWidget(label("a line that is too long for this column"))
        self.put(page, scrolled(inside), width=90)
        assert any("cut off by" in fault for fault in faults(page))

    @pytest.mark.parametrize("made", [Hint, lambda text: MenuButton(text, lambda menu: None)], ids=["hint", "menu"])
    def test_shortened_is_a_fault_without_the_rest_in_the_tool_tip(self, page, made):
        shown = self.put(page, made("a hint that is too long for its place"), width=80)
        shown.setToolTip("a hint that is too long for its place")
        assert faults(page) == []
        shown.setToolTip("")
        assert any("tool tip" in fault for fault in faults(page))

    def test_drop_down_says_in_its_tool_tip_what_it_cuts(self, page):
        box = Choice("Which tokens")
        box.addItems(["Within A, within B, and nowhere else"])
        self.put(page, box, width=90)
        assert faults(page) == [] and "nowhere else" in box.toolTip() and "Which tokens" in box.toolTip()
        box.resize(400, 30)
        assert box.toolTip() == "Which tokens"

    def test_window_that_outgrew_its_size(self, page):
        page.resize(320, 200)
        assert any("not 300 × 200" in fault for fault in faults(page, QSize(300, 200)))

    @pytest.mark.parametrize(
        ("words", "wrong"),
        [
            ([(QRectF(5, 5, 30, 20), "attention")], "is cut by"),
            ([(QPointF(180, 20), "attention")], "is cut by"),
            ([(QPointF(5, 20), "attention"), (QPointF(30, 22), "weight")], "written over one another"),
            ([(QPointF(5, 20), "attention"), (QPointF(5, 50), "weight")], ""),
        ],
    )
    def test_painted_words(self, page, words, wrong):
        class Painted(QWidget):
            def paintEvent(self, event):
                painter = QPainter(self)
                painter.setFont(theme.font(13))
                for place, text in words:
                    more = (Qt.AlignmentFlag.AlignLeft,) if isinstance(place, QRectF) else ()
                    painter.drawText(place, *more, text)

        self.put(page, Painted(), width=200).resize(200, 80)
        found = faults(page)
        assert any(wrong in fault for fault in found) if wrong else found == []


def test_every_room_and_view(sized):
    assert walk(sized) == {}


def test_words_that_are_new_to_the_model(sized):
    """Many pieces: chips on several lines, labels that do not all fit."""
    read_text(sized, *UNSEEN_TEXTS)
    assert walk(sized, ("embed", "attend", "predict")) == {}


def test_train_with_runs_and_its_form(sized):
    write_runs()
    assert walk_train(sized) == {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_apply_for_each_task(open_window, tmp_path, kind, projector):
    window = open_window(make_model(tmp_path / kind, kind), TEXT_A)
    window.appearance.set_look(projector=projector)
    room = window.open_room("apply")
    wait_until(lambda: room.view is not None)
    if text := {"span": PASSAGE, "summarise": PASSAGE, "choice": ENDINGS}.get(kind):
        room.view.editor.setPlainText(text)
    window.state.set_text(TEXT_A, TEXT_B if kind == "classify" else "")
    assert walk(window, ("apply", "embed", "attend", "layers")) == {}


@pytest.mark.slow
def test_long_text_and_many_heads(open_window, tmp_path, projector):
    folder = make_checkpoint(tmp_path / LONG_NAME, layers=12, heads=16)
    window = open_window(folder, " ".join([TEXT_A] * 4), " ".join([TEXT_B] * 4))
    window.appearance.set_look(projector=projector)
    assert walk(window) == {}


def test_around_the_rooms(sized):
    """Message, changes inside, long names, the command list and the help."""
    sized.show_problem(LONG_PROBLEM)
    sized.frame.title_bar.model.setText(LONG_NAME)
    sized.frame.title_bar.model.setToolTip(LONG_NAME)
    if not theme.is_projector():  # there the line lies over the room
        sized.frame.status.set_hover("comfortable (12), dimension 17: −0.12345 · after LayerNorm")
    sized.state.set_what_if(WhatIf(heads_off=frozenset((layer, head) for layer in range(2) for head in range(4))))
    settle(sized)
    assert faults(sized, SIZE) == []
    sized.open_palette()
    assert faults(sized, SIZE) == []
    sized.toggle_help()  # beside a room that then may have to scroll sideways
    assert [fault for fault in faults(sized, SIZE) if "sideways" not in fault] == []


def test_menus_fit_the_screen(sized):
    for button in sized.frame.title_bar.findChildren(QPushButton):
        if isinstance(button, MenuButton) or "commands" in button.accessibleName().lower():
            button.click()
            menu = button.findChild(QMenu)
            assert menu.sizeHint().width() < SIZE.width() and menu.sizeHint().height() < SIZE.height()
            menu.close()


def test_themes_differ_in_nothing_but_colours():
    """What fits in one fits in the others. High contrast has wider rings besides, which take from the padding."""
    themes = [replace(one, values={**one.values, "focus_px": theme.LIGHT.focus_px}) for one in theme.THEMES.values()]
    sheets = {re.sub("#(?:[0-9a-f]{2})?[0-9a-f]{6}", "", theme.stylesheet(one, 1.5)) for one in themes}
    assert len(themes) == 3 and len(sheets) == 1
    assert f"font-size: {theme.LEAST_PROJECTED_PX}px" in sheets.pop()


def test_picture_of_the_heads_holds_still(sized):
    """It grows with its width: if its scroll bar took some of that, the two would chase each other for ever."""
    room = sized.open_room("attend")
    settle(sized)
    card = room.findChild(HeadsCard)
    widths = set()
    for height in range(560, 1100, 9):
        sized.resize(SIZE.width(), height)
        handle_events()
        widths.add(card.atlas.width())
    assert len(widths) == 1


@pytest.mark.parametrize(
    ("scale", "look"),
    [
        ("2", "normal"),
        pytest.param("2", "projector", marks=pytest.mark.slow),
        pytest.param("1.5", "normal", marks=pytest.mark.slow),
        pytest.param("1.5", "projector", marks=pytest.mark.slow),
    ],
)
def test_every_room_at_another_scale(model_folder, tmp_path, scale, look):
    """The scale is the process's own. Window sizes are in the units of the layout, pictures in those of the screen."""
    command = ("-m", "tests.app.layout_walk", str(model_folder), look)
    done = run_python(*command, QT_SCALE_FACTOR=scale, BERTSCOPE_HOME=str(tmp_path / "other home"))
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["faults"] == {}
    assert said["scale"] == float(scale) and said["pixels"] == SIZE.width() * float(scale)


def test_status_line_gives_its_room_to_what_is_new(qtbot):
    line = placed(StatusLine("M masks · F1 helps"), qtbot, 600, 26)
    line.set_facts("15 tokens · forward 8.4 ms")
    assert line._keys.isVisible() and faults(line) == []
    line.set_facts("15 tokens · segment A 9 · segment B 6 · forward 8.4 ms · drawn 7.7 ms")
    line.set_hover("comfortable (12), dimension 17: −0.12345 · the sum before LayerNorm")
    assert not line._keys.isVisible() and line._facts.width() == (600 - 2 * 14) // 3 and faults(line) == []
    assert line._hover.geometry().left() > line._facts.geometry().right()
    line.set_hover("")
    assert line._keys.isVisible()


def test_on_a_projector_the_status_line_takes_no_height(window):
    """The picture comes first; what is under the mouse is said over the lower edge, and the mouse does not feel it."""
    window.resize(SIZE)
    window.appearance.set_look(projector=True)
    room = window.open_room("attend")
    settle(window)
    frame, grid = window.frame, room.findChild(AttentionGrid)
    assert not frame.status.isVisible()
    wait_until(lambda: grid.raster is not None and grid.grid_rect().height() > 0.38 * SIZE.height())
    bottom = room.mapTo(frame, room.rect().bottomLeft()).y()
    assert bottom == frame.rect().bottom()
    frame.status.set_hover("cat (2), dimension 17: −0.12")
    assert frame.status.isVisible() and frame.status.geometry().bottom() == frame.rect().bottom()
    assert frame.childAt(20, frame.height() - 5) is not frame.status
    assert room.mapTo(frame, room.rect().bottomLeft()).y() == bottom
    window.open_room("layers")
    assert not frame.status.isVisible()


def test_curves_leave_out_words_that_have_no_room(qtbot):
    spec = PlotSpec("Loss", (CurveSpec("loss", "training", "curve_train"),), left_label="loss (nats)")
    plot = placed(CurvePlot(spec), qtbot, 700, 300)
    plot.set_points({"loss": (np.arange(100.0), np.linspace(5, 1, 100))})
    first = Mark(10, "then: guess masked words", "first: guess the next word")
    plot.change(marks=[first, Mark(80, "then: longer sequences")])
    wait_until(lambda: plot.is_loaded)
    said = {}
    for width, height in ((700, 300), (2400, 300), (700, 128), (700, 60)):
        plot.setMinimumHeight(0)
        plot.resize(width, height)
        handle_events()
        said[width, height] = {text.strip() for text, _box, _room in curve_words(plot.findChild(QWidget, "curves"))}
        assert faults(plot) == [] or height < LEAST_PX
    assert said[700, 300] == {"loss (nats)", "step", "then: guess masked words", "then: longer sequences"}
    assert said[2400, 300] == said[700, 300] | {"first: guess the next word"}
    assert "loss (nats)" in said[700, 128] and said[700, 60] == {"step"}


@pytest.mark.parametrize("name", ["embed", "predict", "layers"])
def test_the_tabs_of_pages_stand_together(name, window):
    """Each as wide as its words, not spread over the window."""
    room = window.open_room(name)
    settle(window)
    tabs = room.tabs
    words = [tabs.fontMetrics().horizontalAdvance(tabs.tabText(tab)) for tab in range(tabs.count())]
    rects = [tabs.tabRect(tab) for tab in range(tabs.count())]
    assert all(rect.width() <= wide + theme.px(36) for rect, wide in zip(rects, words, strict=True))
    assert rects[-1].right() < room.width() / 2 or tabs.width() == tabs.sizeHint().width()


def test_type_and_pictures_grow_with_a_large_window(window):
    window.open_room("attend")
    settle(window)
    small, size = window.frame.sentences.a.height(), QSize(2560, 1440)
    window.resize(size)
    wait_until(lambda: theme.scale() == theme.LARGE_SCALE)
    settle(window)
    edit = window.frame.sentences.a
    assert edit.height() == round(small * theme.LARGE_SCALE) and edit.font().pixelSize() > 13
    assert faults(window, size) == []
    window.resize(1440, 900)
    wait_until(lambda: theme.scale() == 1.0)
    assert window.frame.sentences.a.height() == small and window.room_key == "attend"
