"""The style sheet made from a theme's colours. Widgets ask for a look by the dynamic properties `role` and `look`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.look.theme import Theme


def stylesheet(theme: "Theme", scale: float) -> str:
    """The whole style sheet; lengths are scaled by `scale`."""

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
QPushButton::menu-indicator {{ width: 0; image: none; }}
QLineEdit, QSpinBox, QDoubleSpinBox, QPlainTextEdit {{ background: {theme.field}; color: {theme.ink};
    border: 1px solid {theme.line}; border-radius: {px(7)}; padding: {px(5)} {px(9)};
    selection-background-color: {theme.accent}; selection-color: {theme.on_accent}; }}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QPlainTextEdit:focus {{ border-color: {theme.accent}; }}
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
