"""The room Attend for other families, many heads, a single token, and models that predict nothing."""

from pathlib import Path

import numpy as np
import pytest

from app.compute.head_questions import changed_targets
from app.look import numbers
from app.rooms.attend.heads_card import PANELS
from app.rooms.attend.large_card import SPECS
from app.rooms.attend.matrix_view import MatrixView
from app.shell.window import Window
from tests.app.attend_room import attend, traced, values
from tests.app.conftest import TEXT_A, TEXT_B, Opener, answered, settle, wait_until
from tests.app.family_models import save_family
from tests.app.test_apply_room import make_model


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("families")


def shown(open_window: Opener, folder: Path) -> Window:
    window = open_window(folder, TEXT_A, TEXT_B)
    return window


@pytest.mark.parametrize("family", ["distilbert", "albert", "discriminator", "minilm", "roberta"])
def test_every_mode_and_tab_of_each_family(open_window: Opener, folders: Path, family: str) -> None:
    window = shown(open_window, save_family(family, folders / family))
    room = attend(window)
    model = window.state.model
    if "mlm" in model.output_heads:
        window.state.set_masks((2,))
        settle(window)
    for spec in PANELS:
        room.heads_card.open(spec.key)
        answered(window)
    for spec in SPECS:
        room.show_view(spec.key)
        answered(window)
        assert room.large.title != ""
        if isinstance(room.view, MatrixView):
            assert (room.view.grid.values is not None) == (spec.key != "gradient" or bool(room.shared.targets.all))
    has_target = bool(model.output_heads)
    assert bool(room.shared.targets.all) == has_target
    if not has_target:
        assert room.heads_card.atlas.effects is None
        said = "another one" if model.pooling is not None else model.missing["mlm"]
        assert said in room.shared.targets.problem
    assert not window.frame.banner.is_shown


@pytest.mark.parametrize("kind", ["classify", "tag", "span"])
def test_a_fine_tuned_model_is_asked_about_its_own_task(open_window: Opener, folders: Path, kind: str) -> None:
    window = shown(open_window, make_model(folders / kind, kind))
    room = attend(window)
    room.side.what_if.head_off.click()
    settle(window)
    reading = window.state.reading
    assert reading is not None and reading.baseline is not None
    target = changed_targets(reading.baseline, reading)[0]
    expected = (
        target.label,
        *(numbers.probability(target.value(one), fine=True) for one in (reading.baseline, reading)),
    )
    assert expected in room.side.what_if.effect.rows
    room.heads_card.open("effects")
    answered(window)
    assert room.heads_card.atlas.effects is not None
    view = room.open_view("check")
    answered(window)
    assert view.bars.columns


def test_24_by_16_heads(open_window: Opener, folders: Path) -> None:
    window = shown(open_window, save_family("encoder", folders / "encoder"))
    room = attend(window)
    answered(window)
    room.heads_card.by_kind.setChecked(True)
    panel = room.open_view("alike")
    answered(window)
    assert panel.points.points.places.shape == (24 * 16, 2)
    room.shared.choose((23, 15), (0, 0), (11, 7))
    room.open_view("mean")
    attentions = traced(window).attentions
    expected = (attentions[23, 15] + attentions[0, 0] + attentions[11, 7]) / 3
    np.testing.assert_allclose(values(room), expected, atol=1e-6)
    assert room.large.title == "Mean of 3 heads"


@pytest.mark.parametrize("specials", [True, False])
def test_nothing_but_special_tokens(window: Window, specials: bool) -> None:
    """With them left out there is nothing to show at all."""
    room = attend(window)
    window.state.set_text("", "")
    window.state.set_token_view(specials=specials)
    settle(window)
    for key in [*(spec.key for spec in SPECS), "matrix", "score"]:
        room.show_view(key)
        answered(window)
        window.repaint()
    for spec in PANELS:
        room.heads_card.open(spec.key)
        answered(window)
        window.repaint()
    assert not window.frame.banner.is_shown
    assert room.is_drawn == specials
    if specials:
        assert room.open_view("matrix").grid.rows.texts == ["[CLS]", "[SEP]"]
    else:
        assert "there is no word yet" in room.waiting.sentence
    window.state.set_text("cat", "")
    settle(window)
    assert room.is_drawn and "cat" in room.view.attentions.units.labels


def test_one_word_without_special_tokens(window: Window) -> None:
    room = attend(window)
    window.state.set_text("cat", "")
    window.state.set_token_view(specials=False)
    answered(window)
    assert values(room).shape == (1, 1)
    assert room.side.row is not None and room.side.row.tolist() == pytest.approx([1.0])
    assert not room.side.what_if.weight.isEnabled()
    for spec in PANELS:
        room.heads_card.open(spec.key)
        answered(window)
    assert not window.frame.banner.is_shown


def test_from_many_heads_to_few(open_window: Opener, folders: Path, model_folder: Path) -> None:
    window = shown(open_window, save_family("encoder", folders / "large"))
    room = attend(window)
    room.shared.choose((20, 12), (3, 9), (1, 1))
    window.open_model(model_folder)
    wait_until(lambda: window.state.model.folder == model_folder)
    settle(window)
    assert set(room.shared.heads) <= {(layer, head) for layer in range(2) for head in range(4)}
    assert (window.state.layer, window.state.head) in room.shared.heads
