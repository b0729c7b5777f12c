"""The program's own font. Qt ships none: where the system has no fonts, text would vanish offscreen."""

from functools import cache
from importlib import resources

from PySide6.QtGui import QFont, QFontDatabase

FAMILY = "Roboto"
BODY_PX = 13
FILES = ("Roboto-Regular.ttf", "Roboto-Medium.ttf", "Roboto-Bold.ttf")


def register_fonts() -> None:
    """Makes the Roboto faces of the `font-roboto` package known to Qt. Needs a QApplication."""
    folder = resources.files("font_roboto") / "files"
    for name in FILES:
        QFontDatabase.addApplicationFontFromData((folder / name).read_bytes())


def font(size_px: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The program's font at `size_px` pixels; the caller's own, to change at will."""
    return QFont(_made(size_px, weight))


@cache
def _made(size_px: float, weight: QFont.Weight) -> QFont:
    made = QFont(FAMILY)
    made.setPixelSize(max(round(size_px), 1))
    made.setWeight(weight)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return made
