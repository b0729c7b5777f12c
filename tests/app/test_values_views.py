"""Views that say what they compute: differences, hovering, clicks, menus and files; the numbers are tested by room."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from app.figures.figure import model_hash
from app.figures.files import npz, table
from app.figures.values import Side, Values
from app.rooms.embed.strips import StripsPicture
from app.rooms.pictures import Cells, Lines, Tokens
from app.rooms.values_view import ValuesView
from app.shell.rooms import ROOMS
from app.state.baseline import OtherText
from app.state.what_if import NOTHING_CHANGED
from app.widgets.figure_button import WITHOUT_FRAMES
from tests.app.conftest import TEXT_B, compare, settle, wait_until

ONE_WORD, SHORTER = OtherText("The dog sat on the mat.", TEXT_B), OtherText("The dog sat.", TEXT_B)
NO_KEY = Qt.KeyboardModifier.NoModifier
FIGURE = [action.title for action in WITHOUT_FRAMES]


def pictures(window):
    """Each that is on show somewhere, and what it shows."""
    for room in (room for room in ROOMS if room.views):
        for spec in room.views:
            window.open_view(room.key, spec.key)
            settle(window)
            view = getattr(window.frame.room, "view", None)
            if not isinstance(view, ValuesView):
                continue
            wait_until(lambda view=view: not view.is_running and not window.services.inference.is_busy)
            if not view.shows_nothing:
                yield from ((view, one, view.shown[one.key]) for one in view.pictures if one.key in view.shown)


def begin(window, baseline):
    window.state.set_masks([3, 5])
    window.state.set_head(1, 2)
    window.state.set_focus(4)
    window.state.kept["embed.parts"] = ("cosine", False)  # the strips of all tokens
    compare(window, baseline)


def placed(array, side, axis, view):
    """Of the baseline, in our places; tokens by the alignment, all else by number."""
    if side is None or side.kind != "token":
        return array
    others = view.reading.alignment.other_positions
    rows = [np.take(array, others[at], axis) if others[at] is not None else None for at in side.numbers]
    nothing = np.full_like(np.take(array, 0, axis), np.nan)
    return np.stack([nothing if row is None else row for row in rows], axis)


@pytest.mark.parametrize("baseline", [ONE_WORD, SHORTER], ids=["one word", "shorter"])
def test_a_difference_is_now_minus_the_baseline(baseline, window):
    begin(window, baseline)
    seen = 0
    for view, picture, shown in pictures(window):
        assert (picture.key in view.differences) == (picture.subtracts and picture.is_compared)
        if picture.key not in view.differences:
            continue
        reading, selection, seen = view.reading, view.selection, seen + 1
        now, theirs = (view.values(picture.key, one, selection) for one in (reading, reading.baseline))
        before = placed(placed(theirs.array, now.rows, 0, view), now.columns, 1, view)
        np.testing.assert_allclose(np.nan_to_num(shown.array), np.nan_to_num(now.array - before), atol=1e-5)
        assert shown.low == -(shown.high or 0) < 0
        card = view.cards.get(picture.on or picture.key)
        assert "minus" in (view.caption(picture.key)["settings"] if card is None else card.hint)
    window.comparison.toggle_difference()
    assert seen and not any(view.differences for view, _, _ in pictures(window))


def test_hovering_says_what_is_there_and_is_seen_in_all_rooms(window):
    begin(window, ONE_WORD)
    for view, picture, shown in pictures(window):
        chart, said = view.charts[picture.key], list[str]()
        if not hasattr(chart, "set_hovered") or not shown.array.size:
            continue
        view.hover_text_changed.connect(said.append)
        chart.set_hovered(cell(picture, shown))
        token = next((side.number(1) for side in (shown.rows, shown.columns) if side and side.kind == "token"), None)
        assert window.state.hover == token, picture.key
        assert not picture.hovered or (said[-1] and not set("{}") & set(said[-1])), picture.key
        chart.set_hovered(None)
        assert window.state.hover is None and not any(said[-1:])


def cell(picture, shown):
    """The second row and column, as the chart calls them."""
    cells = {Cells: (1, 1), Lines: 1.0, StripsPicture: (0, 1, 1)}
    return next((found for kind, found in cells.items() if isinstance(picture, kind)), 1)


def test_a_click_selects_in_all_rooms_and_a_right_click_opens_a_menu(window):
    begin(window, ONE_WORD)
    state, clicks = window.state, set()
    for view, picture, shown in pictures(window):
        chart = view.charts[picture.key]
        if not shown.array.size:
            continue
        sides = zip((shown.columns, shown.rows), reversed(picture.place(cell(picture, shown))), strict=True)
        kinds = {side.kind: side.number(place) for side, place in sides if side and place is not None}
        if hasattr(chart, "context_menu_requested"):
            before, menus = (state.focus, state.layer, state.what_if), set(window.findChildren(QMenu))
            chart.context_menu_requested.emit(cell(picture, shown), QPoint(0, 0))
            menu = next(menu for menu in window.findChildren(QMenu) if menu not in menus)
            texts = [action.text() for action in menu.actions() if action.text()]
            assert texts[-len(FIGURE) :] == FIGURE and ("token" in kinds) == any("Copy “" in text for text in texts)
            menu.close()
            assert (state.focus, state.layer, state.what_if) == before
        chart.clicked.emit(*((1.0,) if isinstance(picture, Lines) else (cell(picture, shown), NO_KEY)))
        stage = kinds.get("stage", kinds["layer"] + 1 if "layer" in kinds and "head" not in kinds else None)
        for wanted, now in ((kinds.get("token"), state.focus), (stage, state.selection.stage)):
            assert wanted in (None, now), (picture.key, kinds)
        assert "head" not in kinds or (state.layer, state.head) == (kinds["layer"], kinds["head"])
        clicks |= set(kinds)
        state.set_what_if(NOTHING_CHANGED)
        settle(window)
    assert {"token", "stage", "layer", "head"} <= clicks


def test_every_card_gives_its_picture_and_its_numbers(window):
    begin(window, ONE_WORD)
    for view, picture, shown in pictures(window):
        figure = None if picture.on else view.figure_of(picture.key)
        if picture.on or not np.isfinite(shown.array).any():
            continue
        assert figure.numbers and figure.picture.width, picture.key
        assert model_hash(window.state.model.folder) in figure.caption
        assert len(npz(figure)) and table(figure).count("\n") > 3


def test_tokens_are_coloured_by_their_value_or_by_how_it_differs(qtbot):
    picture = Tokens(key="bits", title="Bits", name="Bits of each token", number="surprise", least_change=2.0)
    chart = picture.make()
    qtbot.addWidget(chart)
    side = Side("token", ["the", "cat", "sat"], ["segment_a"] * 3, [1, 2, 3])
    ours, theirs = Values(np.array([4.0, np.nan, 1.0]), side, low=0, high=8), Values(np.array([3.0, 5.0, np.nan]), side)
    for baseline, is_difference, values, texts in (
        (None, False, [0.5, None, 0.125], ["4.00", "", "1.00"]),
        (theirs, False, [0.5, None, 0.125], ["3.00 → 4.00", "", "1.00"]),
        (theirs, True, [0.5, None, None], ["3.00 → 4.00", "", "1.00"]),
    ):
        shown = picture.show(chart, ours, baseline, is_difference=is_difference)
        assert [token.value for token in chart.tokens] == values and [token.number for token in chart.tokens] == texts
        assert shown.range == ((-2.0, 2.0) if is_difference else (0, 8))
