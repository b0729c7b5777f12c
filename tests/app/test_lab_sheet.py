"""The hand-out for a class: what is on it is what the model says."""

import re

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog

from app.figures.files import new_folder
from app.lessons.lab_sheet import lab_sheet
from app.look import numbers, theme
from app.state.verdicts import verdict_of
from bertcore.analysis.attention_heads import clearest_head
from bertcore.errors import BertcoreError
from tests.app.conftest import settle


@pytest.fixture
def sheet(window):
    window.state.set_text("The cat [MASK] on the mat.", "It was <very> comfortable & warm.")
    settle(window)
    window.state.set_head(1, 0)
    return lab_sheet(window.state.reading, window.state.selection)


def test_answers_are_on_the_second_sheet_alone(sheet, window):
    reading = window.state.reading
    guess = reading.masks[0].words[0]
    cell = f"<td>{guess.token}</td><td>{numbers.percent(guess.probability)}</td>"
    assert cell in sheet.answers and cell not in sheet.html
    shown = verdict_of(reading)
    assert numbers.percent(reading.next_sentence.is_next) in shown.short
    verdict = f"The model: {shown.short}"  # as the window says it
    assert verdict in sheet.answers and verdict not in sheet.html
    assert "____" in sheet.html
    tables = [re.findall("<t(?:able|h)[^>]* width='([0-9]+)'", html) for html in (sheet.html, sheet.answers)]
    assert tables[0] == tables[1] and len(tables[0]) == 4  # a table and its columns, as wide on both
    assert "<p>[CLS] the cat" in sheet.html and " …</p>" in sheet.html  # nothing is left out before the first token
    assert "It was &lt;very&gt; comfortable &amp; warm." in sheet.html  # what was typed is no markup


def test_a_word_that_is_hidden_by_hand_is_on_the_answers_alone(window):
    window.state.set_text("The cat sat on the mat.", "It was happy.")
    window.state.set_masks([2, 6])
    settle(window)
    made = lab_sheet(window.state.reading, window.state.selection)
    words = re.sub('src="[^"]*"', "", made.html)  # without its pictures
    assert "The [MASK] sat on the [MASK]." in words and "cat" not in words
    assert "The [MASK] sat on the [MASK]." in made.answers  # what the model read
    assert "Hidden: cat, mat" in made.answers and "Hidden" not in made.html


def test_every_head_has_its_picture_and_two_are_large(sheet, window):
    trace, encoding = window.state.reading.trace, window.state.reading.encoding  # type: ignore[union-attr]
    layers, heads = trace.attentions.shape[:2]
    assert len([name for name in sheet.pictures if name.startswith("layer-")]) == layers * heads
    layer, head = clearest_head(trace.attentions, encoding, besides=(1, 0))
    large = ["large-layer-02-head-01.png", f"large-layer-{layer + 1:02}-head-{head + 1:02}.png"]
    assert [name for name in sheet.pictures if name.startswith("large-")] == large and (layer, head) != (1, 0)
    clearest = clearest_head(trace.attentions, encoding)
    assert (layer, head) == clearest or clearest == (1, 0)
    assert clearest_head(trace.attentions, encoding, besides=clearest) != clearest
    assert not sheet.pictures["all-heads.png"].isNull()


def test_it_is_for_paper_whatever_the_theme(window, sheet):
    window.appearance.set_look("dark", projector=True)
    settle(window)
    dark = lab_sheet(window.state.reading, window.state.selection)
    assert dark.pictures["all-heads.png"] == sheet.pictures["all-heads.png"]
    assert theme.active().name == "dark" and theme.is_projector()


def test_all_files_are_written_and_need_nothing_else(sheet, tmp_path):
    written = sheet.write(tmp_path / "sheet")
    assert all(file.stat().st_size > 300 for file in written)
    for name in ("lab-sheet", "lab-sheet-answers"):
        assert (tmp_path / "sheet" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        html = (tmp_path / "sheet" / f"{name}.html").read_text("utf-8")
        sources = re.findall('src="([^"]*)"', html)
        assert len(sources) == 3 and all(source.startswith("data:image/png;base64,") for source in sources)
        assert "http" not in re.sub('src="[^"]*"', "", html)
    picture = QImage(str(tmp_path / "sheet" / "heads" / "layer-01-head-01.png"))
    assert picture.width() >= 900


def test_a_place_that_cannot_be_written_is_named(sheet, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BertcoreError, match="could not be written"):
        sheet.write(tmp_path / "file" / "sheet")


def test_the_command_writes_it(window, sheet, tmp_path, monkeypatch, qtbot):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *rest: str(tmp_path))
    with qtbot.waitSignal(window.exporter.done) as said:
        window.commands["file.lab_sheet"].trigger()
    assert str(tmp_path / "lab-sheet") in said.args[0]
    assert (tmp_path / "lab-sheet" / "lab-sheet.pdf").is_file()
    assert new_folder(tmp_path, "lab-sheet").name == "lab-sheet-2"
