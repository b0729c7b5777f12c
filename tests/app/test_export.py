"""Pictures and numbers taken away: what stands in the files, and what is said when they cannot be written."""

import csv
import io
import os
import re
import shutil
import stat
import zlib
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from app.figures.animation import ANIMATIONS
from app.figures.figure import Axis, Figure, Numbers, Picture, caption_of, file_name, model_hash, numbers_of
from app.figures.files import PICTURES, image_of, npz, pdf, save_figure, svg, table, write_whole
from app.rooms.predict.fill_view import ORDERS
from app.shell.rooms import ROOMS
from app.state.baseline import OtherText
from app.state.session_file import load_session
from app.state.token_units import MERGING
from app.state.what_if import WhatIf
from app.widgets.curve_plot import CurvePlot
from app.widgets.curve_specs import CurveSpec, PlotSpec
from app.widgets.figure_button import WITHOUT_FRAMES, FigureAction, FigureButton, figure_buttons
from app.widgets.save_dialog import ask_for_file
from bertcore.errors import BertcoreError
from tests.app import attend_room
from tests.app.conftest import TEXT_A, TEXT_B, answered, click, settle, shown_view, units_of, wait_until, words_of
from tests.app.family_models import save_family
from tests.app.predict_room import MASKS, figure_of, page, predict

OFF, SAID_OFF = WhatIf(heads_off=frozenset({(1, 2)})), "head 2·3 off"
VALUES = np.array([[1.5, -2.0, 0.1], [0.0, 4.25, 1e-9]], dtype=np.float32)


def plain_figure(**changes):
    axes = Axis("looks", ("the, cat", "sat")), Axis("is looked at", ("a", "b", "c"))
    given = {
        "title": "Layer 1 · Head 2",
        "picture": Picture(200, 100, lambda painter: painter.drawText(10, 50, "comfortable")),
        "numbers": {"attention": Numbers(VALUES, axes)},
        "caption": "tiny 1a2b3c4d · A: The cat sat.",
        "source": "tiny",
    }
    return Figure(**(given | changes))


def tables(text):
    return [row for row in csv.reader(io.StringIO(text)) if row and not row[0].startswith("#")]


def test_a_csv_gives_the_numbers_back():
    text = table(plain_figure())
    rows = tables(text)
    assert rows[0] == ["looks \\ is looked at", "a", "b", "c"]
    assert [row[0] for row in rows[1:]] == ["the, cat", "sat"]
    np.testing.assert_array_equal(np.array([row[1:] for row in rows[1:]], dtype=np.float32), VALUES)
    assert "# tiny 1a2b3c4d · A: The cat sat.\n" in text


def test_more_than_two_dimensions_are_a_table_for_each_place():
    values = np.arange(24.0).reshape(2, 3, 2, 2)
    axes = Axis("layer", first=1), Axis("head", first=1), Axis("row"), Axis("column")
    text = table(plain_figure(numbers={"attention": Numbers(values, axes)}))
    block = text.split("# attention · layer 2, head 3\n")[1].splitlines()[:3]
    assert block == ["row \\ column,0,1", "0,20,21", "1,22,23"]
    assert text.count("# attention · layer") == 6


def test_an_npz_holds_arrays_names_and_caption(tmp_path):
    save_figure(plain_figure(), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as saved:
        np.testing.assert_array_equal(saved["attention"], VALUES)
        assert saved["attention.looks"].tolist() == ["the, cat", "sat"]
        assert str(saved["caption"]) == "tiny 1a2b3c4d · A: The cat sat."


def test_labels_fit_or_are_refused():
    with pytest.raises(ValueError, match="labels"):
        Numbers(VALUES, (Axis("row", ("one",)), Axis("column")))
    numbers = numbers_of("word", ["a", "b"], [0.5, 0.25])
    assert numbers.values.tolist() == [0.5, 0.25] and numbers.axes[0].labels == ["a", "b"]


def test_pictures_have_their_words_as_text_and_their_caption():
    texts = words_of(plain_figure())
    assert "comfortable" in texts
    assert any("1a2b3c4d" in text for text in texts)
    image = QImage.fromData(PICTURES[".png"](plain_figure()))
    assert image.size() == image_of(plain_figure()).size()
    assert image.width() % 2 == 0 and image.width() > 2 * 200
    assert image.text("Description") == "tiny 1a2b3c4d · A: The cat sat."


def test_a_pdf_has_its_words_as_text():
    """Words in a PDF are strings drawn with an embedded font that says which letter each glyph is."""

    def inflated(part):
        try:
            return zlib.decompressobj().decompress(part)
        except zlib.error:  # it is not compressed
            return part

    content = pdf(plain_figure(picture=Picture(200, 100, lambda painter: painter.drawText(10, 50, "z"))))
    assert b"/FontFile" in content and b"/ToUnicode" in content
    streams = [inflated(part) for part in re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL)]
    assert any(b" Tj" in stream or b" TJ" in stream for stream in streams)
    letters = {int(code, 16) for stream in streams for code in re.findall(rb"<([0-9a-fA-F]{4})>", stream)}
    assert ord("z") in letters


def test_the_hash_tells_models_apart(model_folder, headless_folder, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(model_folder, copy)
    first = model_hash(model_folder)
    assert re.fullmatch("[0-9a-f]{8}", first)
    assert model_hash(copy) == first != model_hash(headless_folder)
    weights = copy / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    assert model_hash(copy) != first
    assert model_hash(tmp_path / "gone") == ""


def test_every_picture_of_every_view_can_be_taken_away(window):
    window.state.set_what_if(window.state.what_if.with_segment(2, 1))
    window.state.set_masks([2, 6, 9])
    window.state.set_head(0, 0)
    window.state.set_baseline(OtherText("The dog sat on the mat.", TEXT_B))
    names = set()
    views = {spec.key: spec.view_keys for spec in ROOMS}
    for room in ("map", "embed", "attend", "predict"):
        for key in views[room]:
            view = shown_view(window, room, key) if key else window.open_room(room)
            answered(window)
            if key == "fill":
                view.next.click()
            if key == "texts":
                view.try_texts("the cat sat")
            answered(window)
            for made in figure_buttons(window.frame.room):
                figure = made.figure()
                assert figure.numbers, f"{key}: {made.accessibleName()} has nothing to save"
                assert model_hash(window.state.model.folder) in figure.caption
                assert figure.picture.width and b"<text" in svg(figure)
                assert tables(table(figure)) and npz(figure)
                assert all(np.isfinite(numbers.values).any() for numbers in figure.numbers.values())
                names.add(file_name(figure, room))
    assert len(names) >= 10


def button_of(window, title):
    """The one that saves the figure with this title."""
    found = [(made, made.figure()) for made in figure_buttons(window.frame.room)]
    return next(made for made, figure in found if figure and figure.title == title)


def test_a_saved_head_is_the_head_on_show(window):
    window.open_room("attend")
    window.state.set_head(1, 2)
    settle(window)
    figure = button_of(window, "Layer 2 · Head 3").figure()
    (numbers,) = figure.numbers.values()
    np.testing.assert_array_equal(numbers.values, window.state.reading.trace.attentions[1, 2])
    assert [axis.name for axis in numbers.axes] == ["looks", "is looked at"]
    assert "layer 2, head 3" in figure.caption and "A: The cat sat on the mat." in figure.caption
    assert "comfortable" in words_of(figure)


def test_the_caption_says_what_is_masked_and_changed_and_no_more_than_the_numbers_are_of(window):
    window.state.set_masks([2])
    window.state.set_what_if(window.state.what_if.with_head(0, 1, True))
    window.state.set_head(0, 0)
    settle(window)
    caption = caption_of(window.state.reading, window.state.selection, head=True, token=True, settings="colours to 0.5")
    for part in ("step 100", "layer 1, head 1", "masked: 2", "head 1·2 off", "colours to 0.5", "token 1"):
        assert part in caption
    window.state.set_token_view(words=True)
    settle(window)
    merged = window.state.token_view.notes[0]
    assert merged in caption_of(window.state.reading, window.state.selection)
    plain = caption_of(window.state.reading, window.state.selection, plain=True, by_token=True)
    assert "head 1·2 off" not in plain and merged not in plain and "masked: 2" in plain and TEXT_A in plain
    own = caption_of(window.state.reading, window.state.selection, texts=False, settings="own sentences")
    assert not any(part in own for part in (TEXT_A, "masked", "off", merged)) and "own sentences" in own


def test_every_head_saves_what_it_draws(window):
    """A long text is drawn in blocks of tokens, which have no names."""
    room = window.open_room("attend")
    window.state.set_token_view(specials=False)
    settle(window)
    drawn, units = room.heads_card.atlas_figure().numbers["attention"], len(units_of(window))
    assert drawn.values.shape[2:] == (units, units) and list(drawn.axes[2].labels) == units_of(window).labels
    smaller = np.random.default_rng(0).random((2, 4, units - 2, units - 2), dtype=np.float32)
    room.heads_card.atlas.set_heads(smaller)
    in_blocks = room.heads_card.atlas_figure().numbers["attention"]
    assert np.array_equal(in_blocks.values, smaller)
    assert [axis.name for axis in in_blocks.axes][2:] == ["block of tokens that looks", "block that is looked at"]


def test_the_menu_saves_a_picture(window, tmp_path, monkeypatch):
    window.open_room("attend")
    asked = []

    def choose(parent, title, start, filters):
        asked.append(start)
        return str(tmp_path / "mine"), "SVG (*.svg)"

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    menu = figure_buttons(window.frame.room)[0].open_menu()
    offered = [action.text().split("\t")[0] for action in menu.actions() if action.text()]
    assert offered == [action.title for action in WITHOUT_FRAMES]
    menu.actions()[0].trigger()
    menu.close()
    assert "<svg" in (tmp_path / "mine.svg").read_text(encoding="utf-8")
    assert Path(asked[0]).name == "tiny-model-attend-every-head.png"
    assert not window.frame.banner.is_shown


def test_what_is_saved_is_what_stands_there_when_the_dialog_closes(window, tmp_path, monkeypatch):
    room = window.open_room("attend")

    def choose(*_):
        window.state.set_text("A dog ran home.", "")  # as a model that was loading does, meanwhile
        settle(window)
        return str(tmp_path / "mine.npz"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    figure_buttons(room)[0].request(FigureAction.SAVE_NUMBERS)
    with np.load(tmp_path / "mine.npz") as saved:
        assert "A dog ran home." in str(saved["caption"]) and saved["attention"].shape[-1] == len(units_of(window))


def test_a_picture_that_is_there_is_not_replaced_unasked(window, tmp_path, monkeypatch):
    """The dialog has asked about "fig.v2", which is not there; fig.v2.svg is."""
    window.open_room("attend")
    there, asked = tmp_path / "fig.v2.svg", list[str]()
    there.write_text("somebody's")
    typed = iter([str(tmp_path / "fig.v2"), str(tmp_path / "other")])

    def question(parent, title, text):
        asked.append(text)
        return QMessageBox.StandardButton.No

    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (next(typed), "SVG (*.svg)"))
    monkeypatch.setattr(QMessageBox, "question", question)
    window.commands["file.save_picture"].trigger()
    assert len(asked) == 1 and asked[0].startswith("fig.v2.svg already exists.")
    assert there.read_text() == "somebody's" and (tmp_path / "other.svg").exists()


def test_a_file_that_cannot_be_written_is_one_sentence(window, tmp_path, monkeypatch):
    window.open_room("attend")
    gone = tmp_path / "no" / "such" / "a.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(gone), "CSV (*.csv)"))
    window.commands["file.save_numbers"].trigger()
    assert str(gone) in window.frame.banner.text
    assert window.frame.banner.text.count(".") >= 1 and "\n" not in window.frame.banner.text
    with pytest.raises(BertcoreError, match="must end in"):
        save_figure(plain_figure(), tmp_path / "a.xls")


def test_what_stood_there_stays_when_writing_fails(tmp_path, monkeypatch):
    file = tmp_path / "a.csv"
    file.write_text("mine")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(BertcoreError, match="no space left"):
        save_figure(plain_figure(), file)
    assert file.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_copies_go_to_the_clipboard_and_keys_save_what_has_the_keyboard(window):
    window.state.set_head(0, 0)
    window.open_room("attend")
    button = button_of(window, "Layer 1 · Head 1")
    button.request(FigureAction.COPY_NUMBERS)
    line = QApplication.clipboard().text().splitlines()[4]
    assert line.split("\t")[1:3] == window.state.reading.shown_tokens[:2]
    button.request(FigureAction.COPY_PICTURE)
    assert not QApplication.clipboard().image().isNull()
    assert QApplication.clipboard().mimeData().hasFormat("image/svg+xml")
    window.frame.room.heads_card.atlas.setFocus()
    QTest.keyClick(window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    assert QApplication.clipboard().text().startswith("# Every head")


def test_there_is_nothing_to_save_before_a_reading(window):
    window.open_room("attend")
    window.state.reading = None
    window.state.reading_changed.emit()
    window.commands["file.save_picture"].trigger()
    assert "no picture here" in window.frame.banner.text


def test_curves_are_saved_with_all_their_points(qtbot):
    curves = CurveSpec("a", "training", "curve_train"), CurveSpec("b", "held out", "bad", dots=True)
    plot = CurvePlot(PlotSpec("Loss", curves, "loss"))
    qtbot.addWidget(plot)
    plot.show()
    plot.set_figure(lambda: ("my run", "run my run · step 2,000"))
    (button,) = plot.findChildren(FigureButton)
    assert not button.isVisible() and button.figure() is None  # there is nothing to save yet
    steps, values = np.arange(2000.0), np.sin(np.arange(2000) / 50)
    plot.set_points({"a": (steps, values)})
    wait_until(lambda: plot.is_loaded)
    assert button.isVisible()
    figure = button.figure()
    assert list(figure.numbers) == ["a"] and file_name(figure, "train") == "my-run-train-loss"
    rows = tables(table(figure))
    assert rows[0] == ["step", "a"] and rows[-1][0] == "1999" and len(rows) == 2001
    np.testing.assert_allclose(np.array(rows[1:], dtype=float)[:, 1], values, rtol=1e-8)
    assert {"loss", "step", "training"} <= {text.strip() for text in words_of(figure)}


def test_a_page_shows_hostile_words_as_they_are_written():
    """Whatever a token says is text: in the title, the caption, the numbers, and the names in its script."""
    hostile = '</script><script>alert(1)</script><img src=x onerror=alert(1)> " onload=alert(1) %names% %frames%'
    picture = Picture(20, 10, lambda painter: None)
    numbers = {hostile: Numbers(VALUES, (Axis(hostile, (hostile, "sat")), Axis("b", (hostile, "b", "c"))))}
    frames = {hostile: picture, "%title%": picture}
    page = ANIMATIONS[".html"](plain_figure(title=hostile, caption=hostile, numbers=numbers, frames=frames)).decode()
    seen = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: seen.append((tag, dict(attributes)))
    parser.feed(page)
    assert [tag for tag, _ in seen].count("script") == 1 and [tag for tag, _ in seen].count("img") == 1
    assert not any(name.startswith("on") for _, attributes in seen for name in attributes)
    assert next(attributes for tag, attributes in seen if tag == "input")["aria-label"] == hostile
    assert next(attributes for tag, attributes in seen if tag == "img")["alt"] == hostile
    assert "</script><script>" not in page and page.count("data:image/png;base64,") == 2


posix = pytest.mark.skipif(os.name == "nt", reason="links and modes as POSIX has them")


@posix
@pytest.mark.parametrize("name", ["a\0b", "half \ud800", "n" * 300, "no/such/folder"])
def test_the_dialog_takes_any_name_and_a_bad_one_is_one_sentence(name, window, tmp_path, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), ""))
    assert ask_for_file(window, "Save", tmp_path, {".csv": "CSV (*.csv)"}) == tmp_path / f"{name}.csv"
    for save in (
        lambda: window.sessions.save(tmp_path / f"{name}.bertscope.json"),
        lambda: window.show_problem(refusal(lambda: save_figure(plain_figure(), tmp_path / f"{name}.csv"))),
    ):
        window.frame.banner.dismiss()
        save()
        said = window.frame.banner._text.text()
        assert window.frame.banner.is_shown and "could not be written" in said
        assert "\n" not in said and "\0" not in said and len(said) < 600
    assert [file for file in tmp_path.iterdir() if file.is_file()] == []


def refusal(act):
    with pytest.raises(BertcoreError) as caught:
        act()
    return str(caught.value)


@posix
@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf", ".csv", ".npz"])
def test_a_private_file_stays_private_and_a_link_a_link(ending, tmp_path):
    real, link = tmp_path / f"real{ending}", tmp_path / f"link{ending}"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    save_figure(plain_figure(), link)
    assert link.is_symlink() and real.read_bytes() != b"old" and stat.S_IMODE(real.stat().st_mode) == 0o600


@posix
def test_no_link_that_somebody_put_beside_it_is_followed(window, tmp_path):
    """The names that earlier versions wrote to first could be foreseen."""
    precious, file = tmp_path / "precious", tmp_path / "mine.bertscope.json"
    precious.write_text("mine")
    for name in (f".{file.name}.{os.getpid()}.tmp", f".{file.name}.{os.getpid()}", f"{file.stem}.tmp"):
        (tmp_path / name).symlink_to(precious)
    window.sessions.save(file)
    window.services.settings_file = tmp_path / "settings.json"
    (tmp_path / "settings.tmp").symlink_to(precious)
    window.services.save_settings()
    assert precious.read_text() == "mine" and load_session(file).text_a == window.state.text_a


@posix
def test_half_a_character_in_a_text_is_saved_as_a_question_mark(window, tmp_path):
    window.state.text_a = "the \ud83d cat"
    window.sessions.save(tmp_path / "a.bertscope.json")
    assert load_session(tmp_path / "a.bertscope.json").text_a == "the ? cat"
    odd = plain_figure(title="Layer 1 \ud83d")
    for ending in (".csv", ".svg", ".pdf", ".png", ".npz"):
        save_figure(odd, tmp_path / f"a{ending}")
    assert "?" in (tmp_path / "a.csv").read_text(encoding="utf-8-sig")


@posix
def test_devices_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path / "pipe", Path("/dev/null"), tmp_path):
        assert "could not be written" in refusal(lambda file=file: write_whole(file, b"x"))
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode) and stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_effects_are_said_to_be_of_the_model_as_it_is(window):
    """The pictures under them are of the model as it is changed."""
    room = attend_room.attend(window)
    window.state.set_masks((2,))
    window.state.set_what_if(OFF)
    settle(window)
    room.heads_card.open("effects")
    answered(window)
    figure = room.heads_card.atlas_figure()
    assert "effect" in figure.numbers
    assert SAID_OFF in figure.caption and "squares: of the model as it is" in figure.caption


def test_surprise_is_of_the_text_as_typed(window):
    window.state.set_what_if(OFF)
    figure = figure_of(page("surprise", window))
    assert TEXT_A in figure.caption and SAID_OFF in figure.caption
    assert "masked:" not in figure.caption


def test_likeness_is_of_the_sentences_as_typed_and_the_model_as_it_is(open_window, tmp_path):
    window = open_window(save_family("minilm", tmp_path / "minilm"), TEXT_A, TEXT_B)
    window.state.set_token_view(words=True)
    window.state.set_what_if(OFF)
    room = predict(window, (2,))
    wait_until(lambda: figure_of(room.words_view.pair) is not None)
    figure, said = figure_of(room.words_view.pair), room.words_view.pair.verdict
    assert "cosine" in figure.numbers and TEXT_A in figure.caption
    assert not any(part in figure.caption for part in ("masked:", SAID_OFF, MERGING))
    room.words_view.pair.swap.click()
    answered(window)
    assert [one.verdict for one in room.words_view.pair.pairs] == [said]
    room.words_view.similarity.clear()  # another text: the former pair's verdict is on show until this one's comes
    assert figure_of(room.words_view.pair) is None


def test_the_verdict_of_a_head_is_of_what_it_read(window):
    window.state.set_what_if(OFF)
    room = predict(window, (2,))
    figure, said = figure_of(room.words_view.pair), room.words_view.pair.verdict
    assert "masked: 2" in figure.caption and SAID_OFF in figure.caption
    room.words_view.pair.swap.click()
    answered(window)
    assert [one.verdict for one in room.words_view.pair.pairs] == [f"{said} (with changes)"]


def test_the_order_of_filling_is_that_of_the_steps(window):
    """Not the one that is chosen by now."""
    view = page("fill", window)

    def said():
        return figure_of(view).hint

    view.order.setCurrentText(ORDERS["clicks"])
    for position in (MASKS[2], MASKS[0]):
        tokens = view.charts["text"]
        click(tokens, tokens.rect_of(position))
        answered(window)
    view.order.setCurrentText(ORDERS["most certain first"])
    view.order.activated.emit(1)
    assert said() == ORDERS["clicks"]
    view.next.click()
    answered(window)
    assert len(view.steps) == 3 and said() == "in mixed order"
    view.undo.click()
    assert said() == ORDERS["clicks"]
    view.restart.click()
    view.all.click()
    answered(window)
    assert said() == ORDERS["most certain first"]
