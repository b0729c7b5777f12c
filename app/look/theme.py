"""Colours, sizes and fonts of the window: one set of names, with a light, a dark and a high-contrast value for each.

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

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QRectF, Qt, SignalInstance
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetrics,
    QGuiApplication,
    QPaintDevice,
    QPainter,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QApplication

from bertcore.locations import assets
from bertcore.memory import no_garbage_collection

from .fitting import fitting_line

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
SHARES_ABOVE = {Qt.AlignmentFlag.AlignVCenter: 0.5, Qt.AlignmentFlag.AlignBottom: 1.0}  # of what a line lacks
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
PROJECTOR_SCALE, LARGE_SCALE = 1.5, 1.25
LEAST_PROJECTED_PX = 20  # type on a projector, of 720 lines: readable from two metres on a small screen
FONTS = {400: "Roboto-Regular.ttf", 500: "Roboto-Medium.ttf", 700: "Roboto-Bold.ttf"}  # by weight; Qt ships none
SIGNED = 0.75  # place on the signed scale of what has a colour for its sign alone
AS_FAR_FROM_BOTH = 0.05 * 21**0.5 - 0.05  # the luminance on which black and white have the same contrast
LARGE_WIDTH, LARGE_HEIGHT = 2200, 1200  # pixels of a window; from here on type and pictures grow


def _values(light: Any, dark: Any, contrast: Any) -> Any:
    """A field of Theme with its value in each of the three themes."""
    return field(metadata={"light": light, "dark": dark, "contrast": contrast})


@dataclass(frozen=True)
class Theme:
    """One colour for each role. A `*_tint` is the quiet background that goes with the strong colour of that name."""

    name: str
    window: str = _values("#f6f7f9", "#11151b", "#000000")  # behind the cards
    card: str = _values("#ffffff", "#191f27", "#000000")
    line: str = _values("#e1e5ea", "#2c343f", "#a6a6a6")  # card edges, separators, grid lines
    field: str = _values("#ffffff", "#12171e", "#000000")  # behind text that can be edited
    track: str = _values("#eceef1", "#2a313b", "#383838")  # the empty part of a bar
    hover: str = _values("#f1f4f8", "#232b35", "#2e2e2e")  # a button or row under the mouse
    ink: str = _values("#1b2430", "#e7ebf0", "#ffffff")
    muted: str = _values("#5f6975", "#9ba6b3", "#e4e4e4")
    faint: str = _values("#848d99", "#6d7885", "#bdbdbd")  # hints, disabled text
    accent: str = _values("#0b6bcb", "#4f9fe8", "#ffe45c")
    accent_tint: str = _values("#e7f1fb", "#1a3148", "#3a3300")
    on_accent: str = _values("#ffffff", "#07131f", "#000000")  # text on the accent
    segment_a: str = _values("#00568a", "#5fb0ea", "#34c8ff")
    segment_a_tint: str = _values("#e3f0f9", "#16344a", "#002f4d")
    segment_b: str = _values("#a34700", "#f4aa64", "#f9d577")
    segment_b_tint: str = _values("#fdeadd", "#48291a", "#4a2400")
    special: str = _values("#5f6975", "#95a2b3", "#e6dfd0")
    special_tint: str = _values("#eceef1", "#2a313b", "#383838")
    mask: str = _values("#6b1049", "#ffc7f1", "#ffa1c9")
    mask_tint: str = _values("#f9e6f1", "#48203a", "#4d0038")
    bar: str = _values("#9ec5ef", "#416381", "#3f84cc")  # the plain bar of a bar list
    bar_strong: str = _values("#0072b2", "#2aa5e4", "#7fdbf2")  # the bar of what is being looked at
    good: str = _values("#009e73", "#478666", "#00bd7a")  # "the word that was there", a run that is done
    good_text: str = _values("#007a59", "#6fedc0", "#4affbd")
    warn: str = _values("#e69f00", "#fbd769", "#eea600")  # paused
    bad: str = _values("#d55e00", "#f57c52", "#f65225")  # failed
    bad_text: str = _values("#a84a00", "#f8996a", "#fbaa71")
    bad_tint: str = _values("#fdeadd", "#43281a", "#4a1800")
    good_tint: str = _values("#e2f4ee", "#153a30", "#003a22")
    dim: str = _values("#1b2430", "#000000", "#000000")  # over what a lesson does not talk about
    curve_train: str = _values("#0072b2", "#56b4e9", "#348fd0")
    curve_held_out: str = _values("#d55e00", "#f0824a", "#f98323")
    curve_mlm: str = _values("#009e73", "#2a9d78", "#49db8d")
    curve_nsp: str = _values("#cc79a7", "#f4a0bf", "#f192c1")
    curve_rate: str = _values("#66707d", "#79809c", "#e4e4e4")
    curve_norm: str = _values("#e69f00", "#f5d67a", "#ffe45c")
    # attention, probability: low to high. None: a jump, past the middle tones on which no text has a contrast of 7
    sequential: tuple[str | None, ...] = _values(
        ("#f7fbff", "#d3e4f3", "#9dc8e4", "#5aa4d0", "#2b78b8", "#0f4c94", "#08255c"),
        ("#171d25", "#15304b", "#174b78", "#1c68a6", "#2f86d1", "#55a6f0", "#8ecbff"),
        ("#000000", "#001f52", "#0043a8", None, "#4fa3ff", "#a6d4ff", "#ffffff"),
    )
    # signed values: negative, zero in the middle, positive
    diverging: tuple[str | None, ...] = _values(
        ("#0f3f8c", "#2f79bd", "#8fbbdd", "#ffffff", "#eba59b", "#cc4a4c", "#8f0f26"),
        ("#56adff", "#3380d0", "#234f82", "#1b2129", "#7d332f", "#cc4b46", "#ff7a6b"),
        ("#c4e2ff", "#4fa3ff", None, "#0043a8", "#000000", "#9c1c00", None, "#ff7a5c", "#ffcfc0"),
    )
    least_contrast: float = _values(4.5, 4.5, 7.0)  # of text on its background (WCAG 2.1, levels AA and AAA)
    focus_px: int = _values(1, 1, 3)  # width of the ring around what has the keyboard
    stroke: float = _values(1.0, 1.0, 1.8)  # what the widths of frames in pictures are multiplied by


def _theme(name: str) -> Theme:
    return Theme(name, **{one.name: one.metadata[name] for one in fields(Theme) if one.metadata})


LIGHT, DARK, CONTRAST = _theme("light"), _theme("dark"), _theme("contrast")
PAPER = replace(  # in a journal: what differs in colour differs in grey too
    LIGHT,
    name="paper",
    diverging=("#fdf6c3", "#f3d573", "#d9a75f", "#a8847c", "#74628f", "#43418f", "#141a52"),
    curve_train="#08306b",
    curve_held_out="#e08214",
    curve_mlm="#2b8c68",
    curve_nsp="#c994c7",
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK, CONTRAST)}
SYSTEM = "system"  # in the place of a theme's name: the one that the system asks for

# The look is one for the whole program, as QApplication's own palette and font are; `apply` is the only writer.
_active = LIGHT
_scale = 1.0
_all_type_px: int | None = None  # where all type has one size


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
def on_paper(look: Theme = LIGHT, all_type_px: int | None = None) -> Iterator[None]:
    """Light and unscaled meanwhile, for what is drawn to be printed. Only where no event is handled inside.

    all_type_px: of all type, whatever its size on the screen.
    """
    global _active, _scale, _all_type_px
    before = _active, _scale, _all_type_px
    _active, _scale, _all_type_px = look, 1.0, all_type_px
    try:
        yield
    finally:
        _active, _scale, _all_type_px = before


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


def gap_px(length: float) -> int:
    """A space between things. It does not grow for a projector: there the pictures need the room."""
    return round(length) if is_projector() else px(length)


def row_px(height: float) -> int:
    """A row of words. On a projector it is as low as its type can be, so that most rows are in sight."""
    return min(px(height), round(max(height, LEAST_PROJECTED_PX) * 1.05)) if is_projector() else px(height)


def stroke(width: float) -> float:
    """The width of a frame around a part of a picture: what is selected, pointed at, or has the keyboard."""
    return width * _active.stroke


def focus_pen() -> QPen:
    """For the ring around a painted widget that has the keyboard."""
    return QPen(color("accent"), _active.focus_px)


def type_px(size_px: float, scale: float | None = None) -> int:
    """The pixel size of type: scaled, and never smaller than what can be read at the other end of a classroom."""
    if _all_type_px is not None:
        return _all_type_px
    scale = _scale if scale is None else scale
    return max(round(size_px * scale), LEAST_PROJECTED_PX if scale >= PROJECTOR_SCALE else 1)


def register_fonts() -> None:
    """Makes the Roboto faces of the `font-roboto` package known to Qt: where the system has no fonts, text would vanish
    offscreen. Needs a QApplication."""
    for weight in FONTS:
        QFontDatabase.addApplicationFontFromData(font_file(weight))


def font_file(weight: int) -> bytes:
    """One face of FONTS."""
    return (resources.files("font_roboto") / "files" / FONTS[weight]).read_bytes()


def font(size_px: float = 13, *, bold: bool = False, medium: bool = False) -> QFont:
    """The program's font, the caller's own to change at will; `size_px` is scaled as `type_px` says."""
    return QFont(_font(type_px(size_px), _weight(bold, medium)))


def _weight(bold: bool, medium: bool) -> QFont.Weight:
    return QFont.Weight.Bold if bold else QFont.Weight.Medium if medium else QFont.Weight.Normal


@cache
def _font(size_px: int, weight: QFont.Weight) -> QFont:
    made = QFont("Roboto")
    made.setPixelSize(size_px)
    made.setWeight(weight)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return made


def painter(widget: QPaintDevice) -> QPainter:
    """A painter for smooth edges. On anything but the widget that is painting: `with`, which ends it in any case."""
    made = QPainter(widget)
    made.setRenderHint(QPainter.RenderHint.Antialiasing)
    return made


def draw_text(
    painter: QPainter,
    box: QRectF,
    text: str,
    color_name: str | QColor,
    size_px: float = 12,
    *,
    align: Qt.AlignmentFlag = LEFT,
    bold: bool = False,
    medium: bool = False,
) -> None:
    """A line of text, which ends in … where the box is too narrow for all of it.

    Where the box is too low, the letters stand out of it: a row may be lower than a line of its type.
    """
    made = type_px(size_px), _weight(bold, medium)
    painter.setFont(_font(*made))
    painter.setPen(color(color_name) if isinstance(color_name, str) else color_name)
    cut, height = _fitted(text, *made, int(box.width()))
    short = height - box.height()
    if short > 0:
        above = short * SHARES_ABOVE.get(align & Qt.AlignmentFlag.AlignVertical_Mask, 0.0)
        box = box.adjusted(0, -above, 0, short - above)
    painter.drawText(box, align, cut)


@lru_cache(4096)  # measuring text takes longer than drawing it, and most of it stays from one key to the next
def _fitted(text: str, size_px: int, weight: QFont.Weight, width: int) -> tuple[str, int]:
    """The text as far as there is room for it, and the height of its line."""
    metrics = QFontMetrics(_font(size_px, weight))
    return metrics.elidedText(fitting_line(text), Qt.TextElideMode.ElideRight, width), metrics.height()


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


def signed_color(value: float) -> QColor:
    """The colour of a line or bar that stands for more (above 0) or less (below 0), whatever its size."""
    return diverging_color(SIGNED if value > 0 else -SIGNED)


def ink_on(fill: QColor) -> QColor:
    """What can be read on a filled cell, black or white: always with a contrast of 4.5, and one weight in all cells."""
    return QColor("#000000" if _luminance(fill.rgb()) > AS_FAR_FROM_BOTH else "#ffffff")


@cache
def _luminance(rgb: int) -> float:
    """From 0 (black) to 1 (white), as WCAG 2.1 measures it."""
    shares = ((rgb >> shift & 255) / 255 for shift in (16, 8, 0))
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@cache
def _rgb_table(stops: tuple[str | None, ...]) -> list[int]:
    """The stops are evenly spaced; at a None the colour jumps."""
    spans = [(QColor(low), QColor(high)) for low, high in pairwise(stops) if low is not None and high is not None]
    table = []
    for i in range(256):
        at = i / 255 * len(spans)
        number = min(int(at), len(spans) - 1)
        low, high = spans[number]
        ends = ((low.red(), high.red()), (low.green(), high.green()), (low.blue(), high.blue()))
        red, green, blue = (round(a + (b - a) * (at - number)) for a, b in ends)
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


def resolved(name: str) -> str:
    """The theme of that name; for SYSTEM high contrast, dark or light, as the person has set it for all programs."""
    if name != SYSTEM:
        return name
    hints = QGuiApplication.styleHints()
    if hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
        return CONTRAST.name
    return DARK.name if hints.colorScheme() == Qt.ColorScheme.Dark else LIGHT.name


def system_changes() -> tuple[SignalInstance, ...]:
    """Say that SYSTEM may mean another theme now."""
    hints = QGuiApplication.styleHints()
    return hints.colorSchemeChanged, hints.accessibility().contrastPreferenceChanged


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
        role.PlaceholderText: theme.muted,
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
    """assets/window.qss in the colours of a theme, its lengths scaled by `scale`."""
    values = {
        **vars(theme),
        "warn_tint": f"#1e{theme.warn[1:]}",
        "blank_ink": CONTRAST.muted if theme is CONTRAST else DARK.faint,
    }

    def filled(found: re.Match[str]) -> str:
        name, function, arguments = found.groups()
        if name:
            return str(values[name])
        lengths = [float(length) for length in arguments.split(",")]
        if function == "type":
            return f"{type_px(lengths[0], scale)}px"
        if function == "px":
            return f"{round(lengths[0] * scale)}px"
        paddings = (f"{max(round(length * scale) - theme.focus_px + 1, 0)}px" for length in lengths)
        return f"border: {theme.focus_px}px solid {theme.accent}; padding: {' '.join(paddings)};"

    template = (assets() / "window.qss").read_text(encoding="utf-8")
    return re.sub(r"@(\w+)|\b(px|type|ring)\(([^)]*)\)", filled, template.partition("*/\n")[2])
