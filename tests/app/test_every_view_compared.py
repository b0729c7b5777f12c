"""Each view shows a reading beside its baseline, or says why it shows one alone; what is drawn is computed directly."""

import numpy as np
import pytest

from app.compute import reader
from app.look import numbers
from app.rooms.predict.surprise_view import LEAST_CHANGE_BITS
from app.shell.rooms import ROOMS
from app.state.baseline import OtherModel, OtherText
from bertcore.analysis.attention_heads import head_facts
from bertcore.analysis.compare import linear_cka
from bertcore.analysis.passes import as_text, layer_lens
from bertcore.analysis.residual import residual_stream
from bertcore.analysis.vectors import cosines, pca
from bertcore.analysis.words import surprises
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import TEXT_B, answered, make_checkpoint, settle, shown_view, wait_until
from tests.app.family_models import save_family
from tests.app.predict_room import page, texts

ONE_WORD, SHORTER = OtherText("The dog sat on the mat.", TEXT_B), OtherText("The dog sat.", TEXT_B)
HELD = "matrix", "lines", "score", "mean", "rollout"  # of the baseline alone, while X is held
COMPARED = {room.key: [spec.key for spec in room.views if not spec.only] for room in ROOMS if room.views}


def compare(window, room, view, baseline):
    window.state.set_baseline(baseline)
    return shown_view(window, room, view)


def both(window):
    reading = window.state.reading
    return reading, reading.baseline


@pytest.mark.parametrize(
    ("room", "view"), [("embed", "what_if"), ("predict", "fill"), ("layers", "neurons"), ("attend", "gradient")]
)
def test_a_view_of_one_reading_says_so(room, view, window):
    compare(window, room, view, ONE_WORD)
    line = window.frame.room.compared
    assert line.isVisible() and line.text()
    window.state.show_baseline(True)
    assert not line.isVisible()
    window.state.show_baseline(False)
    window.state.set_baseline(None)
    settle(window)
    assert not line.isVisible()


def test_hidden_states_are_now_minus_before(window):
    view = compare(window, "layers", "hidden", ONE_WORD)
    now, before = (one.trace.hidden_states.astype(float) for one in both(window))
    expected = (np.linalg.norm(now, axis=-1) - np.linalg.norm(before, axis=-1)).T
    np.testing.assert_allclose(view.charts["lengths"].values, expected, atol=1e-4)
    stage = window.state.selection.stage
    np.testing.assert_allclose(view.charts["cosines"].values, cosines(now[stage]) - cosines(before[stage]), atol=1e-5)
    low, high = view.charts["lengths"].color_range or (0, 0)
    assert low == -high and "cat (vs dog)" in view.charts["lengths"].rows.texts
    assert "Blue: smaller" in view.cards["lengths"].intro
    window.comparison.toggle_difference()
    np.testing.assert_allclose(view.charts["lengths"].values, np.linalg.norm(now, axis=-1).T, atol=1e-4)


def test_other_layers_show_the_hidden_states_alone(window, tmp_path):
    other = OtherModel(str(make_checkpoint(tmp_path / "m", layers=3, heads=2)))
    view = compare(window, "layers", "hidden", other)
    reading, _ = both(window)
    assert "different layers" in view.cards["lengths"].intro
    np.testing.assert_allclose(
        view.charts["lengths"].values, np.linalg.norm(reading.trace.hidden_states, axis=-1).T, rtol=1e-4
    )
    paths = compare(window, "layers", "paths", other)
    assert "cannot be drawn" in paths.cards["paths"].intro
    assert len(paths.charts["paths"].points.names) == len(reading.encoding)


def test_paths_of_both_are_in_one_plane(window):
    view = compare(window, "layers", "paths", ONE_WORD)
    ours, theirs = both(window)
    expected = pca(np.concatenate([ours.trace.hidden_states, theirs.trace.hidden_states], axis=1)).points
    points, count = view.charts["paths"].points, len(ours.encoding)
    np.testing.assert_allclose(np.abs(points.places), np.abs(expected), atol=1e-3)
    assert points.choices == count and points.names[count + 2] == "dog" and points.names[count + 3] == ""
    assert points.links == [(i, count + i) for i in range(count)]
    window.comparison.toggle_difference()
    assert not view.charts["paths"].points.links and len(view.charts["paths"].points.names) == 2 * count
    view.charts["paths"].grab()


def test_the_lens_has_the_guesses_of_both(window, model_folder):
    window.state.set_masks([3])
    view = compare(window, "predict", "lens", ONE_WORD)
    checkpoint, (_, theirs) = load_checkpoint(model_folder), both(window)
    logits = layer_lens(checkpoint.model, theirs.trace.hidden_states, [3])[:, 0]
    expected = [checkpoint.tokenizer.label(int(row.argmax())) for row in logits]
    table = view.charts["table"]
    guesses = [row[0][1] for row in table.guesses]
    assert [guess.token for guess in guesses if guess] == expected
    assert f"with the baseline: {expected[1]}" in view.sentence("table", 1, 0)
    table.grab()


def test_the_facts_of_the_head_in_the_baseline(window):
    compare(window, "attend", "matrix", ONE_WORD)
    room = window.frame.room
    _, theirs = both(window)
    facts = head_facts(theirs.trace.attentions[window.state.layer, window.state.head], theirs.encoding)
    expected = [f"{facts.entropy_nats:.2f}", f"{facts.mean_distance_tokens:.1f}", f"{facts.a_to_b:.2f}"]
    shown = [theirs.text().removeprefix("vs ") for *_, theirs in room.side.facts]
    assert shown == [*expected, f"{facts.on_special:.2f}"]
    window.comparison.end()
    settle(window)
    assert not any(theirs.text() for *_, theirs in room.side.facts)


def test_what_layers_add_has_dashed_curves_of_the_baseline(window, model_folder):
    view = compare(window, "layers", "added", OtherText("The happy cat sat.", TEXT_B))
    window.state.set_focus(2)
    checkpoint, (reading, theirs) = load_checkpoint(model_folder), both(window)
    place = reading.alignment.other_positions[2]
    assert place == 3
    text = as_text(checkpoint.model, theirs.request.input_ids, theirs.request.segments)
    direct = residual_stream(checkpoint.model, text)
    points = view.charts["lengths"].points
    np.testing.assert_allclose(points("attention_before")[1], direct.attention[:, place], rtol=1e-4)
    expected = direct.feed_forward_cosine[:, place]
    np.testing.assert_allclose(view.charts["cosines"].points("feed_forward_before")[1], expected, atol=1e-5)
    window.state.set_focus(reading.alignment.other_positions.index(None))
    assert not len(points("attention_before")[1]) and len(points("attention")[1])


def test_the_verdict_before_is_a_line_across_the_bar(window):
    view = compare(window, "predict", "words", OtherText("The dog sat.", "The mat ran."))
    now, before = both(window)
    is_yes = now.next_sentence.is_next >= 0.5
    expected = before.next_sentence.is_next if is_yes else before.next_sentence.not_next
    assert "With " in texts(view.pair) and view.pair.bar.baseline == pytest.approx(expected, abs=1e-5)
    window.comparison.end()
    settle(window)
    assert view.pair.bar.baseline is None and "With " not in texts(view.pair)


def test_the_map_of_the_text_has_the_tokens_of_both(window):
    view = compare(window, "embed", "map", ONE_WORD)
    ours, theirs = both(window)
    expected = pca(np.concatenate([ours.trace.embedding_sum, theirs.trace.embedding_sum])).points
    points, count = view.charts["map"].points, len(ours.encoding)
    np.testing.assert_allclose(np.abs(points.places), np.abs(expected), atol=1e-3)
    assert points.names[count : count + 3] == ["", "", "dog"] and points.choices == count
    assert points.links[2] == (2, count + 2)
    view.show_vectors("one")
    wait_until(lambda: not view.asked["map"].is_running)
    assert not view.charts["map"].points.links
    view.show_vectors("sum")


@pytest.mark.parametrize(("words", "specials"), [(True, True), (False, False), (True, False)])
def test_in_words_and_without_special_tokens(words, specials, window):
    window.state.set_token_view(words=words, specials=specials)
    view, token_view = compare(window, "layers", "hidden", ONE_WORD), window.state.token_view
    now, before = (
        np.stack([one.units(token_view).vectors(states) for states in one.trace.hidden_states]) for one in both(window)
    )
    expected = (np.linalg.norm(now, axis=-1) - np.linalg.norm(before, axis=-1)).T
    np.testing.assert_allclose(view.charts["lengths"].values, expected, atol=1e-4)
    assert ("[CLS]" in view.charts["lengths"].rows.texts) == specials
    paths = compare(window, "layers", "paths", ONE_WORD)
    assert len(paths.charts["paths"].points.names) == 2 * now.shape[1]
    mean = compare(window, "attend", "mean", ONE_WORD)
    attentions = [one.units(token_view).attention(one.trace.attentions[window.state.layer]) for one in both(window)]
    np.testing.assert_allclose(mean.grid.values, (attentions[0] - attentions[1]).mean(0), atol=1e-6)


def test_another_vocabulary_in_every_view(window, tmp_path):
    """Tokens are paired by characters; what has no counterpart is left out, and no view fails."""
    window.state.set_masks([2])
    other = OtherModel(str(save_family("roberta", tmp_path / "other")))
    for room, views in COMPARED.items():
        for view in sorted(views):
            compare(window, room, view, other).grab()
    reading, theirs = both(window)
    assert theirs.request.model.tokenizer.kind != reading.request.model.tokenizer.kind
    assert any(place is not None for place in reading.alignment.other_positions)


def test_a_baseline_in_half_precision_in_every_view(window, monkeypatch):
    """Numbers that are kept so, as of long texts, are close to those of the pass; also while X is held."""
    monkeypatch.setattr(reader, "MOST_TRACES_BYTES", 0)
    window.state.set_masks([3])
    for room, views in COMPARED.items():
        for view in sorted(views):
            compare(window, room, view, ONE_WORD).grab()
            if view in HELD:
                window.state.show_baseline(True)
                wait_until(lambda: not window.services.inference.is_busy)
                window.repaint()
                window.state.show_baseline(False)
    assert not window.frame.banner.is_shown
    assert both(window)[1].is_in_half_precision
    score = compare(window, "attend", "score", ONE_WORD)
    row = window.state.selection.position
    spot = window.state.layer, window.state.head
    np.testing.assert_allclose(score.baseline_steps.weights, both(window)[1].trace.attentions[spot][row], atol=5e-2)


def test_distances_are_one_minus_the_cosine_of_each_pair_and_other_words_are_left_out(window):
    chart = compare(window, "layers", "apart", ONE_WORD).charts["distance"]
    ours, theirs = (one.trace.hidden_states.astype(float) for one in both(window))
    lengths = np.linalg.norm(ours, axis=-1) * np.linalg.norm(theirs, axis=-1)
    np.testing.assert_allclose(chart.values, 1 - ((ours * theirs).sum(-1) / lengths).T, atol=1e-5)
    assert chart.rows.texts[2] == "cat (vs dog)" and chart.values[1, 0] == pytest.approx(0, abs=1e-6)
    view, (reading, _) = compare(window, "layers", "apart", SHORTER), both(window)
    pairs, count = len(reading.alignment.pairs), len(reading.encoding)
    assert pairs < count and f"Compared: {pairs} of {count} tokens" in view.finding.text()


def test_a_model_of_another_shape_has_layers_to_compare_but_no_cosine(window, tmp_path):
    other = OtherModel(str(make_checkpoint(tmp_path / "m", layers=3, heads=2)))
    view = compare(window, "layers", "apart", other)
    assert view.problem.isVisible() and "CKA" in view.problem.text() and not view.charts["distance"].isVisible()
    reading, baseline = both(window)
    expected = linear_cka(reading.trace.hidden_states, baseline.trace.hidden_states, reading.alignment)
    np.testing.assert_allclose(view.charts["cka"].values, np.maximum(expected, 0), atol=1e-6)
    best = int(expected[-1].argmax())
    assert f"after layer {best} ({expected[-1, best]:.2f} of 1)" in view.finding.text() and best
    assert expected.shape == (3, 4) and "Compared:" not in view.finding.text()  # all tokens have a counterpart


def test_without_a_baseline_it_says_what_to_do(window):
    view = compare(window, "layers", "apart", None)
    assert "“Compare”" in view.nothing_text.text() and not any(one.isVisible() for one in view.charts.values())
    assert view.try_it.isVisible()
    view.try_it.click()
    wait_until(lambda: view.asked["apart"].answer is not None)
    assert not view.try_it.isVisible() and isinstance(window.state.baseline, OtherText)


def surprise_beside(window, baseline):
    view = page("surprise", window, ())
    window.state.set_baseline(baseline)
    settle(window)
    answered(window)
    return view


def tokens_of(view):
    return view.charts["bits"].tokens


def test_the_bits_of_another_model_stand_before_ours(window, tmp_path):
    folder = make_checkpoint(tmp_path / "other", seed=7)
    view = surprise_beside(window, OtherModel(str(folder)))
    other, encoding = load_checkpoint(folder), window.state.encoding
    expected = surprises(other.model, [encoding], other.tokenizer.mask_id)[0]
    theirs = dict(zip(expected.positions.tolist(), expected.bits.tolist(), strict=True))
    for position, bits in theirs.items():
        assert view.bits[1][position] == pytest.approx(bits, rel=1e-4)
        assert tokens_of(view)[position].number.startswith(f"{numbers.decimal(bits)} → ")
    assert np.isnan(view.bits[1][0])  # [CLS]
    assert f"baseline {numbers.decimal(expected.pseudo_perplexity)}" in view.perplexity.text()
    surprise_beside(window, None)
    assert np.isnan(view.bits[1]).all() and "→" not in tokens_of(view)[1].number


def test_words_are_paired_with_those_of_another_text(window, model_folder):
    text = "The dog sat.", TEXT_B
    view = surprise_beside(window, OtherText(*text))
    checkpoint, reading = load_checkpoint(model_folder), window.state.reading
    encoding = checkpoint.tokenizer.encode(*text)
    expected = surprises(checkpoint.model, [encoding], checkpoint.tokenizer.mask_id)[0].by_token(len(encoding))
    other_positions = reading.alignment.other_positions
    (now, before), shown = view.bits, tokens_of(view)
    assert before[2] == pytest.approx(expected[2], rel=1e-4)
    assert shown[2].token == "cat (vs dog)" and shown[1].token == "the"
    assert other_positions[-2] == len(encoding) - 2 and before[-2] == pytest.approx(expected[-2], rel=1e-4)
    assert np.isnan(before[other_positions.index(None)])
    alone = next(i for i, place in enumerate(other_positions) if place is None and not np.isnan(now[i]))
    assert shown[alone].value is None and shown[alone].number and "→" not in shown[alone].number
    assert "Striped:" in view.explanation.text() and "not directly comparable" in view.perplexity.text()


def test_a_model_without_words_leaves_ours_alone(window, headless_folder):
    view = surprise_beside(window, OtherModel(str(headless_folder)))
    assert np.isnan(view.bits[1]).all() and np.isfinite(view.bits[0]).any()
    assert "bits" not in view.differences and "baseline" not in view.perplexity.text()


def test_the_list_is_of_what_changed_most(window):
    view = surprise_beside(window, ONE_WORD)
    now, before = view.bits
    most = int(np.nanargmax(np.abs(now - before)))
    value, bar = tokens_of(view)[most].value, view.charts["most"].bars[0]
    scale = max(abs(now[most] - before[most]), LEAST_CHANGE_BITS)
    assert value == pytest.approx((now[most] - before[most]) / scale, abs=1e-4)
    assert bar.number == numbers.signed(numbers.difference(before[most], now[most])) and "→" in bar.mark
    assert bar.sign == np.sign(now[most] - before[most])
    window.comparison.toggle_difference()
    assert "bits" not in view.differences and all((token.value or 0) >= 0 for token in tokens_of(view))
