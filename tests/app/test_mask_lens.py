"""Words through the layers, masks filled in order, surprise, shares: against single passes and older functions."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from app.compute.head_questions import HeadTarget
from app.compute.masks import fill_masks, lens_at, word_through_layers
from app.compute.word_questions import attribution_of, surprise_of
from app.state.explore_state import ExploreState, Written, replaced, written
from app.state.readings import ModelInput
from app.state.what_if import EditedRow, WhatIf
from bertcore.analysis.effects import Method, covered, gradient_x_input, integrated_gradients, leave_one_out
from bertcore.analysis.passes import as_text, layer_lens
from bertcore.analysis.predict import decided_at, follow_words, softmax, top_words, word_rank
from bertcore.analysis.targets import Target
from bertcore.analysis.trace import trace
from bertcore.analysis.words import surprises, word_probability
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_smiles
from tests.app.family_models import vocabulary
from tests.engine.models import VOCABULARY, tiny_checkpoint, word_tokenizer

TOKENIZER = word_tokenizer()
PAIR = TOKENIZER.encode("the [MASK] sat on [MASK].", "it was very [MASK]!")
MASKS = [i for i, token in enumerate(PAIR.ids) if token == TOKENIZER.mask_id]
TEXT = ModelInput(tuple(PAIR.ids), tuple(PAIR.segments))
CAT, MASK = VOCABULARY.index("cat"), VOCABULARY.index("[MASK]")
OFF = WhatIf(heads_off=frozenset({(1, 2)}), layers_off=frozenset({0}))


@pytest.fixture(scope="module", params=["post", "pre"])
def checkpoint(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    return load_checkpoint(tiny_checkpoint(folder, num_hidden_layers=3, norm=request.param))


def rows_of(checkpoint, ids, positions, what_if=OFF):
    return trace(checkpoint.model, ids, PAIR.segments, mlm_positions=positions, changes=what_if.changes()).mlm_logits


@pytest.mark.parametrize(
    ("ranks", "stage"), [([1, 1, 1], 0), ([1, 7, 1], 2), ([9, 1, 1], 1), ([1, 1, 2], None), ([1], 0), ([3], None)]
)
def test_a_word_is_decided_where_it_stays_first(ranks, stage):
    assert decided_at(ranks) == stage


def test_the_lens_at_masks_is_the_lens(checkpoint):
    states = trace(checkpoint.model, PAIR.ids, PAIR.segments).hidden_states
    found = lens_at(checkpoint, states[:, MASKS], k=2)
    logits = layer_lens(checkpoint.model, states, MASKS)
    assert found.words == [[top_words(mask, TOKENIZER, 2) for mask in stage] for stage in logits]
    path = follow_words(logits, logits[-1].argmax(-1))
    assert found.probability == pytest.approx(path.probability) and np.array_equal(found.rank, path.rank)
    for mask in range(len(MASKS)):
        stage = found.decided(mask)
        tops = [words[mask][0].id for words in found.words]
        assert set(tops[stage:]) == {tops[-1]} and (stage == 0 or tops[stage - 1] != tops[-1])


@pytest.mark.parametrize("what_if", [WhatIf(), OFF])
def test_one_piece_is_followed_as_the_lens_follows_it(checkpoint, what_if):
    states = trace(checkpoint.model, PAIR.ids, PAIR.segments, changes=what_if.changes()).hidden_states
    path = follow_words(layer_lens(checkpoint.model, states, [MASKS[0]]), [CAT])
    found = word_through_layers(checkpoint, TEXT, PAIR, MASKS[0], "cat", what_if)
    assert found.pieces == ["cat"] and found.rank is not None
    assert found.probability == pytest.approx(path.probability[:, 0], rel=1e-4)
    assert np.array_equal(found.rank, path.rank[:, 0])


def test_several_pieces_multiply_and_end_where_the_model_ends(checkpoint):
    found = word_through_layers(checkpoint, TEXT, PAIR, MASKS[0], "comfortable")
    assert found.pieces == ["comfort", "##able"] and found.rank is None
    ids = [VOCABULARY.index(piece) for piece in found.pieces]
    text = as_text(checkpoint.model, PAIR.ids, PAIR.segments)
    whole = word_probability(checkpoint.model, TOKENIZER, text, MASKS[0], ids)
    assert found.probability[-1] == pytest.approx(whole, rel=1e-4)
    at = MASKS[0]
    longer = [*PAIR.segments[:at], PAIR.segments[at], *PAIR.segments[at:]]
    product = np.ones(4)
    for place, piece in enumerate(ids):
        text = [*PAIR.ids[:at], *(ids[:place] + [MASK] * (2 - place)), *PAIR.ids[at + 1 :]]
        states = trace(checkpoint.model, text, longer).hidden_states
        logits = layer_lens(checkpoint.model, states, [at + place])
        product *= softmax(logits)[:, 0, piece]
        assert found.piece_ranks[-1, place] == word_rank(logits[-1, 0], piece).rank
    assert found.probability == pytest.approx(product, rel=1e-3)


def test_pieces_do_not_fit_edited_rows(checkpoint):
    row = WhatIf(rows=(EditedRow(0, 0, 1, (1.0, *[0.0] * (len(PAIR) - 1))),))
    with pytest.raises(BertcoreError, match="2 pieces"):
        word_through_layers(checkpoint, TEXT, PAIR, MASKS[0], "comfortable", row)
    assert word_through_layers(checkpoint, TEXT, PAIR, MASKS[0], "cat", row).pieces == ["cat"]


def test_left_to_right_fills_with_the_words_before_in_place(checkpoint):
    shares = []
    steps = fill_masks(checkpoint, TEXT, MASKS, what_if=OFF, progress=shares.append)
    ids = list(PAIR.ids)
    for position, filled in zip(MASKS, steps, strict=True):
        chances = softmax(rows_of(checkpoint, ids, [position])[0])
        assert (filled.position, filled.word.id) == (position, int(chances.argmax()))
        assert filled.word.probability == pytest.approx(chances.max(), rel=1e-4)
        ids[position] = filled.word.id
    assert shares == pytest.approx([1 / 3, 2 / 3, 1])


def test_most_certain_first_looks_at_all_that_are_open(checkpoint):
    steps = fill_masks(checkpoint, TEXT, MASKS, "most certain first", what_if=OFF)
    ids, still_open = list(PAIR.ids), list(MASKS)
    for filled in steps:
        chances = softmax(rows_of(checkpoint, ids, still_open))
        best = int(chances.max(axis=1).argmax())
        assert (filled.position, filled.word.id) == (still_open[best], int(chances[best].argmax()))
        ids[still_open.pop(best)] = filled.word.id
    assert sorted(filled.position for filled in steps) == MASKS


def test_ones_own_order_and_as_many_as_wished(checkpoint):
    steps = fill_masks(checkpoint, TEXT, MASKS, [MASKS[2], MASKS[0]])
    assert [filled.position for filled in steps] == [MASKS[2], MASKS[0]]
    assert steps[0] == fill_masks(checkpoint, TEXT, MASKS, [MASKS[2]])[0]
    assert fill_masks(checkpoint, TEXT, MASKS, most=1)[0].position == MASKS[0]
    assert fill_masks(checkpoint, TEXT, []) == []
    for wrong in ([1], [MASKS[0], MASKS[0]]):
        with pytest.raises(BertcoreError, match="no mask that is still unfilled"):
            fill_masks(checkpoint, TEXT, MASKS, wrong)


def test_surprise_leaves_out_masks_and_heeds_what_is_changed(checkpoint):
    shares = []
    found = surprise_of(checkpoint, PAIR, TEXT, what_if=OFF, progress=shares.append)
    words = [i for i, part in enumerate(PAIR.parts) if part != "special" and i not in MASKS]
    assert found.positions.tolist() == words and shares[-1] == 1
    for place, bits in zip(words, found.bits.tolist(), strict=True):
        ids = [*PAIR.ids[:place], MASK, *PAIR.ids[place + 1 :]]
        chance = softmax(rows_of(checkpoint, ids, [place])[0])[PAIR.ids[place]]
        assert bits == pytest.approx(-np.log2(chance), abs=1e-4)
    whole = TOKENIZER.encode("the comfortable cat")
    text = ModelInput(tuple(whole.ids), tuple(whole.segments))
    grouped = surprises(checkpoint.model, [whole], MASK, groups=[[0, 1, 2, 2, 3, 4]])[0]
    assert surprise_of(checkpoint, whole, text, whole_words=True).bits == pytest.approx(grouped.bits, abs=1e-5)


def test_a_vocabulary_without_a_mask_hides_nothing(checkpoint):
    tokenizer = word_tokenizer()
    tokenizer.mask_id = None
    with pytest.raises(BertcoreError, match="no mask"):
        surprise_of(replace(checkpoint, tokenizer=tokenizer), PAIR, TEXT)


def test_an_unknown_word_can_have_decided_too(checkpoint):
    encoding = checkpoint.tokenizer.encode("the cat 日 on the mat")
    at = encoding.ids.index(checkpoint.tokenizer.unk_id or 0)
    text = ModelInput(tuple(encoding.ids), tuple(encoding.segments))
    target = HeadTarget("cat", Target("mlm", CAT, 2))
    found = attribution_of(checkpoint, text, target, "integrated_gradients", lambda share: None)
    assert abs(found.scores[at]) > 1e-6 and found.scores[0] == 0


def test_shares_are_the_attributions_with_words_covered(checkpoint):
    target, own = HeadTarget("cat", Target("mlm", CAT, MASKS[0])), Target("mlm", CAT, MASKS[0])
    text = as_text(checkpoint.model, PAIR.ids, PAIR.segments)
    arguments = checkpoint.model, text, own
    base = covered(text, MASK, TOKENIZER.special_ids)
    assert base.ids[[0, 2, MASKS[0]]].tolist() == [PAIR.ids[0], MASK, MASK]
    expected = {
        "gradient_x_input": gradient_x_input(*arguments),
        "integrated_gradients": integrated_gradients(*arguments, baseline=base),
        "leave_one_out": leave_one_out(*arguments, MASK),
    }
    for method in get_args(Method):
        shares = []
        found = attribution_of(checkpoint, TEXT, target, method, shares.append)
        assert found.scores == pytest.approx(expected[method].scores, abs=1e-4)
        assert method == "gradient_x_input" or (shares[-1] == 1 and shares == sorted(shares))
        assert found.completeness_error == pytest.approx(expected[method].completeness_error, abs=1e-4)


SENTENCE = "the cat sat on the mat."


def put(kind, old, new, text=SENTENCE):
    """The text after `new` was put where `old` stands, and its tokens; both as people see them."""
    tokenizer = vocabulary(kind)
    encoding = tokenizer.encode(text)
    labels = [tokenizer.label(i) for i in range(tokenizer.vocab_size)]
    after = replaced(text, encoding.offsets[encoding.labels.index(old)], written(tokenizer, labels.index(new)))
    return after, tokenizer.encode(after).labels


@pytest.mark.parametrize("kind", ["byte-level", "sentencepiece"])
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("·cat", "·dog", "the dog sat on the mat."),
        ("·cat", "s", "thes sat on the mat."),
        (".", "·dog", "the cat sat on the mat dog"),
        (".", ",", "the cat sat on the mat,"),
    ],
)
def test_a_mark_is_a_space_and_none_is_glued(kind, old, new, expected):
    assert put(kind, old, new)[0] == expected


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("wordpiece", "cat", "dog"),
        ("wordpiece", ".", "dog"),
        ("wordpiece", "mat", "."),
        ("byte-level", "·cat", "·dog"),
        ("byte-level", ".", "·dog"),
        ("byte-level", "·cat", "."),
        ("byte-level", "the", "The"),
        ("sentencepiece", "·the", "·dog"),
        ("sentencepiece", "·mat", "·dog"),
        ("sentencepiece", "·cat", ","),
    ],
)
def test_the_model_then_reads_that_token_there_and_all_others_as_before(kind, old, new):
    before = vocabulary(kind).encode(SENTENCE).labels
    expected = list(before)
    expected[before.index(old)] = new
    assert put(kind, old, new)[1] == expected


def test_a_mask_and_the_space_before_it_go_together():
    for kind in ("byte-level", "sentencepiece", "wordpiece"):
        tokenizer, state = vocabulary(kind), ExploreState()
        state.set_text("the [MASK] sat.")
        state.set_tokenizer(tokenizer, 64)
        word = next(i for i in range(tokenizer.vocab_size) if tokenizer.label(i) in ("·dog", "dog"))
        state.insert_words([(2, word)])
        assert state.text_a == "the dog sat." and state.encoding.ids[2] == word


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("a cat b", "cat", Written("dog", "between words"), "a dog b"),
        ("a cat b", "cat", Written("s", "none"), "as b"),
        ("comfortable b", "able", Written("dog", "between words"), "comfort dog b"),
        ("comfortable b", "able", Written("s", "none"), "comforts b"),
        ("U.S", ".", Written("dog", "between words"), "U dog S"),
        ("well-known", "known", Written("dog", "between words"), "well-dog"),
    ],
)
def test_words_are_kept_apart_and_pieces_are_not(text, old, new, expected):
    start = text.index(old)
    assert replaced(text, (start, start + len(old)), new) == expected


def test_atoms_are_put_in_without_any_space():
    tokenizer = Tokenizer(raw_from_smiles([*SPECIAL_TOKENS, "C", "O", "N", "(", ")", "="], "[UNK]"), lowercase=False)
    assert replaced("CC(=O)O", (6, 7), written(tokenizer, tokenizer.id("N"))) == "CC(=O)N"


def test_a_part_of_a_character_is_refused_in_a_sentence_and_the_mask_stays():
    tokenizer = vocabulary("byte-level")
    lone = next(i for i in range(tokenizer.vocab_size) if tokenizer.label(i) == "\\xE2")
    with pytest.raises(BertcoreError, match="cannot be typed"):
        written(tokenizer, lone)
    assert written(tokenizer, tokenizer.id("\\")).text == "\\"
    state, said = ExploreState(), []
    state.problem_found.connect(said.append)
    state.set_text(SENTENCE)
    state.set_tokenizer(tokenizer, 64)
    state.toggle_mask(2)
    state.insert_words([(2, lone)])
    assert state.text_a == SENTENCE and state.masked == {2} and len(said) == 1


def test_a_special_token_is_written_by_its_own_name():
    tokenizer = vocabulary("byte-level")
    assert replaced("the cat", (4, 7), written(tokenizer, tokenizer.sep_id)) == "the </s>"
