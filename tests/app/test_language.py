"""Every sentence on the screen can be translated, and its words are those of its readers.

The pseudo-language is accented, 40% longer, in brackets: ⟦Šăvé pîcţûŕé ~~~~⟧. No translator was asked for what has
none. What is not ours to translate is left alone: tokens and typed text, names of models, runs and files, symbols,
units, and what `allowed` says besides.
"""

import re
from collections.abc import Mapping

import pytest
from PySide6.QtCore import QAbstractListModel, QSize, Qt, QTranslator
from PySide6.QtGui import QAction
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

from app.look import numbers
from app.look.say import plural, say, set_texts
from app.shell.rooms import ROOMS, open_view
from app.state.literature import before_bert, family
from app.widgets.card import Hint
from app.widgets.help_panel import help_text
from bertcore.locations import NAMED, assets, sample_corpus
from scripts.translations import strings_of_sources
from tests.app.conftest import TEXT_A, TEXT_B, handle_events, settle, shown_room, wait_until
from tests.app.layout_check import faults, hear
from tests.app.layout_walk import LABELS, walk, walk_train, write_runs
from tests.app.test_apply_room import KINDS, make_model

ACCENTED = str.maketrans("aceinorstuyzACEINORSTUYZ", "äçéîñöŕšţûýžÄÇÉÎÑÖŔŠŢÛÝŽ")
LONGER = 0.4
_KEPT = re.compile(r"(\{[^}]*\}|%L?n|&\w|<[^>]*>|&[a-z]+;|\t)")  # placeholders, mnemonics, tags, and the tab of a menu


class PseudoTexts(Mapping[tuple[str, str], list[str]]):
    """What `say` translates with: every text that it is asked for, and keeps what it was asked for."""

    def __init__(self):
        self.asked = set()

    def __getitem__(self, key):
        source = key[1]
        if not source:  # of a picture that has no words of its own
            return []
        self.asked.add(source)
        return [pseudo(plural(source, n) if "%n" in source or "%Ln" in source else source) for n in (1, 2)]

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0


class PseudoQt(QTranslator):
    """The words of Qt's own dialogs, and of pyqtgraph's menus."""

    def isEmpty(self):
        return False

    def translate(self, context, source, disambiguation=None, n=-1):
        return pseudo(source)


def pseudo(text):
    parts = _KEPT.split(text)
    added = round(LONGER * sum(len(part) for part in parts[::2]))
    longer = ("~~~~~~~ " * added)[:added]  # words, which a label can wrap
    return f"⟦{''.join(part if i % 2 else part.translate(ACCENTED) for i, part in enumerate(parts))}{longer}⟧"


UNITS = {"ms", "min", "mb", "gb", "tok", "nats", "bits", "px"}
NAMES = {  # of the field, of files and of hardware: the same in every language
    *("bertscope", "bert", "id", "cls", "sep", "mask", "unk", "pad", "cpu", "cuda", "gpu", "fp", "bf", "gib", "mib"),
    *("layernorm", "gelu", "relu", "softmax", "pca", "ln", "emb", "png", "svg", "pdf", "csv", "npz", "ctrl", "shift"),
    *("mini", "small", "medium", "tiny", "base", "large"),  # the sizes of models
    *("attn", "alt", "esc", "isnext", "notnext", "wordpiece", "mlm", "nsp", "adamw", "muon"),
    *("roberta", "albert", "distilbert", "electra"),
    *("h²", "glue", "mnli", "qqp", "qnli", "sst", "cola", "sts", "mrpc", "rte", "openai", "gpt", "sota", "pre"),
    *("bilstm", "elmo", "cove", "ulmfit", "xxlarge"),
}
PASSAGES = {"Table", "QHeaderView", "Scatter"}  # show what stands in a collection: here, in the samples
WORDS_OF_OTHERS = {"SnapshotList", "SentenceArcs"}  # widgets that paint what another vocabulary, or a treebank, says
_WORD = re.compile(r"[^\W\d_]{2,}")
_TAGS = re.compile(r"<[^>]*>|&[a-z]+;")
_MODELS = re.compile("|".join(map(re.escape, NAMED)))
_FILES = re.compile(r"\S*[/\\]\S*|\S+\.(?:txt|tsv|csv|json|md|bertscope)\S*|step-\d+|bertcore\.\S+|\w+\._?\w+")


def untranslated(window, root=None, allowed=()):
    """Every text on show in `root` (left out: the window) that has words outside of the brackets, with its place."""
    own = words_of_others(window) | {word.lower() for word in allowed}
    found = {}
    stories, papers = sample_corpus().read_text(encoding="utf-8"), papers_named()
    topics = (assets() / "tasks" / "topics" / "train.csv").read_text(encoding="utf-8")
    documents = {word.lower() for word in _WORD.findall(topics)}
    for place, text in texts(root or window):
        if text.rstrip("…") in papers or (place in PASSAGES and text.rstrip("…") in stories):
            continue
        words = [word.lower() for word in _WORD.findall(outside(text))]
        strange = [word for word in words if word not in own and not (place in PASSAGES and word in documents)]
        if strange and words[0] == strange[0] and any(word.endswith(words[0]) for word in own):
            del strange[0]  # the passage is cut off there
        if strange and text.endswith("…") and any(word.startswith(strange[-1]) for word in own):
            del strange[-1]
        if strange:
            found[f"{place}: {text[:110]!r} ({', '.join(strange[:4])})"] = None
    return list(found)


def papers_named():
    """As the window names them: in full, and by author and year."""
    sources = [one.source for one in (*family(), *before_bert())]
    return {*sources, *(source.partition(":")[0] for source in sources)}


def words_of_others(window):
    """Of the text, the vocabulary and the names of models and runs."""
    state = window.state
    texts_ = [state.text_a, state.text_b, *(str(run.name) for run in window.services.runs.runs)]
    texts_ += [line.text() for line in window.findChildren(QLineEdit)]
    texts_ += [edit.toPlainText() for edit in window.findChildren(QPlainTextEdit)]
    if state.model is not None:
        tokenizer = state.model.tokenizer
        texts_ += [state.model.name, *(tokenizer.label(i) for i in range(tokenizer.vocab_size))]
    return UNITS | NAMES | {word.lower() for text in texts_ for word in _WORD.findall(text)}


def outside(text):
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


def texts(root):
    """(where, text) of all that is on show: what Qt shows, what is painted, tool tips, names for screen readers."""
    heard = []

    def note(painter, *about):
        name = type(painter.device()).__name__
        if isinstance(painter.device(), QWidget) and name not in WORDS_OF_OTHERS:
            heard.append((name, str(about[-1])))

    with pytest.MonkeyPatch.context() as patch:
        hear(patch, note)
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


def _own_texts(widget):
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
        for way, count in ((Qt.Orientation.Horizontal, columns), (Qt.Orientation.Vertical, model.rowCount())):
            yield from (str(model.headerData(i, way) or "") for i in range(min(count, 40)))
        for row in range(min(model.rowCount(), 40)):
            yield from (str(model.index(row, i).data() or "") for i in range(min(columns, 20)))


def _is_other(widget):
    """Texts that are written elsewhere (help, the log of a run), and parts of Qt's own widgets."""
    return isinstance(widget, QTextEdit) or widget.objectName().startswith("qt_")


FACTS_OF_THE_SMALL_WORLD = ("pet", "house", "food", "drink", "way", "game", "place", "helper")


def test_english_plurals_and_widgets_say_the_right_one():
    for source, n, text in (
        ("%n token(s)", 1, "%n token"),
        ("%n token(s)", 0, "%n tokens"),
        ("%n match(es) of {word}", 2, "%n matches of {word}"),
        ("%n entr(y|ies) (was|were) cut", 1, "%n entry was cut"),
        ("%n entr(y|ies) (was|were) cut", 3, "%n entries were cut"),
        ("f(x) of %n (all layers)", 2, "f(x) of %n (all layers)"),
    ):
        assert plural(source, n) == text
    assert [say("%n token(s)", n=n) for n in (1, 2)] == ["1 token", "2 tokens"]
    assert say("%Ln token(s)", n=12_204) == "12,204 tokens"


def test_the_pseudo_language_keeps_what_is_filled_in():
    text = pseudo("Head {head} of layer {layer:,}, %n time(s) &Save")
    assert all(part in text for part in ("{head}", "{layer:,}", "%n", "&S"))
    assert text.startswith("⟦") and "layer of" not in text and len(text) > 60


@pytest.fixture
def language(qapp):
    made, of_qt = PseudoTexts(), PseudoQt()
    set_texts(made)
    qapp.installTranslator(of_qt)
    yield made
    qapp.removeTranslator(of_qt)
    set_texts({})


@pytest.fixture(scope="module")
def extracted():
    """What translators get."""
    return {source for _, source in strings_of_sources()}


@pytest.fixture
def pseudo_window(language, open_window, model_folder):
    """A window that speaks the pseudo-language."""
    made = open_window(model_folder, TEXT_A, TEXT_B)
    made.state.set_masks(())
    settle(made)
    return made


@pytest.mark.parametrize("room", [room.key for room in ROOMS])
def test_every_text_of_a_room_can_be_translated(room, pseudo_window, language, extracted):
    wrong = walk(pseudo_window, (room,), lambda window: untranslated(window, window.frame.room))
    assert wrong == {}, _listed(wrong)
    missing = sorted(language.asked - extracted)
    assert missing == [], "no `say` or `mark` has these as a literal, so no translator would see them"


def test_every_text_of_runs_and_forms_can_be_translated(pseudo_window):
    write_runs()
    small_world = (assets() / "corpus" / "small-world.txt").read_text(encoding="utf-8").lower()
    labels = [*" ".join(LABELS).split(), *sorted(set(re.findall(r"\w+", small_world))), *FACTS_OF_THE_SMALL_WORLD]
    for inspect in (lambda window: untranslated(window, window.frame.room, labels), cut_in_a_window(1500, 900)):
        wrong = walk_train(pseudo_window, inspect, QSize(1500, 900))
        assert wrong == {}, _listed(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_every_text_of_a_task_can_be_translated(kind, pseudo_window, tmp_path):
    window = pseudo_window
    window.open_model(make_model(tmp_path / kind, kind))
    wait_until(lambda: window.state.model.name == kind)
    settle(window)
    labels = [word for label in KINDS[kind][1].get("labels", ()) for word in re.findall(r"\w+", label)]
    for inspect in (lambda window: untranslated(window, window.frame.room, labels), cut_in_a_window(1440, 900)):
        wrong = walk(window, ("apply",), inspect, QSize(1440, 900))
        assert wrong == {}, _listed(wrong)


def test_every_text_around_the_rooms_can_be_translated(pseudo_window):
    window = pseudo_window
    room = shown_room(window, "embed")
    room.hide()
    found = untranslated(window)
    found += [f"command: {action.text()}" for action in window.findChildren(QAction) if _is_plain(action.text())]
    assert found == []


@pytest.mark.parametrize("room", [room.key for room in ROOMS])
def test_no_word_is_cut_off_when_words_are_longer(room, pseudo_window):
    wrong = walk(pseudo_window, (room,), cut_in_a_window(1440, 900), QSize(1440, 900))
    assert wrong == {}, _listed(wrong)


def cut_in_a_window(width, height):
    return lambda window: faults(window, QSize(width, height))


def _is_plain(text):
    return any(letter.isalpha() for letter in outside(text))


def _listed(wrong):
    return "\n".join(f"{place}: {one}" for place, found in wrong.items() for one in found)


VIEWS = (("attend", "effects"), ("attend", "check"), ("attend", "gradient"), ("predict", "attribution"))


def labels(window, room_key, view_key):
    room = window.open_room(room_key)
    room.open_view(view_key)
    settle(window)
    handle_events()
    return "\n".join(one.text() for one in room.findChildren(QLabel) if one.isVisible() or isinstance(one, Hint))


@pytest.mark.parametrize("words", ["plain", "technical"])
def test_notes_on_colours_and_numbers(words, window):
    numbers.set_technical(words == "technical")
    window.state.set_masks([2])
    window.state.set_focus(2)
    settle(window)
    said = {view: labels(window, *view) for view in VIEWS}
    technical = {view for view, text in said.items() if "ln p" in text or "nats" in text}
    assert technical == (set(VIEWS) if words == "technical" else set())


OF_ONE_THEME = re.compile(r"\b(white|black|pale|bright|dark|light)(r|er|st|est)?\b", re.IGNORECASE)


@pytest.mark.parametrize("spec", ROOMS, ids=lambda spec: spec.key)
def test_help(spec):
    assert OF_ONE_THEME.findall(help_text(spec.key)) == []


@pytest.mark.parametrize("spec", ROOMS, ids=lambda spec: spec.key)
def test_labels(spec, window):
    """Those of pages and tabs that are not open, too."""
    for view in spec.view_keys:
        room = window.open_room(spec.key)
        open_view(room, view)
        settle(window)
        said = [label.text() for label in room.findChildren(QLabel)]
        assert [text for text in said if OF_ONE_THEME.search(text)] == []
