"""Pictures and widgets by themselves."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from app.figures.figure import Figure, picture_of
from app.look import theme
from app.rooms.attend.atlas import HeadAtlas
from app.rooms.attend.head_panels import HeadLinks
from app.rooms.attend.matrix_view import AttentionGrid
from app.rooms.embed.embedding_parts import EmbeddingPart
from app.rooms.embed.strips import Strips
from app.widgets.card import AsHighAsNeeded, Hint, label, scrolled
from app.widgets.charts.bars import Bar, BarList
from app.widgets.charts.cells import Labels
from app.widgets.charts.raster import Raster, color_limit
from app.widgets.curve_plot import CurvePlot
from app.widgets.curve_specs import CurveSpec, PlotSpec
from app.widgets.folding_card import FoldingCard
from app.widgets.layouts import hbox, vbox
from app.widgets.linked_text import LinkedText
from app.widgets.scatter import Points, Scatter, place_names
from app.widgets.table import RowList
from app.widgets.token_strip import MOST_LINES, Chip, ChipField, TokenStrip
from tests.app.conftest import click, handle_events, placed, press, wait_until, words_of
from tests.app.layout_check import faults


@pytest.mark.parametrize(
    ("values", "side", "expected"),
    [
        # Beyond the range a value has the end's colour; nothing is smoothed between two of them.
        ([[0, 1], [0.5, 2]], 40, {(5, 5): 0, (35, 5): 255, (5, 35): 128, (35, 35): 255, (19, 5): 0}),
        ([[0] * 5, [1] * 5, [0] * 5], 30, {(28, 5): 0, (28, 15): 255}),  # rows of an odd width stay apart
    ],
)
def test_a_raster_paints_every_value_as_a_block_of_its_colour(values, side, expected):
    image, table = painted(Raster(np.array(values, dtype=float), 0, 1), side), theme.sequential_table()
    assert {at: image.pixelColor(*at).rgb() for at in expected} == {at: table[n] for at, n in expected.items()}


def test_signed_zero_is_the_middle_colour_in_both_themes(qapp):
    raster = Raster(np.array([[-1.0, 0.0, 1.0]]), -1, 1, signed=True)
    assert painted(raster, 30).pixelColor(15, 15).lightness() > 250
    theme.apply(qapp, "dark")
    middle = QColor(theme.DARK.diverging[3] or "")
    assert abs(painted(raster, 30).pixelColor(15, 15).lightness() - middle.lightness()) < 4


def painted(raster, side):
    image = QImage(side, side, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    raster.paint(painter, QRectF(image.rect()))
    painter.end()
    return image


def chips(count):
    return [Chip(f"word{i}", i, 0, "segment_a", str) for i in range(count)]


def test_many_tokens_wrap_and_scroll(qtbot):
    strip = placed(TokenStrip(), qtbot, 600, 40)
    strip.set_chips(chips(3))
    one_line = strip.height()
    strip.set_chips(chips(300))
    assert strip.height() <= MOST_LINES * one_line + 20
    assert strip.field.height() > strip.height()
    assert all(strip.field.rect_of(i).right() <= strip.field.width() for i in range(300))
    bar = strip.verticalScrollBar()
    for clicked in (299, 298):
        strip.set_selection(clicked, clicked)
        assert bar.value() > 0
        bar.setValue(0)
        for hovered in (2, 3, clicked):  # at last the mouse has left the strip: no way back to the clicked one
            strip.set_selection(hovered, clicked)
            assert bar.value() == 0
    strip.set_selection(1, None)
    strip.set_selection(298, 298)
    assert bar.value() > 0


def test_a_click_on_a_chip_names_its_position_and_arrows_move_on(qtbot):
    strip = placed(TokenStrip(), qtbot, 300, 40)
    strip.set_chips(chips(20))
    for position in (0, 7):
        with qtbot.waitSignal(strip.field.clicked) as caught:
            click(strip.field, strip.field.rect_of(position))
        assert caught.args == [position, Qt.KeyboardModifier.NoModifier]
    with qtbot.waitSignal(strip.field.moved) as caught:
        press(strip.field, "Left")
    assert caught.args == [-1]


def test_only_clickable_bars_answer(qtbot):
    for clickable in (True, False):
        bars = placed(BarList("bars", clickable=clickable), qtbot, 200, 66)
        bars.set_bars([Bar("a", "0.5", 0.5), Bar("b", "0.2", 0.2), Bar("c", "0.1", 0.1)])
        clicked = []
        bars.clicked.connect(lambda row, _keys, clicked=clicked: clicked.append(row))
        click(bars, bars.row_rect(1))
        assert clicked == ([1] if clickable else [])


def test_a_chart_asks_the_layout_around_for_the_room_that_its_values_need(qtbot):
    bars, area = BarList("bars"), QWidget()
    layout = vbox(bars, None, parent=area)
    placed(area, qtbot, 300, 400)
    for count in (8, 3):
        bars.set_bars([Bar("word", "0.5", 0.5)] * count)
        layout.activate()
        assert bars.height() == bars.sizeHint().height() == round(bars.row_rect(count - 1).bottom())


@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (4, 4), (12, 12), (24, 16)])
def test_the_atlas_finds_every_head(layers, heads, qtbot):
    atlas = placed(HeadAtlas(), qtbot, 290, 600)
    atlas.set_heads(np.random.default_rng(0).random((layers, heads, 20, 20), dtype=np.float32))
    assert atlas.cell_rect(layers - 1, heads - 1).right() <= 290
    for spot in ((0, 0), (layers - 1, heads - 1), (layers // 2, heads // 2)):
        with qtbot.waitSignal(atlas.clicked) as caught:
            click(atlas, atlas.cell_rect(*spot))
        assert caught.args[0] == spot


def test_the_atlas_is_the_heads_in_their_places(qtbot):
    thumbnails = np.zeros((2, 3, 4, 4), dtype=np.float32)
    thumbnails[1, 2, 0, 3] = 0.5
    atlas = placed(HeadAtlas(), qtbot, 290, 200)
    atlas.set_heads(thumbnails)
    image = atlas.grab().toImage()
    for head, level in ((2, 255), (1, 0)):
        cell = atlas.cell_rect(1, head)
        seen = image.pixelColor(round(cell.right() - cell.width() / 8), round(cell.y() + cell.height() / 8))
        assert seen == QColor.fromRgb(theme.sequential_table()[level])


@pytest.mark.parametrize("width", [200, 281, 287, 300, 333])
def test_no_head_shows_a_sliver_of_its_neighbour(width, qtbot):
    thumbnails = np.zeros((3, 4, 15, 15), dtype=np.float32)
    thumbnails[1, 1] = 1
    atlas = placed(HeadAtlas(), qtbot, width, 400)
    atlas.set_heads(thumbnails)
    atlas.set_selected(2, 3)
    image = atlas.grab().toImage()
    for spot in ((1, 0), (1, 2), (0, 1), (2, 1)):
        cell = atlas.cell_rect(*spot).toRect()
        across = [image.pixelColor(x, cell.center().y()) for x in range(cell.left(), cell.right() + 1)]
        down = [image.pixelColor(cell.center().x(), y) for y in range(cell.top(), cell.bottom() + 1)]
        assert min(color.lightness() for color in across + down) > 150  # the neighbour is the darkest blue


@pytest.mark.parametrize("size", [1, 16, 512])
def test_the_head_view_knows_the_square_under_the_mouse(size, qtbot):
    view = placed(AttentionGrid("one head"), qtbot, 640, 600)
    view.set_matrix(np.full((size, size), 1 / size, dtype=np.float32), Labels(["token"] * size, ["special"] * size))
    rect, cell = view.grid_rect(), view.grid_rect().width() / size
    row, column = size - 1, size // 2
    with qtbot.waitSignal(view.hovered) as caught:
        spot = QPointF(rect.x() + (column + 0.5) * cell, rect.y() + (row + 0.5) * cell)
        QTest.mouseMove(view, spot.toPoint())
    assert abs(caught.args[0][0] - row) <= 1 and abs(caught.args[0][1] - column) <= 1


def test_strips_tell_part_token_and_dimension(qtbot):
    strips = placed(Strips("Strips"), qtbot, 700, 400)
    strips.set_parts([EmbeddingPart("any", values=np.zeros((4, 8), dtype=np.float32))] * 5, 1.0, 1.0)
    rect = strips.strip_rect(3)
    with qtbot.waitSignal(strips.hovered) as caught:
        QTest.mouseMove(strips, QPointF(rect.x() + rect.width() * 0.99, rect.y() + rect.height() * 0.3).toPoint())
    assert caught.args == [(3, 1, 7)]


def test_names_on_the_map_never_cover_each_other():
    generator = np.random.default_rng(0)
    spots = [QPointF(x, y) for x, y in generator.uniform(20, 280, (60, 2))]
    area = QImage(300, 300, QImage.Format.Format_RGB32).rect()
    places = list(place_names(spots, ["word"] * 60, area, 5).values())
    assert len(places) > 10
    for i, place in enumerate(places):
        assert not any(place.intersects(other) for other in places[:i])


def test_color_limit_is_not_drawn_out_by_one_value():
    values = np.full((50, 100), 0.1)
    values[0, 0] = 50.0
    assert color_limit([values]) == pytest.approx(0.1)


def test_a_part_asks_for_space_only_when_another_height_is_needed(qtbot):
    column, asked = QWidget(), []
    text = label("short", wrap=True)
    part = AsHighAsNeeded(text)
    vbox(part, None, parent=column)
    placed(column, qtbot, 200, 300)
    handle_events()
    one_line = part.height()
    assert text.size() == part.size() and one_line >= text.fontMetrics().height()

    class Heard(QObject):
        def eventFilter(self, watched, event):
            asked.append(event.type()) if event.type() == QEvent.Type.LayoutRequest else None
            return False

    heard = Heard()
    column.installEventFilter(heard)
    text.setText("other")
    handle_events()
    assert asked == [] and part.height() == one_line
    text.setText("words that take more than the one line there is " * 3)
    handle_events()
    assert asked and part.height() >= 3 * text.fontMetrics().height() and text.size() == part.size()
    text.hide()
    handle_events()
    assert part.height() == 0


def test_hint_keeps_its_place_whatever_it_says(qtbot):
    hint = placed(Hint("a few words"), qtbot, 200, 20)
    before = hint.sizeHint()
    hint.setText("many words " * 30)
    assert hint.sizeHint() == before and hint.minimumSizeHint().width() == 0
    assert hint.text() == hint.toolTip() == hint.accessibleName() == "many words " * 30


def test_hint_says_nothing_rather_than_half_a_word(qtbot):
    hint, empty = (placed(Hint(text), qtbot, 30, 20) for text in ("This sum is all the model knows", ""))
    for width, is_empty in ((30, True), (120, False)):
        for one in (hint, empty):
            one.resize(width, 20)
        assert (pixels(hint) == pixels(empty)) == is_empty


def pixels(widget):
    image = widget.grab().toImage()
    return bytes(image.constBits())


def test_kept_chip_pictures_are_those_of_the_chips(qapp, qtbot):
    """A chip that stands where another stood, is chosen, or is seen in another theme is drawn anew."""
    field = placed(ChipField(), qtbot, 300, 60)
    chip = Chip("cat", 7, 0, "segment_a", lambda: "")
    seen = []
    for change in (
        lambda: field.set_chips([chip]),
        lambda: field.set_chips([replace(chip, token_id=8)]),
        lambda: field.set_chips([replace(chip, token_id=8, kind="mask")]),
        lambda: field.set_selection(0, None),
        lambda: field.set_selection(0, 0),
        lambda: theme.apply(qapp, "dark"),
    ):
        change()
        seen.append(pixels(field))
    assert len(set(seen)) == len(seen)
    field.set_chips([chip])
    field.set_selection(None, None)
    theme.apply(qapp, "light")
    assert pixels(field) == seen[0]


def written(*widgets):
    """The words in their picture."""
    return words_of(Figure("", picture_of(widgets), {}, "", ""))


def test_a_point_without_room_is_named_while_the_mouse_is_at_it_or_it_is_selected(qtbot):
    picture = placed(Scatter("points"), qtbot, 300, 200)
    names = [f"word{number:02}" for number in range(30)]
    grid = np.array([(x, y) for x in range(6) for y in range(5)]) * 0.01
    picture.set_points(Points(np.vstack([grid, [[1.0, 1.0]]]), [*names, "far"], ["segment_a"] * 31))
    unnamed = [point for point, name in enumerate(names) if name not in written(picture)]
    assert unnamed
    picture.set_hovered(unnamed[0])
    assert names[unnamed[0]] in written(picture)
    picture.set_hovered(None)
    assert names[unnamed[0]] not in written(picture)
    picture.set_selected([unnamed[0]])
    assert names[unnamed[0]] in written(picture)


def test_paths_are_named_where_they_end_too(qtbot):
    picture = placed(Scatter("paths"), qtbot, 600, 400)
    places = np.array([[[0.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 1.0]]])  # (2,2,2): two points at two stages
    picture.set_points(Points(places, ["one", "two"], ["segment_a"] * 2))
    assert sorted(written(picture)) == ["one", "one", "two", "two"]
    picture.set_stage(1)
    assert sorted(written(picture)) == ["one", "two"], "there they stand"


def test_a_long_number_behind_the_longest_bar_is_whole(qtbot):
    bars = placed(BarList("bars"), qtbot, 260, 30)
    bars.set_bars([Bar("feed-forward", "56.7 M · 52%", 1.0)])
    assert faults(bars) == []


def test_bars_of_a_whole_have_one_scale_whatever_stands_behind_them(qtbot):
    ends = []
    for mark in ("", "vs 93%"):
        bars = placed(BarList("bars", of_whole=True), qtbot, 500, 60)
        bars.set_bars([Bar("no", "34%", 0.34, mark=mark, before=0.93 if mark else None), Bar("yes", "66%", 0.66)])
        seen, y = bars.grab().toImage(), round(bars.row_rect(1).center().y())
        track = theme.color("track").rgb()
        ends.append(max(x for x in range(seen.width()) if seen.pixel(x, y) == track))
        assert bars.accessibleDescription().startswith(f"no 34%  {mark}".strip())
    assert ends[0] == ends[1]


def test_the_uppermost_line_of_a_plot_has_its_number(qtbot):
    spec = PlotSpec("Length", (CurveSpec("one", "one", "curve_train"),), "length", includes_zero=True)
    plot = placed(CurvePlot(spec), qtbot, 600, 460)
    plot.set_points({"one": (np.arange(6), np.array([18.0, 6.0, 7.0, 5.0, 38.1, 32.5]))}, list("123456"))
    wait_until(lambda: plot.is_loaded)
    handle_events()
    assert {"0", "20", "40"} <= set(written(plot))


@pytest.mark.parametrize("align", [theme.LEFT, Qt.AlignmentFlag.AlignBottom, Qt.AlignmentFlag.AlignTop])
def test_letters_are_whole_in_a_row_that_is_lower_than_their_line(align):
    def ink_rows(height):
        image = QImage(100, 100, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        theme.draw_text(painter, QRectF(10, 40, 80, height), "Play", "ink", 14, align=align)
        painter.end()
        return sum(any(image.pixelColor(x, y) != QColor("white") for x in range(100)) for y in range(100))

    assert ink_rows(8) == ink_rows(40)


def test_one_of_two_cards_beside_a_picture_is_open_at_a_time_unless_one_does_not_fold(qtbot):
    row, parts = QWidget(), [FoldingCard(QLabel(name), name) for name in ("left", "right")]
    qtbot.addWidget(row)
    hbox(*parts, parent=row)

    def are_open():
        return [not part.card.isHidden() for part in parts]

    left, right = parts
    right.set_foldable(True)
    assert are_open() == [True, False]
    right.unfold()
    assert are_open() == [True, True]
    left.set_foldable(True)
    right.fold()
    assert are_open() == [False, False]
    left.unfold()
    assert are_open() == [True, False]
    right.tab.click()
    assert are_open() == [False, True]


def test_a_card_takes_the_picture_s_place_only_where_there_is_no_room_for_both(qtbot):
    """And then all of it, however wide the card may be beside the picture."""
    row, picture, cards = QWidget(), QLabel(), [QLabel(name) for name in ("left", "right")]
    for one, least in ((picture, 200), *((card, 300) for card in cards)):
        one.setMinimumWidth(least)
    cards[0].setMaximumWidth(300)
    left, right = (FoldingCard(card, card.text()) for card in cards)
    qtbot.addWidget(row)
    hbox(left, (picture, 1), right, parent=row)
    row.resize(620, 400)
    row.show()
    left.set_foldable(True)
    left.unfold()
    assert picture.isHidden()
    right.set_foldable(True)
    assert not picture.isHidden() and cards[0].maximumWidth() == 300, "the other card has made room"
    right.unfold()
    right.fold()
    picture.setMinimumWidth(500)
    left.unfold()
    assert picture.isHidden()
    qtbot.waitUntil(lambda: cards[0].width() > 500)
    left.fold()
    assert not picture.isHidden() and cards[0].maximumWidth() == 300


class Names(RowList):
    row_px = 30

    def __init__(self):
        super().__init__("Names")
        self.painted = {}

    def row_text(self, row):
        return row

    def row_tip(self, row):
        return f"<b>{row}"

    def paint_row(self, painter, box, row, state):
        self.painted[row] = box.top()


def test_rows_are_chosen_by_mouse_and_keys(qtbot):
    names, chosen, menus = Names(), list[str](), list[str]()
    qtbot.addWidget(names)
    names.row_chosen.connect(chosen.append)
    names.row_menu_requested.connect(lambda row, _at: menus.append(row))
    names.set_rows(["one", "two", "three"])
    names.show()
    assert names.sizeHint().height() == names.minimumHeight() == 90, "it is as high as its rows: nothing scrolls in it"
    names.set_current(0)
    assert chosen == [], "only a person chooses"
    middle = names.row_rect(2).center().toPoint()
    qtbot.mouseClick(names.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseClick(names.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Return, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(names, key)
    assert chosen == ["three", "three", "two", "two", "three"]
    for reason, at in ((QContextMenuEvent.Reason.Mouse, QPoint(5, 5)), (QContextMenuEvent.Reason.Keyboard, QPoint())):
        QApplication.sendEvent(names.viewport(), QContextMenuEvent(reason, at, at))
    assert menus == ["one", "three"]


def test_rows_are_drawn_and_read_as_they_are_now(qtbot):
    names = Names()
    qtbot.addWidget(names)
    names.set_rows(["one", "two"])
    names.show()
    handle_events()
    names.grab()
    assert names.painted == {"one": 0, "two": 30}
    names.set_rows(["one", "three"])
    names.grab()
    data = names.model().index(1, 0).data
    assert names.painted["three"] == 30 and data() == "three" and data(Qt.ItemDataRole.UserRole) == "three"
    assert "&lt;b&gt;three" in data(Qt.ItemDataRole.ToolTipRole), "a name is no markup"


LINES = "\n".join(f"line {number} of these words" for number in range(30))


@pytest.mark.parametrize("kind", ["plain", "linked", "links", "bars", "buttons"])
def test_the_lower_edge_is_between_two_lines(kind, qtbot):
    inside, links, bars = QWidget(), HeadLinks("Heads"), BarList("Bars")
    links.show_rows([(f"kind {row}", [((row, head), "0.5") for head in range(12)], "") for row in range(6)])
    bars.set_bars([Bar(f"word {row}", "0.5", 0.5) for row in range(20)])
    parts = {
        "plain": [label(LINES, wrap=True)],
        "linked": [LinkedText("The attention of a head says where a token looks. " * 30)],
        "links": [links],
        "bars": [bars],
        "buttons": [QPushButton(f"Button {number}") for number in range(12)],
    }
    vbox(*parts[kind], None, parent=inside)
    area = placed(scrolled(inside), qtbot, 260, 200)
    wait_until(lambda: area.verticalScrollBar().maximum() > 0)
    heights = set()
    for height in range(150, 190, 3):
        area.resize(260, height)
        for value in (0, 13, 40):
            area.verticalScrollBar().setValue(value)
            handle_events()
            edge = area.verticalScrollBar().value() + area.viewport().height()
            assert not _cuts_ink(inside, edge), (height, value)
        heights.add(area.viewport().height())
    assert len(heights) > 1  # line by line, it shows more in a higher window


def test_at_the_end_everything_is_seen(qtbot):
    inside = QWidget()
    last = QLabel("the last line")
    vbox(label(LINES, wrap=True), last, parent=inside)
    area = placed(scrolled(inside), qtbot, 260, 173)
    bar = area.verticalScrollBar()
    wait_until(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    handle_events()
    assert area.viewport().height() == 173 and not last.visibleRegion().isEmpty()
    assert last.visibleRegion().boundingRect().height() == last.height()
    area = placed(scrolled(label("one line")), qtbot, 260, 173)  # what fits is left alone
    handle_events()
    assert area.viewport().height() == 173


def _cuts_ink(content, y):
    """Whether something is drawn across the line between two rows of pixels."""
    picture = content.grab().toImage()
    if y >= picture.height():
        return False
    empty = picture.pixel(picture.width() - 1, y)
    return any(picture.pixel(x, y - 1) != empty != picture.pixel(x, y) for x in range(picture.width()))
