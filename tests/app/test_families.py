"""The rooms for every family: what a model has is shown by its own names, what it lacks is said."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt

from app.compute.head_questions import changed_targets
from app.look import numbers
from app.rooms.attend.heads_card import PANELS
from app.rooms.attend.large_card import SPECS
from app.rooms.attend.matrix_view import MatrixView
from app.shell.rooms import ROOMS
from app.state.explore_state import ExploreState
from app.widgets.token_strip import chips_of
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app import attend_room
from tests.app.attend_room import attend, traced, values
from tests.app.conftest import TEXT_A, TEXT_B, answered, read_masked, read_text, settle, shown_room, wait_until
from tests.app.family_models import SHAPES, save_family, vocabulary
from tests.app.predict_room import nothing, predict, texts
from tests.app.test_apply_room import make_model
from tests.app.test_embed_room import of_all_tokens, opened


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("families")
    return {name: save_family(name, folder / name) for name in SHAPES}


@pytest.fixture
def show(open_window, folders):
    """A window that shows the usual pair, read by the family's small model."""

    def make(name):
        window = open_window(folders[name], TEXT_A, TEXT_B)
        read_masked(window, ())
        return window

    return make


@pytest.mark.parametrize(("name", "says"), [("distilbert", "no segments"), ("roberta", "one segment")])
def test_without_segments_a_sentence_stands_in_their_place(show, name, says):
    window = show(name)
    view = of_all_tokens(opened(window))
    token, segment, position, total, _ = view.charts["strips"].parts
    assert segment.values is None and says in segment.reason
    assert says in view.no_segments.text() and view.no_segments.isVisible()
    assert not view.charts["segments"].isVisible()
    shared = total.values - token.values - position.values  # what the sentence is about: the same for all tokens
    np.testing.assert_allclose(shared, np.broadcast_to(shared[0], shared.shape), atol=1e-5)
    assert (np.abs(shared).max() > 0.01) == ("is part of the sum" in segment.reason)
    shown = [window.frame.status.text, view.cards["lengths"].hint, *(chip.hint() for chip in chips_of(window.state))]
    assert not any("segment" in text for text in shown)
    assert "sentence A" in chips_of(window.state)[1].hint()


def test_embeddings_narrower_than_hidden_states(show):
    window = show("albert")
    view = of_all_tokens(opened(window))
    parts = view.charts["strips"].parts
    token, segment, position, total, last = (part.values for part in parts)
    assert total.shape[1] == 16 and last.shape[1] == 32
    np.testing.assert_allclose(token + segment + position, total, atol=1e-5)
    assert parts[-1].name == "LayerNorm and projection"
    assert [part.note for part in parts] == ["16 columns"] * 4 + ["32 columns"]
    assert "16 numbers, 32 after the projection" in view.cards["strips"].hint
    length = np.linalg.norm(window.state.reading.trace.embeddings[1])
    assert float(view.length_after.text().split()[-1]) == pytest.approx(length, abs=0.01)


def test_a_pre_norm_model_has_no_strip_for_what_it_does_not_do(show):
    view = of_all_tokens(opened(show("pre-norm")))
    last = view.charts["strips"].parts[-1]
    assert last.values is None and "No LayerNorm" in last.reason
    assert not view.length_after.isVisible() and not view.last_scale.isVisible()


def test_strips_fill_their_place_without_covering_each_other(show):
    strips = of_all_tokens(opened(show("distilbert"))).charts["strips"]
    rects = [strips.strip_rect(number) for number in range(5)]
    assert all(upper.bottom() < lower.top() for upper, lower in pairwise(rects))
    assert rects[-1].bottom() == pytest.approx(strips.height(), abs=1)
    assert rects[1].height() < rects[0].height()  # a sentence takes what it needs
    assert strips.cell_at(rects[1].center()) is None


def test_positions_are_compared_from_the_first_one_on(show, folders):
    cosines = opened(show("roberta")).get_view("parts").charts["positions"].values
    table = load_checkpoint(folders["roberta"]).model.embeddings.position.weight[2:].numpy()  # 0 and 1 are padding's
    expected = table[0] @ table[1] / np.linalg.norm(table[0]) / np.linalg.norm(table[1])
    assert cosines.shape == (64, 64)
    assert cosines[0, 1] == pytest.approx(expected, abs=1e-5)


def test_the_models_own_names_are_shown(show):
    window = show("roberta")
    room = predict(window, (2,))
    assert [chip.token for chip in chips_of(window.state)[:4]] == ["<s>", "The", "<mask>", "·sat"]
    assert room.words_view.shown_cards[0].hint.startswith("hides “·cat” · rank ")
    assert "RoBERTa was trained without next-sentence prediction" in texts(room.words_view.pair)
    read_text(window, "The [MASK] sat.", "")
    assert room.words_view.shown_cards[0].hint.startswith("<mask> is in the text")
    attend = shown_room(window, "attend")
    assert "on <s>, </s>" in [name.text() for name, *_ in attend.side.facts]
    assert "[CLS]" not in attend.open_view("kinds").links.text()


@pytest.mark.parametrize(("name", "family"), [("roberta", "RoBERTa"), ("pre-norm", "pre-norm BERT"), ("minilm", "")])
def test_the_family_is_named_where_it_is_not_bert(show, name, family):
    window = show(name)
    title, status = window.frame.title_bar.model.text(), window.frame.status.text
    assert f" · {family} · " in title and status.startswith(family) if family else "BERT" not in title + status


def test_albert_says_whether_a_comes_before_b(show):
    window = show("albert")
    room, reading = predict(window, ()), window.state.reading
    in_order, _ = torch.tensor(reading.trace.sentence_order_logits).softmax(0).tolist()
    assert room.words_view.pair.title == "Does A come before B?" and room.words_view.cards["replaced"].isHidden()
    assert f"A comes before B: {numbers.percent(in_order)}" in texts(room.words_view.pair)
    read_text(window, b="")
    assert "Type a second sentence" in texts(room.words_view.pair)


def test_a_sentence_encoder_says_how_alike_a_and_b_are(show, folders):
    window = show("minilm")
    room = predict(window, ())
    checkpoint = load_checkpoint(folders["minilm"])
    encodings = (checkpoint.tokenizer.encode(text) for text in (TEXT_A, TEXT_B))
    a, b = (checkpoint.model(torch.tensor([one.ids]))[0].mean(0) for one in encodings)
    assert room.words_view.pair.title == "How similar are A and B?"
    assert f"cosine {torch.cosine_similarity(a, b, dim=0):.3f}".replace("-", "−") in texts(room.words_view.pair)
    assert "cannot predict words" in nothing(room.words_view) and "how similar" in nothing(room.words_view)
    window.state.set_text(b=TEXT_A)
    wait_until(lambda: "cosine 1.000" in texts(room.words_view.pair))
    assert "Nearly the same" in texts(room.words_view.pair)
    read_text(window, b="")
    assert "Type a second sentence" in texts(room.words_view.pair)


def test_a_discriminator_judges_every_token(show):
    window = show("discriminator")
    view, reading = predict(window, ()).words_view, window.state.reading
    tokens, bars = view.charts["replaced"], view.charts["likeliest"].bars
    assert tokens.isVisible() and nothing(view) == "" and view.shown_cards == []
    expected = torch.tensor(reading.trace.replaced_logits).sigmoid().numpy()
    np.testing.assert_allclose([token.value for token in tokens.tokens], expected, atol=1e-6)
    words = [i for i, part in enumerate(reading.encoding.parts) if part != "special"]
    taken = [i for i in words if expected[i] >= 0.5]
    assert [i for i, token in enumerate(tokens.tokens) if token.is_marked] == taken
    assert f"{len(taken)} of {len(words)} tokens" in view.judged.text()
    assert int(bars[0].note) == max(words, key=lambda i: expected[i])
    assert view.read_text.text().count("<u>") == len(taken)
    tokens.clicked.emit(4, Qt.KeyboardModifier.NoModifier)
    assert window.state.focus == 4


def test_many_layers_and_nothing_to_predict(show):
    window = show("encoder")
    attend = window.open_room("attend")
    window.state.set_head(23, 15)
    settle(window)
    reading = window.state.reading
    assert attend.is_drawn
    np.testing.assert_array_equal(attend_room.values(attend), reading.trace.attentions[23, 15])
    atlas = attend.heads_card.atlas
    assert atlas.cell_rect(23, 15).right() <= atlas.width() and atlas.cell_rect(23, 15).bottom() <= atlas.height()
    assert "cannot predict words" in nothing(predict(window, ()).words_view)
    assert all(part.values is not None for part in opened(window).get_view("parts").charts["strips"].parts)


def test_models_of_different_families_follow_each_other(show, folders):
    window = show("roberta")
    view = of_all_tokens(opened(window))
    for name in ("albert", "distilbert", "pre-norm", "discriminator"):
        window.open_model(folders[name])
        wait_until(lambda name=name: window.state.model.name == name)
        settle(window)
        for part in ("attend", "predict", "embed"):
            shown_room(window, part)
        model = window.state.model
        assert not window.frame.banner.is_shown
        assert view.charts["segments"].isVisible() == ("segments" not in model.missing)
        assert view.no_segments.isVisible() == ("segments" in model.missing)


def test_a_vocabulary_without_a_mask_masks_nothing():
    tokenizer = vocabulary("wordpiece")
    tokenizer.mask_id = tokenizer.mask_token = None
    state, said = ExploreState(), []
    state.problem_found.connect(said.append)
    state.set_text(TEXT_A)
    state.set_tokenizer(tokenizer, 64)
    state.set_masks((2,))
    state.toggle_mask(2)
    assert state.all_masked == () and state.input_ids == state.encoding.ids
    assert len(said) == 1 and "no mask" in said[0]


OFTEN = ("discriminator", "distilbert", "pre-norm", "albert")  # narrow embeddings; no segments; other steps


@pytest.mark.parametrize("name", [n if n in OFTEN else pytest.param(n, marks=pytest.mark.slow) for n in SHAPES])
def test_every_view_works_for_every_family_and_for_little_text(show, name):
    window = show(name)
    for text, specials in ((TEXT_A, True), ("cat", False), ("", False)):
        window.state.set_token_view(specials=specials)
        read_text(window, text, "")
        for spec in ROOMS:
            for key in spec.view_keys if spec.key in ("embed", "predict", "layers") else ():
                window.open_view(spec.key, key)
                window.repaint()
                settle(window)
                window.repaint()
    assert not window.frame.banner.is_shown


@pytest.mark.parametrize("family", ["distilbert", "albert", "discriminator", "minilm", "roberta"])
def test_every_mode_and_tab_of_each_family(open_window, folders, family):
    window = open_window(folders[family], TEXT_A, TEXT_B)
    room = attend(window)
    model = window.state.model
    if "mlm" in model.output_heads:
        read_masked(window, (2,))
    for spec in PANELS:
        room.heads_card.open(spec.key)
        answered(window)
    for spec in SPECS:
        room.show_view(spec.key)
        answered(window)
        assert room.large.title != ""
        if isinstance(room.view, MatrixView):
            assert (room.view.grid.values is not None) == (spec.key != "gradient" or bool(room.shared.targets.all))
    assert bool(room.shared.targets.all) == bool(model.output_heads)
    if not model.output_heads:
        assert room.heads_card.atlas.effects is None
        said = "another one" if model.pooling is not None else model.missing["mlm"]
        assert said in room.shared.targets.problem
    assert not window.frame.banner.is_shown


@pytest.mark.parametrize("kind", ["classify", "tag", "span"])
def test_a_fine_tuned_model_is_asked_about_its_own_task(open_window, tmp_path, kind):
    window = open_window(make_model(tmp_path / kind, kind), TEXT_A, TEXT_B)
    room = attend(window)
    room.side.what_if.head_off.click()
    settle(window)
    reading = window.state.reading
    target = changed_targets(reading.baseline, reading)[0]
    shares = [numbers.probability(target.value(one), fine=True) for one in (reading.baseline, reading)]
    assert (target.label, *shares) in room.side.what_if.effect.rows
    room.heads_card.open("effects")
    answered(window)
    assert room.heads_card.atlas.effects is not None
    view = room.open_view("check")
    answered(window)
    assert view.bars.columns


def test_24_by_16_heads(open_window, folders):
    window = open_window(folders["encoder"], TEXT_A, TEXT_B)
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
def test_nothing_but_special_tokens(window, specials):
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
    read_text(window, "cat", "")
    assert room.is_drawn and "cat" in room.view.attentions.units.labels


def test_one_word_without_special_tokens(window):
    room = attend(window)
    window.state.set_text("cat", "")
    window.state.set_token_view(specials=False)
    answered(window)
    assert values(room).shape == (1, 1)
    assert room.side.row.tolist() == pytest.approx([1.0])
    assert not room.side.what_if.weight.isEnabled()
    for spec in PANELS:
        room.heads_card.open(spec.key)
        answered(window)
    assert not window.frame.banner.is_shown


def test_from_many_heads_to_few(open_window, folders, model_folder):
    window = open_window(folders["encoder"], TEXT_A, TEXT_B)
    room = attend(window)
    room.shared.choose((20, 12), (3, 9), (1, 1))
    window.open_model(model_folder)
    wait_until(lambda: window.state.model.folder == model_folder)
    settle(window)
    assert set(room.shared.heads) <= {(layer, head) for layer in range(2) for head in range(4)}
    assert (window.state.layer, window.state.head) in room.shared.heads
