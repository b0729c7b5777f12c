"""Colours, sizes and fonts of the window: one set of names, a light and a dark value for each.

How a widget uses it:

    from app.look import theme
    painter.setPen(theme.color("muted"))       a QColor of the theme in use (names: the fields of Theme)
    painter.setFont(theme.font(12, bold=True)) the program's font, pixel size before projector scaling
    layout.setSpacing(theme.px(8))             a length, scaled in projector mode
    colors = theme.sequential_table()          256 colours for QImage.setColorTable or a pyqtgraph LUT

Read colours when painting, never keep them: when the theme changes, `apply` gives the application a new palette, Qt
sends every widget a PaletteChange event and repaints it. A widget that hands colours to somebody else (a pyqtgraph pen)
overrides `changeEvent` and sets them again on `QEvent.Type.PaletteChange`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPaintDevice, QPainter, QPalette
from PySide6.QtWidgets import QApplication

from bertcore.garbage_collection import no_garbage_collection

from . import fonts

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
PROJECTOR_SCALE, LARGE_SCALE = 1.5, 1.25
LARGE_WIDTH, LARGE_HEIGHT = 2200, 1200  # pixels of a window; from here on type and pictures grow


def _pair(light: Any, dark: Any) -> Any:
    """A field of Theme with its value in either theme."""
    return field(metadata={"light": light, "dark": dark})


@dataclass(frozen=True)
class Theme:
    """One colour for each role. A `*_tint` is the quiet background that goes with the strong colour of that name."""

    name: str
    window: str = _pair("#f6f7f9", "#11151b")  # behind the cards
    card: str = _pair("#ffffff", "#191f27")
    line: str = _pair("#e1e5ea", "#2c343f")  # card edges, separators, grid lines
    field: str = _pair("#ffffff", "#12171e")  # behind text that can be edited
    track: str = _pair("#eceef1", "#2a313b")  # the empty part of a bar
    hover: str = _pair("#f1f4f8", "#232b35")  # a button or row under the mouse
    ink: str = _pair("#1b2430", "#e7ebf0")
    muted: str = _pair("#5f6975", "#9ba6b3")
    faint: str = _pair("#98a1ac", "#6d7885")  # hints, disabled text
    accent: str = _pair("#0b6bcb", "#4f9fe8")
    accent_tint: str = _pair("#e7f1fb", "#1a3148")
    on_accent: str = _pair("#ffffff", "#07131f")  # text on the accent
    segment_a: str = _pair("#00568a", "#8fcaf3")
    segment_a_tint: str = _pair("#e3f0f9", "#16344a")
    segment_b: str = _pair("#a34700", "#ffb682")
    segment_b_tint: str = _pair("#fdeadd", "#48291a")
    special: str = _pair("#4b5563", "#b7c0ca")
    special_tint: str = _pair("#eceef1", "#2a313b")
    mask: str = _pair("#8e2e66", "#f2a5d1")
    mask_tint: str = _pair("#f9e6f1", "#48203a")
    bar: str = _pair("#9ec5ef", "#3a6795")  # the plain bar of a bar list
    bar_strong: str = _pair("#0072b2", "#56b4e9")  # the bar of what is being looked at
    good: str = _pair("#009e73", "#1fb58a")  # "the word that was there", a run that is done
    good_text: str = _pair("#007a59", "#3fd0a5")
    warn: str = _pair("#e69f00", "#e6ab2e")  # paused
    bad: str = _pair("#d55e00", "#f0824a")  # failed
    bad_text: str = _pair("#a84a00", "#f79260")
    bad_tint: str = _pair("#fdeadd", "#43281a")
    good_tint: str = _pair("#e2f4ee", "#153a30")
    dim: str = _pair("#1b2430", "#000000")  # over what a lesson does not talk about
    curve_train: str = _pair("#0072b2", "#56b4e9")
    curve_held_out: str = _pair("#d55e00", "#f0824a")
    curve_mlm: str = _pair("#009e73", "#1fb58a")
    curve_nsp: str = _pair("#cc79a7", "#dd93bd")
    curve_rate: str = _pair("#66707d", "#9ba6b3")
    curve_norm: str = _pair("#e69f00", "#e6ab2e")
    # attention, probability: low to high
    sequential: tuple[str, ...] = _pair(
        ("#f7fbff", "#d3e4f3", "#9dc8e4", "#5aa4d0", "#2b78b8", "#0f4c94", "#08255c"),
        ("#171d25", "#15304b", "#174b78", "#2270ab", "#4699d3", "#8cc7ee", "#eef8ff"),
    )
    # signed values: negative, zero in the middle, positive
    diverging: tuple[str, ...] = _pair(
        ("#0f3f8c", "#2f79bd", "#8fbbdd", "#ffffff", "#eba59b", "#cc4a4c", "#8f0f26"),
        ("#b9dcf8", "#5ba8e0", "#2b5f92", "#1b2129", "#93453f", "#e0706a", "#ffcfc4"),
    )


def _theme(name: str) -> Theme:
    return Theme(name, **{one.name: one.metadata[name] for one in fields(Theme) if one.metadata})


LIGHT, DARK = _theme("light"), _theme("dark")
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}

# The look is one for the whole program, as QApplication's own palette and font are; `apply` is the only writer.
_active = LIGHT
_scale = 1.0


def active() -> Theme:
    """The theme in use."""
    return _active


def scale() -> float:
    """What all lengths and type are multiplied by: 1.0, more in a large window, 1.5 in projector mode."""
    return _scale


def is_projector() -> bool:
    """Everything is so large that there is room for the main thing only."""
    return _scale >= PROJECTOR_SCALE


@contextmanager
def on_paper() -> Iterator[None]:
    """Light and unscaled meanwhile, for what is drawn to be printed. Only where no event is handled inside."""
    global _active, _scale
    before = _active, _scale
    _active, _scale = LIGHT, 1.0
    try:
        yield
    finally:
        _active, _scale = before


def scale_for(width: int, height: int, projector: bool) -> float:
    """The scale for a window of this size, in pixels."""
    if projector:
        return PROJECTOR_SCALE
    return LARGE_SCALE if width >= LARGE_WIDTH and height >= LARGE_HEIGHT else 1.0


def color(name: str, alpha: int = 255) -> QColor:
    """The colour of that name in the theme in use; `alpha` 0 (clear) to 255."""
    made = QColor(getattr(_active, name))
    made.setAlpha(alpha)
    return made


def px(length: float) -> int:
    """A length in pixels, scaled in projector mode."""
    return round(length * _scale)


def column_px(width: float) -> int:
    """The width of a side column: in projector mode it grows less than the text, the screen stays as it is."""
    return round(width * (1 + (_scale - 1) * 0.28))


def font(size_px: float = fonts.BODY_PX, *, bold: bool = False, medium: bool = False) -> QFont:
    """The program's font; `size_px` is scaled in projector mode."""
    weight = QFont.Weight.Bold if bold else QFont.Weight.Medium if medium else QFont.Weight.Normal
    return fonts.font(size_px * _scale, weight)


def painter(widget: QPaintDevice) -> QPainter:
    """A painter on a widget, for smooth edges."""
    made = QPainter(widget)
    made.setRenderHint(QPainter.RenderHint.Antialiasing)
    return made


def draw_text(
    painter: QPainter,
    box: QRectF,
    text: str,
    color_name: str,
    size_px: float = 12,
    *,
    align: Qt.AlignmentFlag = LEFT,
    bold: bool = False,
    medium: bool = False,
) -> None:
    """A line of text, which ends in … where the box has no room for all of it."""
    painter.setFont(font(size_px, bold=bold, medium=medium))
    painter.setPen(color(color_name))
    cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
    painter.drawText(box, align, cut)


def sequential_table() -> list[int]:
    """256 ARGB numbers for values that start at zero: attention, probability."""
    return _rgb_table(_active.sequential)


def diverging_table() -> list[int]:
    """256 ARGB numbers for signed values, zero in the middle."""
    return _rgb_table(_active.diverging)


def sequential_color(fraction: float) -> QColor:
    """The colour of a fraction 0..1 on the sequential scale."""
    return QColor.fromRgb(sequential_table()[min(max(round(fraction * 255), 0), 255)])


def diverging_color(fraction: float) -> QColor:
    """The colour of a fraction -1..1 on the signed scale."""
    return QColor.fromRgb(diverging_table()[min(max(round((fraction + 1) * 127.5), 0), 255)])


LEAST_CONTRAST = 4.5  # of text on its background (WCAG 2.1, level AA)


def contrast(one: QColor, other: QColor) -> float:
    """From 1 (the same brightness) to 21 (black on white), as WCAG 2.1 measures it."""
    low, high = sorted((_luminance(one.rgb()), _luminance(other.rgb())))
    return (high + 0.05) / (low + 0.05)


def ink_on(fill: QColor) -> QColor:
    """What can be read on a filled cell: the ink of one of the themes, or black or white where neither has contrast."""
    return QColor(_ink_on(fill.rgb()))


@cache
def _ink_on(fill: int) -> str:
    color = QColor.fromRgb(fill)
    for inks in ((LIGHT.ink, DARK.ink), ("#000000", "#ffffff")):
        best = max(inks, key=lambda ink: contrast(QColor(ink), color))
        if contrast(QColor(best), color) >= LEAST_CONTRAST:
            return best
    return best


@cache
def _luminance(rgb: int) -> float:
    def linear(byte: int) -> float:
        share = byte / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(rgb >> 16 & 255) + 0.7152 * linear(rgb >> 8 & 255) + 0.0722 * linear(rgb & 255)


@cache
def _rgb_table(stops: tuple[str, ...]) -> list[int]:
    colors = [QColor(stop) for stop in stops]
    table = []
    for i in range(256):
        whole, part = divmod(i / 255 * (len(colors) - 1), 1)
        low, high = colors[int(whole)], colors[min(int(whole) + 1, len(colors) - 1)]
        ends = ((low.red(), high.red()), (low.green(), high.green()), (low.blue(), high.blue()))
        red, green, blue = (round(a + (b - a) * part) for a, b in ends)
        table.append(0xFF000000 | red << 16 | green << 8 | blue)
    return table


def apply(app: QApplication, name: str, scale: float = 1.0) -> None:
    """Puts a theme on the whole program: palette, font and style sheet; every widget repaints.

    scale: of lengths and type, see `scale_for`; widgets made before keep the lengths that they were made with.
    """
    global _active, _scale
    _active, _scale = THEMES[name], scale
    with no_garbage_collection():  # else widgets could be freed while Qt goes through all there are
        app.setFont(font())
        app.setPalette(_palette(_active))
        app.setStyleSheet(stylesheet(_active, _scale))


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for which, value in {
        role.Window: theme.window,
        role.WindowText: theme.ink,
        role.Base: theme.field,
        role.AlternateBase: theme.hover,
        role.Text: theme.ink,
        role.Button: theme.card,
        role.ButtonText: theme.ink,
        role.BrightText: theme.bad,
        role.PlaceholderText: theme.faint,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.ToolTipBase: theme.card,
        role.ToolTipText: theme.ink,
        role.Link: theme.accent,
        role.Mid: theme.line,
    }.items():
        palette.setColor(which, QColor(value))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(theme.faint))
    return palette


def stylesheet(theme: Theme, scale: float) -> str:
    """The style sheet of a theme; lengths are scaled by `scale`.

    Widgets ask for a look by the dynamic properties `role` and `look`.
    """

    def px(length: float) -> str:
        return f"{round(length * scale)}px"

    return f"""
QToolTip {{ background: {theme.card}; color: {theme.ink}; border: 1px solid {theme.line}; padding: {px(4)} {px(6)}; }}
QFrame[look="card"] {{ background: {theme.card}; border: 1px solid {theme.line}; border-radius: {px(10)}; }}
QFrame[look="bar"] {{ background: {theme.card}; border: none; border-bottom: 1px solid {theme.line}; }}
QFrame[look="rail"] {{ background: {theme.card}; border: none; border-right: 1px solid {theme.line}; }}
QFrame[look="status"] {{ background: {theme.card}; border: none; border-top: 1px solid {theme.line}; }}
QFrame[look="line"] {{ background: {theme.line}; border: none; }}
QFrame[look="banner"] {{ background: {theme.bad_tint}; border: 1px solid {theme.bad}; border-radius: {px(8)}; }}
QFrame[look="help"] {{ background: {theme.card}; border: none; border-left: 1px solid {theme.line}; }}
QFrame[look="task"] {{ background: {theme.hover}; border: none; border-radius: {px(8)}; }}
QFrame[look="task-done"] {{ background: {theme.good_tint}; border: none; border-radius: {px(8)}; }}
QFrame[look="palette"] {{ background: {theme.card}; border: 1px solid {theme.faint}; border-radius: {px(10)}; }}
QFrame[look="palette"] QListWidget {{ background: transparent; border: none; outline: none; }}
QTextBrowser[look="plain"] {{ background: transparent; border: none; color: {theme.ink};
    selection-background-color: {theme.accent}; selection-color: {theme.on_accent}; }}
QLabel[role="muted"] {{ color: {theme.muted}; font-size: {px(12)}; }}
QLabel[role="strong"] {{ color: {theme.ink}; font-size: {px(13)}; font-weight: bold; }}
QLabel[role="title"] {{ color: {theme.ink}; font-size: {px(12.5)}; font-weight: bold; }}
QLabel[role="brand"] {{ color: {theme.ink}; font-size: {px(16)}; font-weight: bold; }}
QLabel[role="number"] {{ color: {theme.ink}; font-size: {px(20)}; font-weight: bold; }}
QLabel[role="answer"] {{ color: {theme.ink}; font-size: {px(28)}; font-weight: bold; }}
QLabel[role="verdict"] {{ color: {theme.good_text}; font-size: {px(30)}; font-weight: bold; }}
QLabel[role="verdict-no"] {{ color: {theme.bad_text}; font-size: {px(30)}; font-weight: bold; }}
QLabel[role="verdict-unsure"] {{ color: {theme.muted}; font-size: {px(30)}; font-weight: bold; }}
QLabel[role="lesson-title"] {{ color: {theme.ink}; font-size: {px(18)}; font-weight: bold; }}
QLabel[role="right"] {{ color: {theme.good_text}; font-weight: bold; }}
QLabel[role="error"] {{ color: {theme.bad_text}; }}
QPushButton {{ background: {theme.card}; color: {theme.ink}; border: 1px solid {theme.line}; border-radius: {px(7)};
    padding: {px(5)} {px(11)}; }}
QPushButton:hover {{ background: {theme.hover}; }}
QPushButton:focus {{ border-color: {theme.accent}; }}
QPushButton:checked {{ background: {theme.accent_tint}; border-color: {theme.bar}; color: {theme.accent}; }}
QPushButton:disabled {{ color: {theme.faint}; }}
QPushButton[look="primary"] {{ background: {theme.accent}; color: {theme.on_accent}; border-color: {theme.accent};
    font-weight: bold; }}
QPushButton[look="primary"]:disabled {{ background: {theme.track}; color: {theme.faint}; border-color: {theme.track}; }}
QPushButton[look="quiet"] {{ background: transparent; border-color: transparent; padding: {px(4)} {px(6)}; }}
QPushButton[look="quiet"]:hover {{ background: {theme.hover}; }}
QPushButton[look="small"] {{ padding: {px(2)} {px(8)}; font-size: {px(11.5)}; }}
QPushButton[look="icon"] {{ padding: {px(5)}; }}
QPushButton[look="icon-text"] {{ padding-left: {px(30)}; }}
QPushButton[look="menu"] {{ padding-right: {px(29)}; padding-left: {px(11)}; }}
QTabBar {{ qproperty-drawBase: 0; }}
QTabBar::tab {{ background: {theme.card}; color: {theme.ink}; border: 1px solid {theme.line}; border-radius: {px(7)};
    padding: {px(5)} {px(11)}; margin-right: {px(6)}; }}
QTabBar[look="small"]::tab {{ padding: {px(2)} {px(8)}; margin-right: {px(4)}; font-size: {px(11.5)}; }}
QTabBar::tab:hover {{ background: {theme.hover}; }}
QTabBar::tab:selected {{ background: {theme.accent_tint}; border-color: {theme.bar}; color: {theme.accent}; }}
QTabBar:focus::tab:selected {{ border-color: {theme.accent}; }}
QPushButton::menu-indicator {{ width: 0; image: none; }}
QLineEdit, QSpinBox, QDoubleSpinBox, QPlainTextEdit {{ background: {theme.field}; color: {theme.ink};
    border: 1px solid {theme.line}; border-radius: {px(7)}; padding: {px(5)} {px(9)};
    selection-background-color: {theme.accent}; selection-color: {theme.on_accent}; }}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QPlainTextEdit:focus {{ border-color: {theme.accent}; }}
QAbstractSpinBox QLineEdit {{ background: transparent; border: none; padding: 0; }}
QMenu {{ background: {theme.card}; color: {theme.ink}; border: 1px solid {theme.line}; padding: {px(5)}; }}
QMenu::item {{ padding: {px(6)} {px(26)} {px(6)} {px(14)}; border-radius: {px(5)}; }}
QMenu::item:selected {{ background: {theme.accent_tint}; color: {theme.accent}; }}
QMenu::item:disabled {{ color: {theme.faint}; }}
QMenu::separator {{ height: 1px; background: {theme.line}; margin: {px(5)} {px(8)}; }}
QProgressBar {{ background: {theme.track}; border: none; border-radius: {px(2)};
    height: {px(4)}; max-height: {px(4)}; }}
QProgressBar::chunk {{ background: {theme.accent}; border-radius: {px(2)}; }}
QScrollArea {{ background: transparent; border: none; }}
QScrollArea > QWidget > QWidget {{ background: transparent; }}
QScrollBar {{ background: transparent; border: none; margin: 0; }}
QScrollBar:vertical {{ width: {px(9)}; }}
QScrollBar:horizontal {{ height: {px(9)}; }}
QScrollBar::handle {{ background: {theme.line}; border-radius: {px(3)}; margin: {px(1)}; min-height: {px(24)};
    min-width: {px(24)}; }}
QScrollBar::handle:hover {{ background: {theme.faint}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""
