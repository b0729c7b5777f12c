"""Figures for a paper: so wide, in type of 8 points, with numbers that a script makes again."""

import csv
import re
from base64 import b64encode

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QFileDialog

from app.figures.files import image_of
from app.figures.paper import DOTS_PER_INCH, WIDTHS_IN, on_paper, save_for_paper
from app.look import theme
from app.state.baseline import OtherModel, OtherText
from app.widgets.figure_button import FigureAction, figure_buttons
from bertcore.errors import BertcoreError
from tests.app.conftest import TEXT_A, compare, make_checkpoint, settle, shown_view

SCRIPTED = {  # view -> how many of the figures on show bring their script
    **{f"attend.{name}": 2 for name in ("mean", "rollout", "flow", "lines")},  # with that of all heads
    **{f"attend.{name}": 3 for name in ("matrix", "score", "check")},
    "map.model": 1,
    "predict.words": 2,
    "predict.lens": 1,
    "predict.surprise": 2,
    "predict.attribution": 3,
    "predict.fates": 2,
    "embed.parts": 4,
    "embed.map": 1,
    "embed.padding": 2,
    "layers.hidden": 2,
    "layers.paths": 1,
    "layers.word": 2,
    "layers.added": 2,
    "layers.neurons": 2,
}
COMPARED = {"layers.swap": 2, "layers.apart": 2, "layers.weights": 2}


def figures_of(window, name, qtbot):
    """All that can be saved, of the view and of its room."""
    view = shown_view(window, *name.split("."), qtbot)
    if name == "embed.parts":  # of all tokens there is more to be seen
        view.which.setCurrentIndex(1)
        settle(window)
    figures = [button.figure() for button in figure_buttons(window.frame.room)]
    return view, [figure for figure in figures if figure is not None]


def grey_levels(image):
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    return np.frombuffer(grey.constBits(), np.uint8).reshape(grey.height(), -1)[:, : grey.width()].copy()


@pytest.mark.parametrize(("name", "count"), [*SCRIPTED.items(), *COMPARED.items()])
def test_the_script_makes_the_numbers_again(name, count, window, qtbot, tmp_path):
    window.state.set_text("The cat sat on the mat.", "The dog ran home.")
    window.state.set_head(1, 1)
    window.state.set_masks([3])
    window.state.set_focus(4)
    if name in COMPARED:
        is_text, other = name != "layers.weights", tmp_path / "other"
        text = OtherText("The bird sat on the mat.", "The dog ran home.")
        compare(window, text if is_text else OtherModel(str(make_checkpoint(other, seed=3))))
    scripted = [figure for figure in figures_of(window, name, qtbot)[1] if figure.script]
    for figure in scripted:
        made = {}
        exec(figure.script, made)
        saved = next(iter(figure.numbers.values())).values
        np.testing.assert_allclose(made["numbers"], saved, atol=2e-4, err_msg=figure.script)
        folder = save_for_paper(figure, tmp_path)
        assert (folder / "make_numbers.py").read_text(encoding="utf-8") == figure.script
        rows = [row for row in csv.reader((folder / "numbers.csv").open()) if row and not row[0].startswith("# ")]
        if len(figure.numbers) == 1 and saved.ndim < 3:
            np.testing.assert_allclose(np.array([row[1:] for row in rows[1:]], float).ravel(), saved.ravel(), atol=1e-6)
    assert len(scripted) == count, [figure.title for figure in scripted]


def test_widths_type_and_words(window, qtbot, tmp_path):
    view, (figure, *_) = figures_of(window, "layers.hidden", qtbot)
    chart, size = view.charts["cosines"], view.charts["cosines"].size()
    folder = save_for_paper(figure, tmp_path)
    for name, inches in WIDTHS_IN.items():
        svg = (folder / f"{name}.svg").read_text()
        assert float(re.search(r'width="([\d.]+)mm"', svg)[1]) == pytest.approx(25.4 * inches, abs=0.3)
        assert set(re.findall(r'<text[^>]*font-size="([\d.]+)"', svg)) == {"12"} and DOTS_PER_INCH == 108
        weights, faces = (
            re.findall(rf'{name}[=:]"?(\d+)', svg) for name in ("font-weight", "font-family:Roboto;font-weight")
        )
        assert set(faces) == set(weights) and b64encode(theme.font_file(400)).decode() in svg
        assert figure.title not in svg and TEXT_A.split()[1] in svg
        page = re.search(rb"/MediaBox \[0 0 ([\d.]+)", (folder / f"{name}.pdf").read_bytes())
        assert float(page[1]) == pytest.approx(72 * inches, abs=1)
    assert figure.caption in (folder / "caption.txt").read_text(encoding="utf-8")
    assert save_for_paper(figure, tmp_path).name == f"{folder.name}-2"
    with pytest.raises(ZeroDivisionError), on_paper(figure, 3.3):
        assert chart.size() != size
        raise ZeroDivisionError
    assert chart.size() == size and theme.active() is theme.LIGHT


def test_the_sign_shows_in_grey_and_no_theme_does(window, qtbot):
    levels = [QColor(stop).lightness() for stop in theme.PAPER.diverging]
    assert levels == sorted(levels, reverse=True)
    seen = []
    for name in ("light", "dark"):
        window.appearance.set_look(name)
        _, (figure, *_) = figures_of(window, "layers.hidden", qtbot)
        with on_paper(figure, 3.3) as printed:
            seen.append(grey_levels(image_of(printed, 1)))
    assert (seen[0] == seen[1]).all()


def test_from_the_menu(window, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    _, (figure, *_) = figures_of(window, "layers.hidden", qtbot)
    window.exporter.export(lambda: figure, FigureAction.SAVE_FOR_PAPER)
    assert len(list(tmp_path.glob("*/*.pdf"))) == 2
    (tmp_path / "file").touch()
    with pytest.raises(BertcoreError, match="could not be written"):
        save_for_paper(figure, tmp_path / "file")


def test_what_bertcore_cannot_make_again_has_no_script(window, qtbot):
    state = window.state
    state.set_what_if(state.what_if.with_head(0, 0, True))
    assert not figures_of(window, "layers.hidden", qtbot)[1][0].script
