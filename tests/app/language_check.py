"""Finds words on the screen that no translator was asked for: while the pseudo-language speaks, they have no brackets.

What is not ours to translate is left alone: tokens and typed text, names of models, runs and files, symbols, units,
and what `allowed` says besides.
"""

import re
from collections.abc import Iterable, Iterator

import pytest
from PySide6.QtCore import QAbstractListModel, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

from app.shell.window import Window
from bertcore.locations import NAMED

UNITS = {"ms", "min", "mb", "gb", "tok", "nats", "bits", "px"}
NAMES = {  # of the field, of files and of hardware: the same in every language
    *(
        "bertscope",
        "bert",
        "id",
        "cls",
        "sep",
        "mask",
        "unk",
        "pad",
        "cpu",
        "cuda",
        "gpu",
        "fp",
        "bf",
        "gib",
        "mib",
    ),
    *("layernorm", "gelu", "relu", "softmax", "pca", "ln", "emb", "png", "svg", "pdf", "csv", "npz", "ctrl", "shift"),
    *("mini", "small", "medium", "tiny", "base", "large"),  # the sizes of models
    *("attn", "alt", "esc", "isnext", "notnext", "wordpiece", "mlm", "nsp", "adamw", "muon"),
    *("roberta", "albert"),
}
WORDS_OF_OTHER_MODELS = {"SnapshotList"}  # widgets that paint what a model with another vocabulary says
_WORD = re.compile(r"[^\W\d_]{2,}")
_TAGS = re.compile(r"<[^>]*>|&[a-z]+;")
_MODELS = re.compile("|".join(map(re.escape, NAMED)))
_FILES = re.compile(r"\S*[/\\]\S*|\S+\.(?:txt|tsv|csv|json|md|bertscope)\S*|step-\d+|bertcore\.\S+|\w+\._?\w+")


def untranslated(window: Window, root: QWidget | None = None, allowed: Iterable[str] = ()) -> list[str]:
    """Every text on show in `root` (left out: the window) that has words outside of the brackets, with its place."""
    own = words_of_others(window) | {word.lower() for word in allowed}
    found: dict[str, None] = {}
    for place, text in texts(root or window):
        words = [word.lower() for word in _WORD.findall(outside(text))]
        strange = [word for word in words if word not in own]
        if strange and words[0] == strange[0] and any(word.endswith(words[0]) for word in own):
            del strange[0]  # the passage is cut off there
        if strange and text.endswith("…") and any(word.startswith(strange[-1]) for word in own):
            del strange[-1]
        if strange:
            found[f"{place}: {text[:110]!r} ({', '.join(strange[:4])})"] = None
    return list(found)


def words_of_others(window: Window) -> set[str]:
    """Of the text, the vocabulary and the names of models and runs."""
    state = window.state
    texts_ = [state.text_a, state.text_b, *(str(run.name) for run in window.services.runs.runs)]
    texts_ += [line.text() for line in window.findChildren(QLineEdit)]
    texts_ += [edit.toPlainText() for edit in window.findChildren(QPlainTextEdit)]
    if state.model is not None:
        tokenizer = state.model.tokenizer
        texts_ += [state.model.name, *(tokenizer.label(i) for i in range(tokenizer.vocab_size))]
    return UNITS | NAMES | {word.lower() for text in texts_ for word in _WORD.findall(text)}


def outside(text: str) -> str:
    """What stands outside of the brackets of the pseudo-language; a text that is cut off has only one of them."""
    text = _FILES.sub(" ", _MODELS.sub(" ", _TAGS.sub(" ", text)))
    depth, kept = 0, []
    for letter in text:
        if letter == "⟦":
            depth += 1
        elif letter == "⟧":
            if depth == 0:
                kept.clear()  # the beginning stands on another line
            depth = max(depth - 1, 0)
        elif depth == 0:
            kept.append(letter)
    return "".join(kept)


def texts(root: QWidget) -> Iterator[tuple[str, str]]:
    """(where, text) of all that is on show: what Qt shows, what is painted, tool tips, names for screen readers."""
    heard: list[tuple[str, str]] = []
    with pytest.MonkeyPatch.context() as patch:
        paint = QPainter.drawText

        def hear(painter: QPainter, *about: object) -> object:
            name = type(painter.device()).__name__
            if isinstance(painter.device(), QWidget) and name not in WORDS_OF_OTHER_MODELS:
                heard.append((name, str(about[-1])))
            return paint(painter, *about)

        patch.setattr(QPainter, "drawText", hear)
        root.grab()
    yield from heard
    if root.isWindow():
        yield "window title", root.windowTitle()
    for widget in [root, *root.findChildren(QWidget)]:
        if widget.isVisible() and not _is_other(widget):
            name = type(widget).__name__
            for text in (*_own_texts(widget), widget.toolTip(), widget.accessibleName()):
                if text:
                    yield name, text


def _own_texts(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    elif isinstance(widget, QComboBox):
        yield from (widget.itemText(i) for i in range(widget.count()))
    elif isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    elif isinstance(widget, QTabBar):
        for tab in range(widget.count()):
            yield widget.tabText(tab)
            yield widget.tabToolTip(tab)
    elif isinstance(widget, QMenu):
        yield from (action.text().split("\t")[0] for action in widget.actions())
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        model = widget.model()
        columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()  # which has none to ask
        for way, count in (
            (Qt.Orientation.Horizontal, columns),
            (Qt.Orientation.Vertical, model.rowCount()),
        ):
            yield from (str(model.headerData(i, way) or "") for i in range(min(count, 40)))
        for row in range(min(model.rowCount(), 40)):
            yield from (str(model.index(row, i).data() or "") for i in range(min(columns, 20)))


def _is_other(widget: QWidget) -> bool:
    """Texts that are written elsewhere (help, the log of a run), and parts of Qt's own widgets."""
    return isinstance(widget, QTextEdit) or widget.objectName().startswith("qt_")
