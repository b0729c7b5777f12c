"""Words without an end, from a paste or a file: cut where they are shown, in one place for each way to show them."""

import os
from pathlib import Path

import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from app.look import theme
from app.look.fitting import MOST_LINE, MOST_RUN, fitting, fitting_line, plain_tip
from app.widgets.banner import MOST_CHARACTERS, Banner
from app.widgets.card import Card, Hint, label
from app.widgets.layouts import vbox
from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.tokenizer.special_tokens import MOST_LABEL
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.app.conftest import placed, read_text
from tests.limited import needs_limits, run_limited


def test_words_of_people_stay_as_they_are():
    for text in ("A cat sat.", "Donaudampfschifffahrtsgesellschaftskapitän", "word " * 5000, "漢字" * 500, "x" * 200):
        assert fitting(text) == text


def test_endless_words_are_cut_and_the_rest_stays():
    assert fitting(f"before {'x' * 100_000} after") == f"before {'x' * (MOST_RUN - 1)}… after"
    assert fitting("ä" * 201 + "\n" + "b" * 500) == "ä" * 199 + "…\n" + "b" * 199 + "…"
    assert len(fitting_line("word " * 5000)) == MOST_LINE


def test_a_label_makes_no_window_wider_than_a_screen(qtbot):
    holder = QWidget()
    vbox(label("", wrap=True), label(""), Card(" "), Hint(), parent=holder)
    placed(holder, qtbot, 300, 300)
    for wide in ("x" * 100_000, "i " * 50_000):
        for made in holder.findChildren(QWidget):
            (getattr(made, "setText", None) or getattr(made, "set_title", lambda _text: None))(wide)
        QApplication.processEvents()
        assert holder.minimumSizeHint().width() < 6000


def test_drawn_text_is_cut_before_it_is_laid_out(monkeypatch):
    image = QImage(300, 40, QImage.Format.Format_RGB32)
    painter, drawn = QPainter(image), list[str]()
    monkeypatch.setattr(theme, "fitting_line", lambda text: drawn.append(fitting_line(text)) or drawn[-1])
    theme.draw_text(painter, image.rect().toRectF(), "x" * 1_000_000, "ink")
    painter.end()
    assert [len(text) for text in drawn] == [MOST_RUN]


def test_a_banner_says_the_beginning_and_what_to_do(qtbot):
    banner = placed(Banner(), qtbot, 300, 40)
    banner.show_sentence(f"The run {'r' * 20_000} is damaged; start a new one.")
    shown = banner._text.text()
    assert len(shown) <= MOST_CHARACTERS and shown.startswith("The run rrr") and shown.endswith("start a new one.")


def test_labels_of_tokens_have_an_end(tmp_path):
    tokenizer = Tokenizer.train(["the cat sat"] * 20, 60)
    tokenizer.save(tmp_path)
    words = (tmp_path / "vocab.txt").read_text(encoding="utf-8").splitlines()
    (tmp_path / "tokenizer.json").unlink()
    words[-1] = "z" * 50_000
    (tmp_path / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    label_of = Tokenizer.from_folder(tmp_path).label(len(words) - 1)
    assert len(label_of) == MOST_LABEL and label_of.endswith("…")


def test_a_pasted_word_of_100_000_characters(window):
    before = window.minimumSizeHint().width()
    read_text(window, "x" * 100_000, "the cat sat")
    assert window.minimumSizeHint().width() <= before + theme.px(MOST_RUN * 10)
    assert len(window.frame.note.text()) < 400
    window.sessions.save(Path(os.environ["BERTSCOPE_HOME"]).parent / "long.bertscope.json")
    assert not window.frame.banner.is_shown


@pytest.mark.parametrize("value", ["a" * 60_000, ["a" * 60_000], {"a" * 60_000: 1}, 10**90])
def test_a_value_in_a_sentence_is_cut(value):
    for name in ("hidden_act", "vocab_size", "problem_type", "pad_token_id", "layer_norm_eps"):
        with pytest.raises(BertcoreError) as caught:
            BertConfig.from_dict({name: value})
        assert len(str(caught.value)) < 400


@needs_limits
def test_long_texts_take_little_memory(tmp_path):
    """Banner, wrapped words, chips and a list of runs, of 200,000 characters without a space each."""
    lines = run_limited(
        """
import os
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from app.look import theme
from app.rooms.train.list.card import RunList
from app.runs.run_info import RunInfo
from app.runs.run_state import RunState
from app.widgets.banner import Banner
from app.widgets.card import label
from app.widgets.sentence_bar import SentenceBar
from bertcore.runs.run_folder import RunStatus

app = QApplication([])
app.setStyle("Fusion")
theme.register_fonts()
theme.apply(app, "light")
holder = QWidget()
layout = QVBoxLayout(holder)
state = RunState()
banner, words, runs, bar = Banner(), label("", wrap=True), RunList(state), SentenceBar()
for widget in (banner, words, runs, bar):
    layout.addWidget(widget)
holder.resize(1200, 800)
holder.show()
banner.show_sentence("ready")
app.processEvents()
holder.grab()
limit(120)
long = "x" * 200_000
banner.show_sentence(long)
words.setText(long)
bar.show_texts(long, long)
state.set_runs([RunInfo(Path(sys.argv[1]), long, long, RunStatus("failed", message=long))])
app.processEvents()
holder.grab()
print(holder.width())
""",
        tmp_path,
    )
    assert int(lines[0]) < 6000


def test_a_tool_tip_shows_html_as_it_is_written():
    """A name in a file must not load a picture, from here or from elsewhere."""
    assert plain_tip("tiny\nrun") == "tiny\nrun"
    assert plain_tip("<img src='/dev/zero'>\nb") == "<qt>&lt;img src=&#x27;/dev/zero&#x27;&gt;<br>b</qt>"
    assert len(plain_tip("word " * 10_000)) <= 2000
