"""Text in other scripts: tokens in reading order, sentences in theirs, glyphs where the system has a font for them."""

import pytest
from PySide6.QtGui import QFontDatabase, QTextLayout

from app.look import theme
from app.look.say import isolated, plain
from app.state.token_units import TokenView
from app.widgets.token_strip import chips_of, note_about
from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.config import BertConfig
from bertcore.model.bert import Bert
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.app.conftest import read_text

HEBREW, ARABIC, CHINESE = "שלום עולם", "السلام عليكم", "你好世界"


@pytest.fixture(scope="module")
def model_of_scripts(tmp_path_factory):
    tokenizer = Tokenizer.train([f"{HEBREW} {ARABIC} {CHINESE}"] * 20, 200)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(vocab_size=tokenizer.vocab_size, max_position_embeddings=64, **sizes)
    folder = tmp_path_factory.mktemp("models") / "scripts"
    save_checkpoint(Bert(config, ("mlm", "nsp"), pooler=True), tokenizer, folder, name="scripts", step=None)
    return folder


def drawn_at(text, parts):
    """How far to the right each part is drawn in a line of text: its middle, twice."""
    layout = QTextLayout(text, theme.font(13))
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()
    starts = [text.index(part) for part in parts]
    ends = [start + len(part) for start, part in zip(starts, parts, strict=True)]
    return [line.cursorToX(start)[0] + line.cursorToX(end)[0] for start, end in zip(starts, ends, strict=True)]


@pytest.mark.parametrize("token", [HEBREW.split()[0], ARABIC.split()[0]])
def test_a_token_from_right_to_left_leaves_the_sentence_in_order(token):
    other = HEBREW.split()[1]
    sentence = f"{isolated(token)} 12 {isolated(other)} 34 · mask"
    places = drawn_at(sentence, [token, "12", other, "34", "mask"])
    assert places == sorted(places)
    places = drawn_at(f"{token} 12 {other} 34 · mask", [token, "12", other, "34", "mask"])
    assert places != sorted(places)


def test_latin_tokens_and_files_have_no_marks():
    tokens = ["cat", "##s", "[MASK]", CHINESE, "é"]
    assert [isolated(token) for token in tokens] == tokens
    assert plain(isolated(HEBREW)) == HEBREW


def test_tokens_keep_their_reading_order(model_of_scripts, open_window):
    window = open_window(model_of_scripts, f"{HEBREW} {CHINESE}", ARABIC)
    wanted = ["[CLS]", *HEBREW.split(), *CHINESE, "[SEP]", *ARABIC.split(), "[SEP]"]
    assert [chip.token for chip in chips_of(window.state)] == wanted
    middles = [box.center().x() for box in window.frame.strip.field.boxes]
    assert middles == sorted(middles)
    reading = window.state.reading
    assert [plain(label) for label in reading.units(TokenView()).labels] == wanted


def test_what_the_vocabulary_lacks_is_named(window):
    read_text(window, HEBREW, CHINESE)
    note = note_about(window.state)
    assert "[UNK]" in note and all(word in note for word in (*HEBREW.split(), CHINESE[0]))
    assert window.frame.note.isVisible()


@pytest.mark.parametrize(
    ("text", "system"),
    [
        (HEBREW, QFontDatabase.WritingSystem.Hebrew),
        (ARABIC, QFontDatabase.WritingSystem.Arabic),
        (CHINESE, QFontDatabase.WritingSystem.SimplifiedChinese),
    ],
)
def test_glyphs_come_from_the_fonts_of_the_system(text, system):
    if not QFontDatabase.families(system):
        pytest.skip(f"no font for {system.name} on this machine")
    layout = QTextLayout(text, theme.font(13))
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    glyphs = [index for run in layout.glyphRuns() for index in run.glyphIndexes()]
    assert glyphs and 0 not in glyphs
