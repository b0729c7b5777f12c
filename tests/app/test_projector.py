"""A projector of 1280 x 720: one picture has the screen, and its words are large enough for two metres, and whole."""

from collections import Counter
from itertools import pairwise

import pytest
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFrame, QMenu, QTabBar

from app.lessons.shipped import shipped_files
from app.look import language, theme
from app.rooms.attend.matrix_view import AttentionGrid
from app.rooms.map.plan import Plan, Sizes
from app.shell.menus import fill_commands
from app.shell.rooms import ROOMS, open_view
from app.state.baseline import OtherModel, OtherText
from app.widgets.controls import ChevronButton, IconButton, MenuButton
from app.widgets.folding_card import FoldingCard
from app.widgets.room_rail import RoomButton
from bertcore.locations import BUILT_IN, CLASS_DEMO, TINY
from tests.app.conftest import (
    compare,
    handle_events,
    make_checkpoint,
    read_masked,
    read_text,
    settle,
    shown_room,
    wait_until,
)
from tests.app.layout_check import faults, hear
from tests.app.layout_walk import SIZE, is_drawn, walk

SCREEN = SIZE.width() * SIZE.height()
LEAST_SHARE = 0.6  # of the screen, for the picture with its title
LEAST_OF_THREE = 0.5  # for one of three methods, below the line that chooses what they are about
NINETEEN = "A dog sat on the rug and ran home happy.", "It was very comfortable."  # tokens, with [CLS] and [SEP]
EXPLORING = [spec for spec in ROOMS if spec.key in ("map", "embed", "attend", "predict", "layers")]


def sizes_written(window, monkeypatch):
    """Each text of the program's own painting: the smallest type that it is written in."""
    sizes = {}

    def note(painter, *about):
        text, size = str(about[-1]), painter.fontInfo().pixelSize()
        sizes[text] = min(size, sizes.get(text, size))

    with monkeypatch.context() as patch:
        hear(patch, note)
        window.grab()
    return {text: size for text, size in sizes.items() if text.strip()}


@pytest.fixture
def projected(window):
    window.appearance.set_look(projector=True)
    window.resize(SIZE)
    read_masked(window, [2])
    return window


def pictures(root):
    """The cards that are seen."""
    frames = [frame for frame in root.findChildren(QFrame) if frame.property("look") == "card"]
    return [frame for frame in frames if frame.isVisible()]


def seen(widget, window):
    """How many pixels of the screen it has."""
    area = QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size()) & window.rect()
    return area.width() * area.height()


def cut_words(window, monkeypatch):
    """Texts that end in … though nobody wrote it so, as widgets and pictures paint them."""
    drawn = set()
    with monkeypatch.context() as patch:
        hear(patch, lambda _painter, *about: drawn.add(str(about[-1])))
        window.grab()
    buttons = [one for one in window.findChildren(ChevronButton) if one.isVisible()]
    short = {one.text() for one in buttons if one.width() < one.sizeHint().width()}
    tabs = [one for one in window.findChildren(QTabBar) if one.isVisible() and one.width() < one.sizeHint().width()]
    names = {bar.tabText(place) for bar in tabs for place in range(bar.count())}
    return {text for text in drawn if text.endswith("…")} | short | names


def scrolled_rooms(window):
    """Whether the open room is larger than its place: something of it is out of sight."""
    area = window.frame.room.parentWidget().parentWidget().parentWidget()
    return area.verticalScrollBar().maximum() + area.horizontalScrollBar().maximum()


@pytest.fixture(params=language.LANGUAGES)
def spoken(request, qapp, window):
    """A projector in each language, with 19 tokens."""
    language.install(qapp, request.param)
    window.appearance.set_look(projector=True)
    window.resize(SIZE)
    read_text(window, *NINETEEN)
    assert len(window.state.encoding) == 19
    return window


def test_every_view_is_whole(spoken, monkeypatch):
    """Words, pictures and rooms, in each language."""

    def inspect(window):
        wrong = faults(window, SIZE) + sorted(cut_words(window, monkeypatch))
        far = scrolled_rooms(window)
        return [*wrong, f"its room scrolls by {far} px"] if far else wrong

    assert walk(spoken, [spec.key for spec in ROOMS if spec.key != "train"], inspect) == {}


def test_cards_that_open_are_whole(spoken, monkeypatch):
    """In every room but Train: each card that folds, unfolded, in the place of the picture or beside it."""

    def inspect(window):
        found = []
        for card in [one for one in window.frame.room.findChildren(FoldingCard) if one.isVisible() and one.can_fold]:
            card.unfold()
            settle(window)
            handle_events()
            labels = window.state.encoding.labels  # a long token may be cut beside an open card
            cut = [
                each for each in cut_words(window, monkeypatch) if not any(one.startswith(each[:-1]) for one in labels)
            ]
            wrong = faults(window, SIZE) + sorted(cut)
            if far := scrolled_rooms(window):
                wrong.append(f"its room scrolls by {far} px")
            found += [f"{card.tab.accessibleName()}: {each}" for each in wrong]
            card.fold()
        return found

    assert walk(spoken, [spec.key for spec in ROOMS if spec.key != "train"], inspect) == {}


def test_training_is_whole(spoken, monkeypatch):
    """The runs that ship on their pages, a changed world, and the form of a new run."""
    room, wrong = spoken.open_room("train"), {}
    runs = {run.path.name: run.path for run in spoken.services.runs.runs if run.is_built_in}
    view = room.view

    def inspect(name):
        settle(spoken)
        handle_events()
        found = faults(spoken, SIZE) + sorted(cut_words(spoken, monkeypatch))
        if far := scrolled_rooms(spoken):
            found.append(f"it scrolls by {far} px")
        if found:
            wrong[name] = found

    for name, page in ((BUILT_IN, view.curves), (TINY, view.curves), (CLASS_DEMO, view.questions)):
        room.state.select_requested.emit(runs[name])
        wait_until(lambda name=name: room.state.run.path.name == name)
        assert not view.buttons[page].isHidden()
        for made in view.buttons.values():
            if made.isVisible() and made.isEnabled():
                made.click()
                inspect(f"{name}, {made.text()}")
    view.buttons[view.questions].click()
    view.questions.change.click()
    inspect("a changed world")
    view.questions.change.click()
    room._watch_fold.unfold()
    inspect("its attention")
    room.runs_card.show_form()
    inspect("the form")
    assert room.data.isVisible() and room.form.isVisible(), "what it would learn from, beside the form"
    assert wrong == {}


def test_names_of_views_are_whole_beside_a_lesson(spoken, monkeypatch):
    spoken.lessons.open(shipped_files()[0])
    wait_until(lambda: spoken.lessons.player.start is not None)
    read_text(spoken, *NINETEEN)
    for key in ("map", "predict", "layers"):
        room = spoken.open_room(key)
        settle(spoken)
        assert room.list.isVisible() != room.tabs.isVisible()
        shown = room.tabs if room.tabs.isVisible() else room.list
        assert shown.width() >= shown.sizeHint().width()


def test_matrix_of_attention_fills_its_panel(spoken, monkeypatch):
    room = spoken.open_room("attend")
    settle(spoken)
    grid = room.findChild(AttentionGrid)
    assert seen(room.large, spoken) / SCREEN > 0.63
    rect = grid.grid_rect()
    assert rect.width() * rect.height() / SCREEN > 0.3
    assert rect.bottom() > grid.height() - theme.px(8) and rect.left() < 0.2 * grid.width()
    rows = []
    with monkeypatch.context() as patch:
        hear(patch, lambda _painter, *about: rows.append(str(about[-1])) if isinstance(about[0], QRectF) else None)
        grid.grab()
    assert Counter(spoken.state.encoding.labels) <= Counter(rows), "every token has the name of its row"


@pytest.mark.parametrize("spec", EXPLORING, ids=lambda spec: spec.key)
def test_one_picture_has_the_screen_and_its_words_are_large(spec, projected, monkeypatch):
    room = projected.open_room(spec.key)
    small, low = {}, {}
    for key in spec.view_keys:
        open_view(room, key)
        wait_until(lambda: is_drawn(projected))
        handle_events()
        written = sizes_written(projected, monkeypatch)
        if found := {text for text, size in written.items() if size < theme.LEAST_PROJECTED_PX}:
            small[key] = found
        share = max(seen(card, projected) for card in pictures(room)) / SCREEN
        if share < (LEAST_OF_THREE if key == "attribution" else LEAST_SHARE):
            low[key] = round(share, 2)
    assert (small, low) == ({}, {})


def test_the_header_is_one_line_and_the_list_of_lessons_fits(projected):
    bar = projected.frame.title_bar
    assert bar.height() <= 60 and projected.frame.sentences.height() <= bar.height()
    menu = QMenu(projected)
    fill_commands(projected, menu)
    lessons = next(one.menu() for one in menu.actions() if one.text() == "Lessons")
    assert lessons.sizeHint().height() <= SIZE.height()


def test_words_of_the_rail_end_above_the_edge_of_their_button(projected):
    for button in projected.frame.findChildren(RoomButton):
        image = button.grab().toImage()
        lowest = {image.pixel(x, image.height() - 2) for x in range(image.width() // 4, image.width() * 3 // 4)}
        assert len(lowest) == 1, button.text()


def choose(window, titles):
    """With the mouse, in the menu of all commands."""
    icons = {one.accessibleName(): one for one in window.frame.title_bar.findChildren(IconButton)}
    in_bar = [one for one in window.frame.title_bar.findChildren(MenuButton) if one.text() == titles[0]]
    in_bar = [] if "More" in titles else in_bar
    shown, titles = (in_bar[0], titles[1:]) if in_bar else (icons["All commands"], titles)
    QTest.mouseClick(shown, Qt.MouseButton.LeftButton)
    menu = shown.findChild(QMenu)
    for title in titles:
        wait_until(lambda menu=menu: menu.isVisible())
        action = next(one for one in menu.actions() if one.text().startswith(title))
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())
        menu = action.menu()


def test_lessons_and_what_is_compared_are_chosen_with_the_mouse(projected, model_folder):
    choose(projected, ["Lessons", "5. "])
    player = projected.lessons.player
    assert player.lesson.file.name == "05-the-masked-word.md"
    settle(projected)
    choose(projected, ["Lessons", "More", "Close the lesson"])
    assert not projected.lessons.is_open
    projected.services.settings.recent_models = [str(model_folder)]
    choose(projected, ["Compare", "Another model", TINY])
    assert projected.state.baseline == OtherModel(TINY)
    settle(projected)
    choose(projected, ["Compare", "End the comparison"])
    assert projected.state.baseline is None


def test_tabs_are_whole_beside_the_slider(projected):
    """While two texts are compared there are two more tabs."""
    room = projected.open_room("layers")

    def lines():
        beside = set()
        for key in ("hidden", "paths", "swap", "apart", "steps"):
            room.open_view(key)
            settle(projected)
            assert room.tabs.width() >= room.tabs.sizeHint().width()
            if room.slider.isVisible():
                beside.add(room.slider.y() < room.tabs.geometry().bottom())
        return beside

    assert lines() == {True}
    projected.state.set_baseline(OtherText("The dog sat on the mat.", ""))
    assert lines() == {True}


def test_side_cards_fold_away_and_come_back_at_a_click(projected):
    shown_room(projected, "predict")
    folded = projected.frame.findChildren(FoldingCard)
    fold = next(one for one in folded if one.tab.isVisible())
    assert not fold.card.isVisible()
    before = fold.width()
    QTest.mouseClick(fold.tab, Qt.MouseButton.LeftButton)
    wait_until(lambda: fold.card.isVisible() and fold.width() > before)
    QTest.mouseClick(fold.tab, Qt.MouseButton.LeftButton)
    wait_until(lambda: fold.width() == before)


def test_a_card_takes_the_place_of_the_picture_where_there_is_no_room_for_both(projected):
    view = projected.open_room("embed").open_view("what_if")
    settle(projected)
    fold = next(one for one in view.findChildren(FoldingCard) if one.tab.isVisible())
    shown = [one for one in pictures(view) if not fold.isAncestorOf(one)]
    QTest.mouseClick(fold.tab, Qt.MouseButton.LeftButton)
    wait_until(fold.card.isVisible)
    assert shown and not any(one.isVisible() for one in shown) and scrolled_rooms(projected) == 0
    QTest.mouseClick(fold.tab, Qt.MouseButton.LeftButton)
    wait_until(lambda: all(one.isVisible() for one in shown))


def test_models_of_two_sizes_show_the_only_picture_there_is(projected, tmp_path):
    view = projected.open_room("layers").open_view("apart")
    other = OtherModel(str(make_checkpoint(tmp_path / "m", layers=3, heads=2)))
    for baseline, is_alone in ((other, True), (OtherText("The dog sat on the mat.", ""), False)):
        compare(projected, baseline)
        wait_until(lambda is_alone=is_alone: view.cards["cka"].isVisible() == is_alone)
        assert view.cards["distance"].isVisible() != is_alone


@pytest.mark.parametrize(("layers", "heads"), [(6, 6), (12, 12), (24, 16)])
def test_rows_of_the_map_leave_room_for_their_type(layers, heads, projected):
    """With more layers fewer words, none of them smaller."""
    view = projected.open_room("map").view
    settle(projected)
    size, least = view.map.size(), theme.type_px(10)
    names = ("token", "segment", "position", "sum")
    sizes = Sizes(size.width(), size.height(), theme.scale(), layers, heads, names, 0, least)
    plan = Plan(sizes, 32, 10)
    assert least == theme.LEAST_PROJECTED_PX and plan.row_height >= 1.2 * least and len(plan.rows) >= 8
    numbered = [(first.x(0.5) + last.x(0.5)) / 2 for first, last in plan.numbered]
    assert numbered and all(after - before >= 1.2 * least for before, after in pairwise(numbered))
