"""The selection that all rooms share: text, masks, focus."""

from dataclasses import replace

import numpy as np
import pytest

from app.state.explore_state import ExploreState
from app.state.history import History
from app.state.model_info import ModelInfo
from app.state.token_units import MERGING, NO_SPECIALS, TokenView, Units
from app.state.what_if import NOTHING_CHANGED, EditedRow, WhatIf
from app.widgets.token_strip import chips_of, note_about
from bertcore.analysis.interventions import ablate, combine, drop_embedding, set_attention_row
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.text_spans import Place, moved_positions, places_after_edit
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words
from tests.engine.models import tiny_model, word_tokenizer

TEXT_A, TEXT_B = "The cat sat on the mat.", "It was very comfortable."


@pytest.fixture
def state(tokenizer):
    made = ExploreState()
    made.set_text(TEXT_A, TEXT_B)
    made.set_tokenizer(tokenizer, 64)
    return made


def position_of(state, token):
    return state.encoding.tokens.index(token)


def test_text_is_tokenised_at_once_and_a_b_of_blanks_is_no_second_sentence(state):
    state.set_text(a="a dog ran home")
    assert state.encoding.tokens[:6] == ["[CLS]", "a", "dog", "ran", "home", "[SEP]"]
    state.set_text(TEXT_A, "  ")
    assert state.encoding.text_b is None and set(state.encoding.segments) == {0}


@pytest.mark.parametrize(
    ("masked", "edits", "left"),
    [
        (["mat"], ["The happy cat sat on the mat."], ["mat"]),
        (["comfortable"], [f"{TEXT_A} a dog ran home"], ["comfortable"]),  # in B, when A grows
        (["cat", "mat"], ["The dog sat on the mat."], ["mat"]),
        # for some letters there is no such word
        (["cat"], [f"The {typed}cat sat on the mat." for typed in ("b", "bi", "big", "big ")], ["cat"]),
        (["cat"], ["The cut sat on the mat.", TEXT_A], []),  # an edit of the word itself
    ],
)
def test_a_mask_follows_its_token_and_goes_with_it(state, masked, edits, left):
    state.set_masks([position_of(state, token) for token in masked])
    for text in edits:
        state.set_text(a=text)
    assert state.masked == {position_of(state, token) for token in left}


def test_focus_follows_its_token_and_goes_with_it(state):
    state.set_focus(position_of(state, "mat"))
    state.set_text(a="The happy cat sat on the mat.")
    assert state.focus == position_of(state, "mat")
    state.set_text(a="The happy cat sat.")
    assert state.focus is None


def test_only_words_are_masked_and_twice_is_not_at_all(state):
    state.toggle_mask(0)
    state.set_masks((0, 8))
    assert state.masked == frozenset()
    state.toggle_mask(2)
    assert state.input_ids[2] != state.encoding.ids[2]
    state.toggle_mask(2)
    assert state.input_ids == state.encoding.ids


def test_a_typed_mask_counts(state, tokenizer):
    state.set_text(a="The [MASK] sat.")
    assert state.all_masked == (2,)
    assert state.masked == frozenset()
    assert state.input_ids[2] == tokenizer.mask_id
    assert chips_of(state)[2].kind == "mask"


def test_an_inserted_word_is_written_into_the_text_and_unmasks(state, tokenizer):
    state.toggle_mask(position_of(state, "cat"))
    state.insert_words([(position_of(state, "cat"), tokenizer.id("dog"))])
    assert state.text_a == "The dog sat on the mat."
    assert state.masked == frozenset()


def test_putting_the_word_that_was_there_unmasks_it(state, tokenizer, qtbot):
    state.toggle_mask(1)
    with qtbot.waitSignals([state.masks_changed, state.input_changed]):
        state.insert_words([(1, tokenizer.id("the"))])  # the text says "The", and keeps its capital
    assert state.text_a == TEXT_A
    assert state.all_masked == ()


def test_words_that_are_put_in_together_go_where_the_masks_were(state, tokenizer):
    """Put in one by one, the text would be read anew in between, and a piece and the next could become one token."""
    at = position_of(state, "cat")
    places = {at - 1: "a", at: "dog", position_of(state, "very"): "happy"}
    words = [(position, tokenizer.id(word)) for position, word in places.items()]
    state.set_masks(places)
    texts = []
    state.text_changed.connect(lambda: texts.append((state.text_a, state.text_b)))
    state.insert_words(words)
    assert texts == [("a dog sat on the mat.", "It was happy comfortable.")] and state.masked == frozenset()


def test_words_put_in_leave_the_other_masks_where_they_are(state, tokenizer):
    """Two places of the text change at once, and the mask between them has no common beginning or end to go by."""
    names = ("cat", "on", "mat", "very")
    state.set_masks([position_of(state, name) for name in names])
    state.insert_words([(position_of(state, name), tokenizer.id("a")) for name in ("cat", "mat")])
    assert state.text_a == "The a sat on the a."
    assert state.masked == {position_of(state, "on"), position_of(state, "very")}


def test_masks_stay_on_their_words_in_another_vocabulary_and_back(state, tokenizer):
    """Its tokens are others before and behind them; what was one token is masked as its pieces, and comes back."""
    letters = sorted(set("thecasonmidgrwvy.bfl"))
    words = [*SPECIAL_TOKENS, "sat", "very", *letters, *(f"##{letter}" for letter in letters)]
    other = Tokenizer(raw_from_words(words))
    masked = {position_of(state, name) for name in ("cat", "sat", "very")}
    state.set_masks(masked)
    state.set_focus(position_of(state, "sat"))
    state.set_tokenizer(other, 64)
    found = [state.encoding.tokens[at] for at in sorted(state.masked)]
    assert found == ["c", "##a", "##t", "sat", "very"] and state.focus == position_of(state, "sat")
    state.set_tokenizer(tokenizer, 64)
    assert state.masked == masked and state.focus == position_of(state, "sat")


def test_moved_positions_of_an_insertion_and_of_no_change():
    assert moved_positions("abcd", "abXcd") == {0: 0, 1: 1, 2: 3, 3: 4}
    assert moved_positions("ab", "ab") == {0: 0, 1: 1}
    assert moved_positions("", "ab") == {}


def test_current_is_hover_then_focus_then_the_first_word(state):
    assert state.current == 1
    state.set_focus(4)
    state.set_hover(6)
    assert state.current == 6
    state.set_hover(None)
    assert state.current == 4
    state.set_focus(None)
    assert state.current == 1


def test_dropped_and_unknown_tokens_are_said(state):
    state.set_text(a="cat " * 100 + "🦄", b="")
    assert "39 tokens were dropped: the model reads at most 64." in note_about(state)
    state.set_text(a="a 🦄 cat")
    assert note_about(state) == "Not in the vocabulary, read as [UNK]: “🦄” at 2."


def test_broken_unicode_is_a_sentence_and_keeps_the_tokens(state, qtbot):
    before = state.encoding
    with qtbot.waitSignal(state.problem_found) as caught:
        state.set_text(a="broken \ud800 text")
    assert "Unicode" in caught.args[0]
    assert state.encoding is before


def test_chips_carry_what_the_model_reads(state, tokenizer):
    state.toggle_mask(2)
    chips = chips_of(state)
    assert [chip.token_id for chip in chips] == state.input_ids
    number = f"number {tokenizer.mask_id} in the vocabulary"
    assert chips[2].hint() == f"[MASK] · position 2 · {number} · segment A · masked; it was cat"
    assert [replace(chip).kind for chip in chips[:2]] == ["special", "segment_a"]
    assert chips[-2].kind == "segment_b"


@pytest.mark.parametrize(
    ("new", "start"), [("a cat", 2), ("ccat", 1), ("catt", 0), ("cat sat", 0), ("cat", 0), ("ca", None), ("cxt", None)]
)
def test_places_after_an_edit(new, start):
    moved = places_after_edit([Place("a", 0, 3), Place("b", 0, 3)], "a", "cat", new)
    assert moved == {Place("b", 0, 3)} | ({Place("a", start, start + 3)} if start is not None else set())


def test_what_is_changed_inside_stays_in_other_snapshots_of_the_run(state, model_folder, tmp_path):
    opened = load_checkpoint(model_folder)
    about = opened.tokenizer, opened.config, opened.parameters, None, opened.output_heads
    info = ModelInfo("tiny", model_folder, *about)
    run = tmp_path / "run"
    run.mkdir()
    for name in ("status.json", "config.json"):
        (run / name).write_text("{}")
    first, second = (replace(info, folder=run / "snapshots" / f"step-0000000{step}") for step in (1, 2))
    state.set_model(first)
    changed = WhatIf(frozenset({(0, 1)}))
    state.set_what_if(changed)
    past = History(state)
    state.set_what_if(changed.with_head(0, 0, True))
    past.look()
    state.set_model(second)
    assert state.what_if == changed.with_head(0, 0, True)
    past.undo()
    assert state.what_if == changed
    state.set_model(info)
    assert state.what_if == NOTHING_CHANGED


RNG = np.random.default_rng(0)


WORDS = word_tokenizer()


def units(view, masked=()):
    encoding = WORDS.encode("the comfortable cat", "dog sat")  # [CLS] the comfort ##able cat [SEP] dog sat [SEP]
    shown = ["[MASK]" if i in masked else label for i, label in enumerate(encoding.labels)]
    return Units(encoding, shown, masked, view)


def attention():
    weights = RNG.random((2, 9, 9)).astype(np.float32)
    return weights / weights.sum(axis=-1, keepdims=True)


def test_the_plain_view_is_the_tokens():
    plain, weights = units(TokenView(), (4,)), attention()
    assert plain.labels == ["[CLS]", "the", "comfort", "##able", "[MASK]", "[SEP]", "dog", "sat", "[SEP]"]
    assert plain.kinds[3:7] == ["segment_a", "mask", "special", "segment_b"]
    assert plain.attention(weights) is weights and plain.view.notes == []


def test_whole_words_add_columns_and_average_rows():
    merged, weights = units(TokenView(words=True)), attention()
    shown = merged.attention(weights)
    assert merged.labels == ["[CLS]", "the", "comfortable", "cat", "[SEP]", "dog", "sat", "[SEP]"]
    assert merged.first_positions == [0, 1, 2, 4, 5, 6, 7, 8]
    assert (merged.unit_of(2), merged.unit_of(3), merged.unit_of(4)) == (2, 2, 3)
    np.testing.assert_allclose(shown[:, 1, 2], weights[:, 1, 2] + weights[:, 1, 3], rtol=1e-5)
    np.testing.assert_allclose(shown[:, 2, 1], (weights[:, 2, 1] + weights[:, 3, 1]) / 2, rtol=1e-5)
    np.testing.assert_allclose(shown.sum(axis=-1), 1, rtol=1e-5)
    assert merged.view.notes == [MERGING]


def test_without_special_tokens_rows_are_scaled_to_one_again():
    bare, weights = units(TokenView(specials=False)), attention()
    shown = bare.attention(weights)
    assert bare.labels == ["the", "comfort", "##able", "cat", "dog", "sat"] and bare.unit_of(0) is None
    row = weights[0, 6, [1, 2, 3, 4, 6, 7]]
    np.testing.assert_allclose(shown[0, 4], row / row.sum(), rtol=1e-5)
    assert bare.view.notes == [NO_SPECIALS]
    weights = np.zeros((9, 9), dtype=np.float32)
    weights[:, 0] = 1  # a row that looks at special tokens alone becomes zeros
    assert (bare.attention(weights) == 0).all()
    empty = Units(WORDS.encode(""), ["[CLS]", "[SEP]"], (), TokenView(specials=False))
    assert len(empty) == 0 and empty.labels == [] and empty.attention(np.eye(2)).shape == (0, 0)


def test_vectors_are_averaged_and_scores_added():
    both = units(TokenView(words=True, specials=False))
    vectors, scores = RNG.random((9, 4)), RNG.random(9)
    assert both.labels == ["the", "comfortable", "cat", "dog", "sat"]
    np.testing.assert_allclose(both.vectors(vectors)[1], (vectors[2] + vectors[3]) / 2, rtol=1e-6)
    np.testing.assert_allclose(both.sums(scores), scores[[1, 2, 4, 6, 7]] + [0, scores[3], 0, 0, 0])


IDS, SEGMENTS = [2, 6, 7, 3, 8, 9, 3], [0, 0, 0, 0, 1, 1, 1]
TOKENS = ["[CLS]", "the", "cat", "[SEP]", "dog", "sat", "[SEP]"]


def test_nothing_changed_is_nothing_and_another_text_keeps_what_is_bound_to_no_token():
    assert not NOTHING_CHANGED and NOTHING_CHANGED.changes() is None
    assert NOTHING_CHANGED.described(TOKENS) == []
    assert NOTHING_CHANGED.positions_for(7) is None and NOTHING_CHANGED.segments_for(SEGMENTS) == SEGMENTS
    changed = WhatIf().with_head(1, 2, off=True).with_segment(2, 1).swapped(1, 2)
    assert changed.without_places() == WhatIf().with_head(1, 2, off=True)


def test_what_is_put_in_can_be_taken_back():
    row = EditedRow(0, 1, 2, (1.0, 0, 0, 0, 0, 0, 0))
    changed = WhatIf().with_head(1, 2, off=True).with_layer(0, off=True).with_row(row).with_segment(2, 1)
    changed = changed.swapped(1, 4).with_dropped("position", off=True)
    assert changed.described(TOKENS) == [
        "layer 1 skipped",
        "head 2·3 off",
        "head 1·2: row of cat edited",
        "cat (2) in segment B",
        "the (1) at position 4",
        "dog (4) at position 1",
        "no position embedding",
    ]
    one_sided = WhatIf().with_direction("right", is_on=True)
    assert one_sided and one_sided.described(TOKENS) == ["every token looks right only"]
    assert one_sided.with_direction("left", is_on=True).direction == "left"
    assert one_sided.with_direction("right", is_on=False) == NOTHING_CHANGED == WhatIf().without_places()
    back = changed.with_head(1, 2, off=False).with_layer(0, off=False).without_row(0, 1, 2).with_segment(2, None)
    assert back.swapped(1, 4).with_dropped("position", off=False) == NOTHING_CHANGED


def test_the_model_does_what_is_said_and_a_layer_that_is_off_passes_its_input_on():
    model = tiny_model()
    weights = (0.5, 0.5, 0, 0, 0, 0, 0)
    changed = WhatIf().with_head(1, 2, off=True).with_row(EditedRow(0, 1, 2, weights)).with_dropped("token", off=True)
    changed = changed.with_segment(2, 1).swapped(1, 4)
    places = changed.segments_for(SEGMENTS), changed.positions_for(len(IDS))
    off = ablate({(1, 2)}, config=model.config)
    by_hand = combine(drop_embedding("token"), set_attention_row(0, 1, 2, weights), off)
    found = trace(model, IDS, *places, changes=changed.changes())
    by_hand = trace(model, IDS, [0, 0, 1, 0, 1, 1, 1], [0, 4, 2, 3, 1, 5, 6], changes=by_hand)
    np.testing.assert_array_equal(found.mlm_logits, by_hand.mlm_logits)
    np.testing.assert_allclose(found.attentions[0, 1, 2], weights)
    assert np.abs(found.hidden_states - trace(model, IDS, SEGMENTS).hidden_states).max() > 0.01
    found = trace(tiny_model(), IDS, SEGMENTS, changes=WhatIf().with_layer(1, off=True).changes())
    np.testing.assert_array_equal(found.hidden_states[2], found.hidden_states[1])
