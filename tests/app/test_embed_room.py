"""The room Embed, alone and beside a baseline: every number that it shows is the engine's."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt

import bertcore
from app.rooms.embed.embedding_parts import lengths_at
from app.rooms.embed.map_view import MapView
from app.rooms.embed.room import EmbedRoom
from app.state.baseline import OtherModel, OtherText
from app.state.what_if import NOTHING_CHANGED, WhatIf
from bertcore.analysis.predict import next_sentence, top_words
from bertcore.analysis.trace import trace
from bertcore.analysis.vectors import NearestWords, pca
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.model.bert import Bert
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.app.conftest import TEXT_B, answered, click, compare, make_checkpoint, press, read_masked, read_text, settle
from tests.app.family_models import save_family

OTHER, SHORTER = OtherText("The dog sat on the mat.", TEXT_B), OtherText("The cat sat.", TEXT_B)
CAT = 2  # "dog" in the other text
PARTS = ["token", "segment", "position", "sum"]


def opened(window):
    found = window.open_room("embed")
    settle(window)
    return found


@pytest.fixture
def room(window):
    return opened(window)


def of_all_tokens(room):
    """The overview with the strips of all tokens."""
    view = room.get_view("parts")
    view.which.setCurrentIndex(1)
    return view


@pytest.fixture
def overview(room):
    return of_all_tokens(room)


@pytest.fixture
def what_if(room):
    return room.open_view("what_if")


@pytest.fixture
def text_map(room):
    return room.open_view("map")


def strips_of(view):
    return {part.name: part.values for part in view.charts["strips"].parts if part.values is not None}


def table_of(folder):
    checkpoint = load_checkpoint(folder)
    table = checkpoint.model.embeddings.token.weight.detach().numpy()
    return table, NearestWords(table, checkpoint.tokenizer)


def test_the_strips_add_up_and_layernorm_is_the_models(overview, window, model_folder):
    strips, trace = strips_of(overview), window.state.reading.trace
    np.testing.assert_allclose(strips["token"] + strips["segment"] + strips["position"], strips["sum"], atol=1e-6)
    np.testing.assert_allclose(strips["sum"], trace.embedding_sum, atol=1e-6)
    norm = load_checkpoint(model_folder).model.embeddings.norm
    exact = strips["sum"].astype(np.float64)
    centered = exact - exact.mean(axis=1, keepdims=True)
    even = centered / np.sqrt((centered**2).mean(axis=1, keepdims=True) + norm.eps)
    expected = even * norm.weight.detach().numpy() + norm.bias.detach().numpy()
    np.testing.assert_allclose(strips["LayerNorm"], expected, atol=1e-5)


def test_words_and_special_tokens_act_on_strips_map_and_token(overview, window):
    window.state.set_text("happy sofas", "")  # the last word has pieces
    window.state.set_token_view(words=True, specials=False)
    settle(window)
    units, trace = window.state.reading.units(window.state.token_view), window.state.reading.trace
    assert units.labels == ["happy", "sofas"] and len(units.members[1]) > 1
    members, strips = units.members[1], strips_of(overview)
    np.testing.assert_allclose(strips["token"][1], trace.token_embeddings[members].mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(strips["token"] + strips["segment"] + strips["position"], strips["sum"], atol=1e-6)
    assert overview.charts["map"].points.names == units.labels
    window.state.set_focus(members[1])
    card = overview.cards["lengths"]
    assert card.title == "sofas" and "mean of" in card.hint
    length = np.linalg.norm(trace.token_embeddings[members].mean(axis=0))
    assert overview.charts["lengths"].bars[0].number == f"{length:.2f}"
    read_text(window, "", "")
    assert overview.charts["strips"].parts == [] and card.title == "No tokens"
    window.state.set_token_view(words=False, specials=True)
    settle(window)
    assert len(strips_of(overview)["sum"]) == 2


def test_lengths_and_shares_are_those_of_the_token(overview, window):
    window.state.set_focus(4)
    reading, bars = window.state.reading, overview.charts["lengths"].bars
    found = reading.trace
    parts = found.token_embeddings, found.segment_embeddings, found.position_embeddings, found.embedding_sum
    assert [bar.label for bar in bars] == PARTS
    for bar, values in zip(bars, parts, strict=True):
        share = float(values[4] @ parts[3][4] / (parts[3][4] @ parts[3][4]))
        assert bar.number == f"{np.linalg.norm(values[4]):.2f}"
        assert bar.mark == ("" if bar is bars[3] else f"{share:.0%}".replace("-", "−"))
    lengths = lengths_at(reading, reading.units(window.state.token_view), 4)
    assert sum(one.share or 0 for one in lengths.values()) == pytest.approx(1)


@pytest.mark.parametrize("by", ["cosine", "distance"])
def test_nearest_words_by_either_measure(overview, window, model_folder, by):
    window.state.set_focus(2)
    overview.measures[by].click()
    answered(window)
    found = table_of(model_folder)[1].near([window.state.reading.request.input_ids[2]], 12, by)
    shown = [(bar.label, bar.number.replace("−", "-")) for bar in overview.charts["nearest"].bars]
    assert shown == [(word.word, f"{getattr(word, by):.2f}") for word in found]
    assert window.state.kept["embed.parts"] == (by, False)


def test_the_keyboard_reads_a_number_out(overview, window):
    window.state.set_focus(3)
    answered(window)
    strips, heard = overview.charts["strips"], list[str]()
    overview.hover_text_changed.connect(heard.append)
    strips.setFocus()
    press(strips, "Right", "Right", "Down", "PgDown")
    segments = window.state.reading.trace.segment_embeddings
    assert window.state.focus == 4
    assert heard[-1] == f"segment of on (4), dimension 2: {segments[4, 2]:.5g}".replace("-", "−")
    press(overview.charts["positions"], "Down", "Right", "Right")
    cosines = overview.answer_of("tables", window.state.reading).position_cosines
    assert heard[-1] == f"positions 1 and 2: cosine {cosines[1, 2]:.4f}".replace("-", "−")


def test_the_map_shows_the_sum_or_token_vectors(text_map, window):
    answered(window)
    trace, picture = window.state.reading.trace, text_map.charts["map"]
    for key, vectors in (("sum", trace.embedding_sum), ("token", trace.token_embeddings)):
        text_map.show_vectors(key)
        answered(window)
        found = pca(vectors)
        np.testing.assert_array_equal(picture.points.places, found.points)
        assert f"{found.kept:.0%} of the variance" in text_map.cards["map"].hint
    press(picture, "Right")
    assert window.state.focus == 2 and picture.selected == [2]


def test_words_around_lie_in_the_tokens_plane(text_map, window, model_folder):
    window.state.set_focus(2)
    (table, words), picture = table_of(model_folder), text_map.charts["map"]
    ids = window.state.reading.request.input_ids
    for key, groups, count in (("one", [(ids[2],)], 24), ("all", list(dict.fromkeys((i,) for i in ids)), 4)):
        text_map.show_vectors(key)
        answered(window)
        around, points = words.around(groups, count, "cosine"), picture.points
        assert points.names[len(ids) :] == [word.word for word in around.words] and points.choices == len(ids)
        expected = pca(np.concatenate([table[list(ids)], around.vectors]))
        np.testing.assert_allclose(points.places, expected.points, atol=1e-4)
        assert f"{len(points.names)} vectors" in text_map.cards["map"].hint
    text_map.show_vectors("one")
    answered(window)
    names = list(picture.points.names)
    picture.set_hovered(4)  # nothing changes under the mouse
    answered(window)
    assert window.state.hover == 4 and picture.points.names == names
    picture.clicked.emit(4, Qt.KeyboardModifier.NoModifier)
    answered(window)
    assert window.state.focus == 4 and picture.points.names != names


def test_the_map_is_the_same_after_it_was_left_and_in_a_frame_of_another_size(room, text_map, window):
    text_map.show_vectors("all")
    answered(window)
    window.state.set_focus(2)
    room.open_view("parts")
    room.open_view("map")
    window.state.set_focus(4)
    assert text_map.charts["map"].selected == [4]
    window.appearance.set_look(projector=True)
    again = opened(window)
    assert again is not room and isinstance(again.view, MapView) and again.view.vectors == "all"


@pytest.mark.slow
def test_512_tokens_and_a_fixed_position_table(open_window, tmp_path):
    plain = load_checkpoint(make_checkpoint(tmp_path / "plain"))
    config = replace(plain.config, max_position_embeddings=512, positions="sinusoidal_fixed")
    model = Bert(config, ("mlm",), generator=torch.Generator().manual_seed(1))
    save_checkpoint(model, plain.tokenizer, tmp_path / "waves", name="waves")
    window = open_window(tmp_path / "waves")
    room = opened(window)
    read_text(window, "the cat sat on a mat " * 100, "")
    for key in (spec.key for spec in EmbedRoom.specs):
        room.open_view(key)
        settle(window)
        room.view.repaint()
    room.get_view("parts").which.setCurrentIndex(1)
    strips, (place, column) = strips_of(room.get_view("parts")), (300, 6)
    assert len(strips["sum"]) == 512
    wave = np.sin(place / 10_000 ** (column / config.hidden_size))
    assert strips["position"][place, column] == pytest.approx(wave, abs=1e-5)
    assert room.get_view("parts").shown["positions"].array.shape == (512, 512)


def beside(window, baseline):
    compare(window, baseline)
    return shown_beside(window)


def shown_beside(window):
    """The labels of the lengths, and the last strip."""
    view = window.frame.room.view
    return [bar.label for bar in view.charts["lengths"].bars], view.charts["strips"].parts[-1]


BOTH = [label for part in PARTS for label in (part, "baseline")]


def test_the_difference_is_of_the_two_sums_and_both_lengths_are_there(overview, window, model_folder):
    window.state.set_focus(CAT)
    labels, part = beside(window, OTHER)
    checkpoint, (table, _) = load_checkpoint(model_folder), table_of(model_folder)
    ours, theirs = (checkpoint.tokenizer.encode(text, TEXT_B) for text in (window.state.text_a, OTHER.a))
    expected = table[ours.ids] - table[theirs.ids]  # places and segments are the same
    np.testing.assert_allclose(part.values, expected, atol=1e-6)
    assert part.name == "difference" and np.abs(expected[CAT]).max() > 0
    direct, bars = trace(checkpoint.model, theirs.ids, theirs.segments), overview.charts["lengths"].bars
    lengths = [np.linalg.norm(values[CAT]) for values in (direct.token_embeddings, direct.embedding_sum)]
    assert labels == BOTH and [bars[1].number, bars[7].number] == [f"{length:.2f}" for length in lengths]
    assert f"baseline {np.linalg.norm(direct.embeddings[CAT]):.2f}" in overview.length_after.text()
    window.state.set_wants_difference(False)  # side by side there is no strip of differences
    assert shown_beside(window)[0] == BOTH and shown_beside(window)[1].name == "LayerNorm"
    window.state.set_wants_difference(True)
    labels, part = beside(window, None)
    assert labels == PARTS and part.name == "LayerNorm"


def test_what_cannot_be_compared_says_so(overview, window, tmp_path, qtbot):
    labels, part = beside(window, OtherModel(str(make_checkpoint(tmp_path / "wide", hidden=64))))
    assert labels == BOTH and part.values is None and "64" in part.reason, "vectors of another width"
    beside(window, SHORTER)
    alone = window.state.reading.alignment.other_positions.index(None)
    window.state.set_focus(alone)
    labels, part = shown_beside(window)
    assert labels == PARTS and np.isnan(part.values[alone]).all()
    with qtbot.waitSignal(overview.hover_text_changed) as hovered:
        overview.charts["strips"].set_hovered((5, alone, 0))
    assert "no counterpart" in hovered.args[0] and "no counterpart" in overview.baseline_text.text()


def test_a_part_left_out_is_compared_with_the_model_unchanged(overview, window):
    window.state.set_wants_difference(True)
    window.state.set_what_if(WhatIf().with_layer(0, True))  # comes after the embeddings
    settle(window)
    assert shown_beside(window)[0] == PARTS and shown_beside(window)[1].name == "LayerNorm"
    window.state.set_what_if(NOTHING_CHANGED)
    settle(window)
    before, menu = strips_of(overview), overview.menu.open_menu()
    actions = {action.text(): action for action in menu.actions()}
    assert list(actions) == ["Token embedding", "Segment embedding", "Position embedding"]
    assert all(action.isChecked() for action in actions.values())
    actions["Segment embedding"].trigger()
    menu.close()
    settle(window)
    after, (labels, part) = {part.name: part for part in overview.charts["strips"].parts}, shown_beside(window)
    assert after["segment"].values is None and after["segment"].reason.startswith("Left out")
    np.testing.assert_allclose(after["sum"].values, before["token"] + before["position"], atol=1e-6)
    np.testing.assert_allclose(part.values, -before["segment"], atol=1e-6)
    assert labels == BOTH and overview.charts["lengths"].bars[2].number == "0.00"
    overview.what_if_edited.emit(lambda what_if: what_if.with_dropped("segment", False))
    assert window.state.what_if == NOTHING_CHANGED


def test_the_two_buttons_beside_the_strips(overview, window):
    card = overview.change
    window.state.set_focus(9)  # of B
    assert card.to_other.text() == "Move to segment A"
    card.to_other.click()
    settle(window)
    assert window.state.what_if.segments == ((9, 0),) and card.to_other.text() == "Move to segment B"
    assert "read as segment A" in overview.cards["lengths"].hint
    assert [effect.name for effect in card.effects.effects] == ["B follows A"]
    card.swap.click()
    window.state.set_hover(4)
    window.state.set_hover(None)
    assert card.swap.isChecked() and card.waiting.isVisible()
    window.state.set_focus(4)  # a click on it, in the strip
    assert window.state.what_if.positions == ((4, 9), (9, 4)) and not card.swap.isChecked()
    card.swap.click()
    window.state.set_focus(None)  # Esc
    assert not card.swap.isChecked() and window.state.what_if.positions == ((4, 9), (9, 4))
    card.swap.click()
    window.open_room("attend")
    window.state.set_focus(7)  # a click there is none of this room's
    assert window.state.what_if.positions == ((4, 9), (9, 4))


def test_the_first_steps_are_taken_at_a_click(what_if, window):
    """A card with one grey line said what to do; it can do it."""
    mask, change = what_if.mask_first, what_if.change_first
    assert mask.isVisible() and not change.isVisible() and not what_if.effects.isVisible()
    window.state.set_focus(3)
    assert mask.text() == f"Mask “{window.state.reading.encoding.labels[3]}”"
    mask.click()
    settle(window)
    assert window.state.masked == {3} and change.isVisible() and not mask.isVisible()
    change.click()
    settle(window)
    assert window.state.what_if.dropped == {"position"}
    assert not what_if.first.isVisible() and what_if.effects.isVisible() and what_if.effects.rows
    read_masked(window, ())
    assert mask.isVisible() and what_if.effects.isVisible()


def test_what_is_said_before_and_after_is_the_engines(what_if, window, model_folder):
    checkpoint, tiles, effects = load_checkpoint(model_folder), what_if.tiles, what_if.effects
    read_masked(window, [2])
    assert effects.effects == [] and "Nothing is changed" in effects.sentence
    click(tiles, tiles.letter_rect(2))
    click(tiles, tiles.number_rect(3))
    assert "to swap with" in what_if.how.text()
    click(tiles, tiles.number_rect(5))
    for _ in range(2):
        what_if.parts["position"].click()
    settle(window)
    segments, ids = list(window.state.reading.encoding.segments), window.state.input_ids
    was = trace(checkpoint.model, ids, segments, mlm_positions=[2])
    segments[2] = 1
    places = [0, 1, 2, 5, 4, 3, *range(6, len(ids))]
    now = trace(checkpoint.model, ids, segments, places, mlm_positions=[2])
    mask, pair = effects.effects
    assert mask.name.startswith("[MASK] (2)") and pair.name == "B follows A"
    for number, traced in enumerate((was, now)):
        best = top_words(traced.mlm_logits[0], checkpoint.tokenizer, 1)[0]
        word, text = checkpoint.tokenizer.label(best.id), (mask.before, mask.after)[number]
        assert f"“{word}”" in mask.name or text.startswith(f"“{word}” ")
        assert mask.numbers[number] == pytest.approx(best.probability, abs=1e-5)
        follows = next_sentence(traced.next_sentence_logits).is_next
        assert pair.numbers[number] == pytest.approx(follows, abs=1e-5)
    assert (tiles.tiles[2].segment, tiles.tiles[2].is_moved) == (1, True)
    assert [(tile.position, tile.is_swapped) for tile in tiles.tiles[3:6]] == [(5, True), (4, False), (3, True)]


def test_the_keyboard_moves_and_swaps(what_if, window):
    window.state.set_focus(3)
    what_if.tiles.setFocus()
    for expected in ({3: 1}, {}):
        press(what_if.tiles, "Space")
        settle(window)
        assert dict(window.state.what_if.segments) == expected
    press(what_if.tiles, "Return", "Right", "Return")
    assert window.state.what_if.positions == ((3, 4), (4, 3))
    press(what_if.tiles, "Return")
    window.state.set_focus(None)  # Esc
    assert "swap with" not in what_if.how.text()


def test_all_of_b_is_read_as_a_and_back(what_if, window):
    what_if.b_as_a.click()
    settle(window)
    assert not any(window.state.reading.request.segments) and what_if.b_as_a.isChecked()
    what_if.b_as_a.click()
    assert window.state.what_if == NOTHING_CHANGED
    read_text(window, b="")
    assert not what_if.b_as_a.isEnabled()


@pytest.mark.parametrize(("name", "effects"), [("discriminator", ["judged replaced"]), ("minilm", []), ("roberta", [])])
def test_models_that_predict_something_else(name, effects, open_window, tmp_path):
    window = open_window(save_family(name, tmp_path / name), "the cat sat", "a dog ran")
    window.state.set_masks(())
    room = opened(window)
    view = room.open_view("what_if")
    view.what_if_edited.emit(lambda what_if: what_if.with_dropped("position", True))
    settle(window)
    assert [effect.name for effect in view.effects.effects] == effects
    reading, at = window.state.reading, window.state.selection.position
    one, other = (each.trace.hidden_states[-1][at].astype(float) for each in (reading, reading.unchanged))
    cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    assert f"cosine of {cosine:.2f}".replace("-", "−") in view.effects.sentence
    enabled = view.tiles.has_segments, view.b_as_a.isEnabled(), room.get_view("parts").change.to_other.isEnabled()
    assert set(enabled) == {reading.request.model.has_segments}


def test_moving_back_is_no_change(tokenizer):
    own = tokenizer.encode("cat sat", "a dog").segments
    once = NOTHING_CHANGED.with_other_segment([1, 5], own)
    assert dict(once.segments) == {1: 1 - own[1], 5: 1 - own[5]}
    assert once.with_other_segment([1, 5], own) == NOTHING_CHANGED
    all_a = NOTHING_CHANGED.with_b_as_a(own, True)
    assert not any(all_a.segments_for(own)) and all_a.reads_b_as_a(own)
    assert all_a.with_b_as_a(own, False) == NOTHING_CHANGED


def test_another_vocabulary_splits_the_same_text_and_one_that_cannot_be_read_is_said_in_place(room, window, tmp_path):
    other = Tokenizer.train(["abcdefghijklmnopqrstuvwxyz. cat"] * 2, 80)
    other.save(tmp_path / "letters")
    view = room.open_view("vocabularies")
    view.recent_models = lambda: [str(tmp_path / "letters")]
    menu = view.menu.open_menu()
    next(action for action in menu.actions() if action.text() == "letters").trigger()
    menu.close()
    answered(window)
    encoding, cut, spans = window.state.reading.encoding, other.encode(window.state.text_a, TEXT_B), view.picture.spans
    rows_of = ((encoding, view.first, [one.first for one in spans]), (cut, view.second, [one.second for one in spans]))
    for text, line, rows in rows_of:
        kept = zip(text.labels, text.parts, strict=True)
        assert [piece.label for row in rows for piece in row] == [label for label, part in kept if part != "special"]
        assert f"{len(text)} tokens" in line.text()
    assert "9 of 10 words" in view.note.text(), "all but “cat”"
    window.state.set_focus(2)
    assert spans[view.picture.selected_cell() or 0].first[0].position == 2
    press(view.picture, "Right")
    assert window.state.focus == 3
    window.state.set_text("a cat", "")
    answered(window)
    assert len(view.picture.spans) == 2
    view.compare_with(str(tmp_path))  # no vocabulary
    answered(window)
    assert view.line.isVisible() and view.line.text and view.picture.spans == []
    assert not window.frame.banner.isVisible()


def test_what_an_unknown_word_loses_is_said(room, window):
    view = room.open_view("vocabularies")
    window.state.set_text("the cat🙂 sat", "")
    answered(window)
    assert "1 unknown: it has no token for 🙂" in view.first.text()
    assert "“the [UNK] sat” is all" in view.note.text()
    window.state.set_text("the cat sat", "")
    answered(window)
    assert "unknown" not in view.first.text() and "[UNK]" not in view.note.text()


def test_a_text_at_a_length_with_and_without_the_mask(room, window, model_folder):
    view = room.open_view("padding")
    view.restore((16, False))
    view.redraw()
    settle(window)
    m, whole = bertcore.load(str(model_folder)), window.state.reading.encoding
    tiles, text = view.charts["tokens"].tiles, m.encode(whole.text_a, TEXT_B, length=16, pad=True)
    assert [tile.token for tile in tiles] == text.labels and [tile.mask for tile in tiles] == text.attention_mask
    assert [tile.position for tile in tiles if tile.kind == "segment_b"] == [
        i for i, part in enumerate(whole.parts) if part == "b"
    ]
    count = text.attention_mask.count(0)
    assert count and not view.shown["attention"].array[:, -count:].any()
    before, norms = view.effect.text(), m.bert.embeddings.token.weight.norm(dim=1)
    assert f"{float(norms[m.tokenizer.pad_id]):.2f}" in view.table.text()
    view.uses_mask.click()
    settle(window)
    seen = m.trace(whole.text_a, TEXT_B, length=16, mask=False)
    np.testing.assert_allclose(view.shown["attention"].array, seen.attentions.mean((0, 1)), atol=1e-6)
    share = seen.attentions[..., :-count, -count:].sum(-1).mean()
    assert view.effect.text() != before and f"{share:.0%}".rstrip("%") in view.effect.text()


def test_what_is_cut_off_is_shown_and_two_texts_are_a_batch(room, window):
    view = room.open_view("padding")
    view.restore((5, False))
    settle(window)
    view.redraw()
    settle(window)
    kept, cut = view.charts["tokens"].tiles[:5], view.charts["tokens"].tiles[5:]
    assert [tile.mask for tile in kept] == [1] * 5 and {tile.mask for tile in cut} == {None}
    words = [label for label, part in zip(*shown_parts(window), strict=True) if part != "special"]
    assert len(cut) == len(words) - 2 and {tile.token for tile in cut} <= set(words)
    view.restore((0, True))
    view.redraw()
    settle(window)
    tiles, chart = view.charts["tokens"].tiles, view.charts["tokens"]
    first, second = tiles[: chart.second], tiles[chart.second :]
    assert len(first) == len(second) and (0 in [tile.mask for tile in (*first, *second)])
    assert {tile.kind for tile in second} == {"special", "segment_b"}
    click(chart, chart.boxes[chart.second + 1].center())
    assert window.state.encoding.parts[window.state.selection.position] == "b"
    window.state.set_text("The cat sat.", "")
    settle(window)
    assert "B" in view.table.text() and len(view.texts) == 1


def shown_parts(window):
    encoding = window.state.reading.encoding
    return encoding.labels, encoding.parts
