"""Colours, sizes and fonts of the window: one set of names, with a light, a dark and a high-contrast value for each.

How a widget uses it:

    from app.look import theme
    painter.setPen(theme.color("muted"))       a QColor of the theme in use (names: assets/themes.json)
    painter.setFont(theme.font(12, bold=True)) the program's font, pixel size before projector scaling
    layout.setSpacing(theme.px(8))             a length, scaled in projector mode
    colors = theme.sequential_table()          256 colours for QImage.setColorTable or a pyqtgraph LUT

Read colours when painting, never keep them: when the theme changes, `apply` gives the application a new palette, Qt
sends every widget a PaletteChange event and repaints it. A widget that hands colours to somebody else (a pyqtgraph pen)
overrides `changeEvent` and sets them again on `QEvent.Type.PaletteChange`.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
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

from bertcore.files import read_json
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


@dataclass(frozen=True)
class Theme:
    """A colour for each role of assets/themes.json, as an attribute.

    A `*_tint` is the quiet background that goes with the strong colour of that name; in a scale None is a jump, past
    middle tones on which no text has a contrast of 7.
    """

    name: str
    values: Mapping[str, Any]

    def __getattr__(self, role: str) -> Any:
        try:
            return self.values[role]
        except KeyError:
            raise AttributeError(role) from None


def _theme(name: str) -> Theme:
    """ "paper", for a journal, is light, and what differs in colour differs in grey too."""
    roles = read_json(assets() / "themes.json").items()
    values = {role: values.get(name, values["light"]) for role, values in roles}
    return Theme(name, {role: tuple(one) if isinstance(one, list) else one for role, one in values.items()})


LIGHT, DARK, CONTRAST, PAPER = map(_theme, ("light", "dark", "contrast", "paper"))
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
        **theme.values,
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
