"""What if: interventions and patches by identities, by effect, and against the same by hand and in TransformerLens."""

import copy
from typing import get_args

import numpy as np
import pytest
import torch

from bertcore.analysis.effects import patched_at, patching_map
from bertcore.analysis.interventions import (
    EMBEDDINGS,
    PatchedPart,
    ablate,
    check_heads,
    check_rows,
    combine,
    drop_embedding,
    one_direction,
    parse_heads,
    parse_positions,
    put,
    set_attention_row,
)
from bertcore.analysis.passes import Batch, as_text, predict_heads
from bertcore.analysis.residual import residual_stream, strongest_neurons
from bertcore.analysis.targets import SimilarityTarget, Target
from bertcore.analysis.trace import activations, trace
from bertcore.analysis.words import surprises
from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.model.hooks import Intervention, hidden_points
from tests.engine.models import (
    MASKED,
    PAIR,
    SHAPES,
    TOKENIZER,
    family_model,
    pair_text,
    segments_for,
    tiny_config,
    tiny_model,
)

OTHER = TOKENIZER.encode("A bird sang on.", "The dog was very.")
MODEL = family_model("bert")
PROBS = "layer.1.attention.probs"
families = pytest.mark.parametrize("family", SHAPES)


def run(model, changes=None, encoding=PAIR):
    return trace(model, encoding.ids, segments_for(model, encoding), changes=changes)


def difference(first, second):
    return float(np.abs(first.mlm_logits - second.mlm_logits).max())


def by_hand(model, layers):
    """The last hidden states where only these layers run."""
    text = as_text(model, PAIR.ids, segments_for(model))
    with torch.no_grad():
        hidden = model.embeddings(text.ids[None], text.segments, text.positions)
        for layer in layers:
            hidden = model.encoder.layer(layer)(hidden)
        return model.encoder(hidden, start=model.encoder.depth)  # the final norm, where there is one


class TestHeads:
    @families
    def test_off_is_the_same_as_no_output_weights(self, family):
        model = family_model(family)
        off, intact = run(model, ablate({(1, 2), (1, 0), (2, 3)}, config=model.config)), run(model)
        assert difference(off, intact) > 1e-3
        assert np.array_equal(off.hidden_states[:2], intact.hidden_states[:2])
        assert not np.allclose(off.hidden_states[2], intact.hidden_states[2], atol=1e-3)
        if family != "albert":  # its layers share weights
            cut = copy.deepcopy(model)
            for layer, head in ((1, 2), (1, 0), (2, 3)):
                width = model.config.head_size
                cut.encoder.layer(layer).attention.output.weight[:, head * width : (head + 1) * width] = 0
            assert difference(off, run(cut)) <= 1e-5
        assert difference(run(model, ablate(set())), intact) <= 1e-6
        with pytest.raises(BertcoreError, match="no head 9; each layer of this model has heads 0 to 3"):
            run(model, ablate({(1, 9)}))


class TestOneDirection:
    @families
    def test_left_is_the_causal_pass_and_right_that_of_the_text_from_its_end(self, family):
        model = family_model(family)
        text = as_text(model, PAIR.ids, segments_for(model))
        segments = None if text.segments is None else text.segments[None]
        both = run(model).hidden_states[-1]
        with torch.no_grad():
            left = model(text.ids[None], segments, position_ids=text.positions[None], causal=True)[0]
            turned = model(
                text.ids.flip(0)[None],
                None if segments is None else segments.flip(1),
                position_ids=text.positions.flip(0)[None],
                causal=True,
            )[0].flip(0)
        for direction, expected in (("left", left), ("right", turned)):
            found = run(model, one_direction(direction))
            assert np.abs(found.hidden_states[-1] - expected.numpy()).max() <= 1e-5
            assert np.abs(found.hidden_states[-1] - both).max() > 1e-3
            unseen = np.triu(found.attentions, 1) if direction == "left" else np.tril(found.attentions, -1)
            assert not unseen.any() and np.allclose(found.attentions.sum(-1), 1, atol=1e-5)

    def test_it_goes_together_with_other_changes_and_each_acts_once(self):
        changes = combine(one_direction("left"), set_attention_row(1, 0, 2, [0.0] * len(PAIR)), ablate({(0, 1)}))
        found = run(MODEL, changes)
        assert not found.attentions[1, 0, 2].any() and not np.triu(found.attentions[0], 1).any()
        seen = []
        Intervention({"layer.*.output": seen.append, "layer.1.output": seen.append})("layer.1.output", 3)
        assert seen == [3, None]  # that of every layer first

    def test_another_direction_is_refused(self):
        with pytest.raises(BertcoreError, match="no direction 'up'; choose left or right"):
            one_direction("up")


class TestLayers:
    @families
    @pytest.mark.parametrize("off", [{0}, {2}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}])
    def test_off_is_the_same_as_not_there(self, family, off):
        model = family_model(family)
        found = run(model, ablate(layers_off=off, config=model.config))
        expected = by_hand(model, [layer for layer in range(3) if layer not in off])
        assert np.abs(found.hidden_states[-1] - expected[0].numpy()).max() <= 1e-5
        assert difference(found, run(model)) > 1e-3

    def test_a_layer_that_is_off_adds_nothing(self):
        parts = ("attention.output", "feed_forward.activation", "feed_forward.output")
        points = [f"layer.{layer}.{part}" for layer in (1, 2) for part in parts]
        seen = activations(MODEL, pair_text(MODEL), points, changes=ablate(layers_off={1}))
        assert [bool(seen[point].any()) for point in points] == [False] * 3 + [True] * 3

    def test_a_layer_that_is_off_hands_on_what_others_left(self):
        text = as_text(MODEL, OTHER.ids[: len(PAIR)], PAIR.segments)
        other = activations(MODEL, text, ["layer.0.output"])["layer.0.output"]
        for order in (lambda a, b: combine(a, b), lambda a, b: combine(b, a)):
            found = run(MODEL, order(ablate(layers_off={1}), {"layer.0.output": put((), other)}))
            assert np.array_equal(found.hidden_states[2], other)
        # a second pass forgets the first
        changes = ablate(layers_off={1})
        first, _, again = run(MODEL, changes), run(MODEL, changes, OTHER), run(MODEL, changes)
        assert difference(first, again) == 0


class TestAttention:
    @families
    def test_a_row_of_one_token_gives_that_tokens_value(self, family):
        model = family_model(family)
        intact, point = run(model), "layer.1.attention.context_heads"
        own, one = intact.attentions[1, 2], np.eye(len(PAIR))[5]
        assert difference(run(model, set_attention_row(1, 2, 3, own[3])), intact) <= 1e-6
        assert difference(run(model, {PROBS: put((2,), own)}), intact) <= 1e-6
        changes = set_attention_row(1, 2, 3, one)
        changed = run(model, changes)
        assert np.array_equal(changed.attentions[1, 2, 3], one)
        others = np.ones_like(intact.attentions[1], dtype=bool)
        others[2, 3] = False
        assert np.array_equal(changed.attentions[1][others], intact.attentions[1][others])
        assert difference(changed, intact) > 1e-3
        heads = activations(model, pair_text(model), [point], changes=changes)[point]
        assert np.allclose(heads[2, 3], intact.values[1, 2, 5], atol=1e-6)

    def test_an_empty_pattern_is_a_head_switched_off_and_two_changes_act_in_order(self):
        model, size = MODEL, len(PAIR)
        empty = {PROBS: put((2,), np.zeros((size, size)))}
        assert difference(run(model, empty), run(model, ablate({(1, 2)}))) <= 1e-6
        pattern, row = np.full((size, size), 1 / size), np.eye(size)[0]
        whole, one = {PROBS: put((1,), pattern)}, set_attention_row(1, 1, 4, row)
        expected = pattern.copy()
        expected[4] = row
        assert np.allclose(run(model, combine(whole, one)).attentions[1, 1], expected)
        assert np.allclose(run(model, combine(one, whole)).attentions[1, 1], pattern)


class TestPatch:
    POINTS = ("embeddings.sum", "embeddings.output", "layer.0.attention.value", "layer.1.middle", "layer.2.output")

    @families
    def test_its_own_activation_changes_nothing_and_all_of_another_text_is_that_text(self, family):
        model = family_model(family)
        intact = run(model)
        for point, own in activations(model, pair_text(model), self.POINTS).items():
            assert difference(run(model, {point: put((), own)}), intact) <= 1e-6
            some = put((..., [2, 5], slice(None)), own[..., [2, 5], :])
            assert difference(run(model, {point: some}), intact) <= 1e-6
        other = trace(model, OTHER.ids[: len(PAIR)], segments_for(model))
        patched = run(model, {"layer.1.output": put((), other.hidden_states[2])})
        assert difference(patched, other) <= 1e-6 and difference(patched, intact) > 1e-3

    def test_some_tokens_from_other_places_of_a_longer_text(self):
        other = trace(MODEL, list(range(5, 25)), [0] * 20).hidden_states[1]
        patched = run(MODEL, {"layer.0.output": put(([1, 4],), other[[19, 2]])}).hidden_states[1]
        expected = run(MODEL).hidden_states[1]
        expected[1], expected[4] = other[19], other[2]
        assert np.array_equal(patched, expected)

    @pytest.mark.parametrize(
        ("value", "where", "match"),
        [
            (np.zeros((5, 32)), (), "5 x 32, but must be 13 x 32"),
            (np.zeros((1, 32)), ([13],), "no such head or token"),
            (np.zeros((1, 32)), ([-1],), "below 0"),
            (np.full((13, 32), np.nan), (), "finite"),
        ],
    )
    def test_what_does_not_fit_is_a_sentence(self, value, where, match):
        with pytest.raises(BertcoreError, match=match):
            run(MODEL, {"layer.0.output": put(where, value)})


@families
@pytest.mark.parametrize("which", EMBEDDINGS)
def test_an_embedding_dropped_is_the_same_as_a_table_of_zeros(family, which):
    model = family_model(family)
    if which == "segment" and not model.config.type_vocab_size:
        return  # a point that never passes
    found = run(model, drop_embedding(which))
    cut = copy.deepcopy(model)
    # the MLM head reads the token table too, so compare what stands before it
    getattr(cut.embeddings, which).weight.zero_()
    assert np.abs(found.hidden_states[-1] - run(cut).hidden_states[-1]).max() <= 1e-5
    assert np.abs(found.hidden_states[-1] - run(model).hidden_states[-1]).max() > 1e-3


class TestWritten:
    CONFIG = tiny_config(num_hidden_layers=4)

    def test_heads(self):
        for written, heads in (
            ("3.4,4.1", {(2, 3), (3, 0)}),
            (" 1.1 , 1.1", {(0, 0)}),
            ("2,3.1", {(1, 0), (1, 1), (1, 2), (1, 3), (2, 0)}),
        ):
            assert parse_heads(written, self.CONFIG) == heads
        for written, says in (
            ("5.1", "no layer 5; this model has layers 1 to 4"),
            ("4.5", "no head 5; each layer of this model has heads 1 to 4"),
            ("0.1", "no layer 0"),
            ("1.0", "no head 0"),
            ("1,-2", "'-2' is not a head"),
            *((none, "is not a head") for none in ("", "1.2.3", "٣", "9" * 5000)),
        ):
            with pytest.raises(BertcoreError, match=says):
                parse_heads(written, self.CONFIG)

    def test_places(self):
        assert parse_positions("5=1, 6 = 0,5=1") == {5: 1, 6: 0}
        for written in ("", "5", "5=", "=1", "5=-1", "5=1;6=1", "5=1,5=0", "5=x"):
            with pytest.raises(BertcoreError, match="cannot be read|two values"):
                parse_positions(written)

    def test_checks(self):
        check_heads({(0, 0), (3, 3)}, self.CONFIG)
        check_rows([0, 4], 5)
        for heads in ({(-1, 0)}, {(0, -1)}, {(4, 0)}):
            with pytest.raises(BertcoreError):
                ablate(heads, config=self.CONFIG)
        with pytest.raises(BertcoreError, match="no layer 4; this model has layers 0 to 3"):
            ablate(layers_off={4}, config=self.CONFIG)
        with pytest.raises(BertcoreError, match="no token 5"):
            check_rows([5], 5)
        with pytest.raises(BertcoreError, match="word"):
            drop_embedding("word")


@pytest.mark.parametrize(
    ("point", "array"),
    [("pooler.output", "pooled"), ("mlm.logits", "mlm_logits"), ("nsp.logits", "next_sentence_logits")],
)
def test_what_is_changed_at_the_points_of_the_heads_shows(point, array):
    model, changes = tiny_model(("mlm", "nsp")), {point: torch.zeros_like}
    intact, changed = run(model), run(model, changes)
    assert np.abs(intact.arrays()[array]).max() > 1e-3 and np.abs(changed.arrays()[array]).max() == 0
    (fast,) = predict_heads(model, Batch.of([pair_text(model)]), [[MASKED]], changes)
    assert np.abs(vars(fast)[array]).max() == 0
    if point == "pooler.output":
        assert np.abs(intact.next_sentence_logits - changed.next_sentence_logits).max() > 1e-3


def test_points_that_never_pass_are_named_with_the_reason_where_the_family_lacks_them():
    model = tiny_model(("mlm",), pooler=False)
    for point in ("layer.0.attention.prob", "layer.9.output", "nsp.logits", "embeddings"):
        with pytest.raises(BertcoreError, match=point):
            run(model, {point: torch.zeros_like, "layer.0.output": torch.clone})
    model = family_model("distilbert")
    with pytest.raises(BertcoreError, match=r"embeddings\.segment.*DistilBERT has no segments"):
        run(model, drop_embedding("segment"))
    with pytest.raises(BertcoreError, match="embeddings.segment"):
        activations(model, pair_text(model), ["embeddings.segment"])


@pytest.mark.parametrize(
    "ask",
    [
        lambda text, **changed: predict_heads(MODEL, Batch.of([text]), [[]], **changed),
        lambda text, **changed: surprises(MODEL, [PAIR], TOKENIZER.mask_id, **changed),
        lambda text, **changed: strongest_neurons(MODEL, text, **changed),
        lambda text, **changed: residual_stream(MODEL, text, **changed),
        lambda text, **changed: activations(MODEL, text, [], **changed),
    ],
)
def test_a_point_that_never_passes_is_named_by_every_analysis(ask):
    with pytest.raises(BertcoreError, match="no such point"):
        ask(pair_text(MODEL), changes={"no such point": torch.zeros_like})


# --- activation patching: each cell against the change made alone, and what must come back whole

OTHER_WORD = TOKENIZER.encode("The dog [MASK] very.", "It was comfortable!")  # one word replaced, at 2
CAT, DOG = map(TOKENIZER.id, ("cat", "dog"))
WORD = Target("mlm", CAT, MASKED)
parts = pytest.mark.parametrize("part", get_args(PatchedPart))


def texts(model, other=OTHER_WORD):
    return as_text(model, PAIR.ids, segments_for(model)), as_text(model, other.ids, segments_for(model, other))


def alone(model, text, target, changes=None):
    """The target in one pass of its own."""
    with torch.inference_mode():
        return float(target.of(model, text.hidden(model, hook=Intervention(changes or {}))))


class TestCells:
    @families
    @parts
    @pytest.mark.parametrize("max_tokens", [4096, 30])
    def test_each_is_the_change_made_alone(self, family, part, max_tokens):
        model = family_model(family)
        text, other = texts(model)
        found = patching_map(model, text, other, WORD, part, max_tokens=max_tokens)
        rows, columns = {"state": (4, 13), "head": (3, 4)}.get(part, (3, 13))
        assert found.patched.shape == (rows, columns)
        for row, place in np.ndindex(rows, columns):
            expected = alone(model, text, WORD, patched_at(model, other, part, row, place))
            assert found.patched[row, place] == pytest.approx(expected, abs=1e-5)
        wanted = alone(model, text, WORD), alone(model, other, WORD)
        assert (found.text, found.other) == pytest.approx(wanted, abs=1e-5)
        assert np.abs(found.patched - found.text).max() > 1e-3
        assert np.allclose(found.fractions, (found.patched - found.text) / (found.other - found.text))

    def test_a_head_at_one_position(self):
        text, other = texts(MODEL)
        found = patching_map(MODEL, text, other, WORD, "head", position=MASKED)
        points = [f"layer.{layer}.attention.context_heads" for layer in range(3)]
        expected = [
            [alone(MODEL, text, WORD, {point: put((head, MASKED), value[head, MASKED])}) for head in range(4)]
            for point, value in activations(MODEL, other, points).items()
        ]
        assert np.abs(found.patched - expected).max() < 1e-5
        everywhere = patching_map(MODEL, text, other, WORD, "head")
        assert np.abs(found.patched[-1] - everywhere.patched[-1]).max() < 1e-5  # above it only [MASK] is read
        assert np.abs(found.patched[0] - everywhere.patched[0]).max() > 1e-3


class TestCompleteness:
    @families
    def test_all_positions_of_a_layer_give_the_other_text_and_so_does_all_that_layers_add(self, family):
        """With the embeddings, that is all a pass consists of: what is left follows from them."""
        model = family_model(family)
        text, other = texts(model)
        wanted = alone(model, other, WORD)
        for point in hidden_points(3):
            value = activations(model, other, [point])[point]
            assert alone(model, text, WORD, {point: put((), value)}) == wanted
        counts = {"state": len(text), "head": 4, "attention": len(text), "feed-forward": len(text)}

        def cells(part, *rows):
            return [patched_at(model, other, part, row, place) for row in rows for place in range(counts[part])]

        assert alone(model, text, WORD, combine(*cells("state", 1))) == wanted
        heads, embeddings = cells("head", 0, 1, 2), cells("state", 0)
        for added in (heads, cells("attention", 0, 1, 2), [*heads, *cells("feed-forward", 0, 1, 2)]):
            assert alone(model, text, WORD, combine(*embeddings, *added)) == wanted
        # not without the embeddings: the token itself reaches the top beside the heads
        at_word = Target("mlm", CAT, 2)  # where the texts differ
        assert abs(alone(model, text, at_word, combine(*heads)) - alone(model, other, at_word)) > 1e-4
        shares = patching_map(model, text, other, WORD).fractions
        assert np.abs(shares[0] - np.eye(13)[2]).max() < 1e-4  # all of the lowest row is the word replaced
        assert np.abs(shares[-1] - np.eye(13)[MASKED]).max() < 1e-4

    @parts
    def test_some_places_are_columns_of_the_whole_map(self, part):
        text, other = texts(MODEL)
        whole = patching_map(MODEL, text, other, WORD, part)
        some = patching_map(MODEL, text, other, WORD, part, columns=[3, 1])
        assert some.columns == (3, 1) and np.abs(some.patched - whole.patched[:, [3, 1]]).max() < 1e-5
        with pytest.raises(BertcoreError, match="There is no (head|token) 13"):
            patching_map(MODEL, text, other, WORD, part, columns=[13])


class TestTargets:
    def test_the_difference_of_two_words_and_a_similarity_by_hand(self):
        model = tiny_model()
        text, other = texts(model)
        logits = [alone(model, text, Target("mlm", word, MASKED, "logit")) for word in (CAT, DOG)]
        found = alone(model, text, Target("mlm", CAT, MASKED, against=DOG))
        assert found == pytest.approx(logits[0] - logits[1], abs=1e-5)
        with pytest.raises(BertcoreError, match="There is no token 999 in this model's vocabulary"):
            alone(model, text, Target("mlm", CAT, MASKED, against=999))
        with torch.inference_mode():
            ours, theirs = (each.hidden(model)[0].mean(0) for each in (text, other))
        target = SimilarityTarget(vector=tuple(theirs.tolist()))
        expected = float(ours @ theirs / ours.norm() / theirs.norm())
        assert alone(model, text, target) == pytest.approx(expected, abs=1e-6)
        assert alone(model, other, target) == pytest.approx(1, abs=1e-6)
        first = text.hidden(model)[0, 0]
        target = SimilarityTarget(vector=tuple(first.tolist()), pooling="cls")
        assert alone(model, text, target) == pytest.approx(1, abs=1e-6)


class TestRefusals:
    def test_what_is_not_there_says_so(self):
        model = tiny_model()
        both = texts(model)
        refused = [
            ("The texts have 13 and 5 tokens", texts(model, TOKENIZER.encode("The cat .")), {}),
            (r"nearly the same score \(-[\d.]+ and -[\d.]+\)", texts(model, PAIR), {}),
            ("no part 'neuron'; choose one of state, attention", both, {"part": "neuron"}),
            ("no token 13; this text has tokens 0 to 12", both, {"part": "head", "position": 13}),
            ("only be chosen for heads", both, {"position": 3}),
        ]
        for says, given, options in refused:
            with pytest.raises(BertcoreError, match=says):
                patching_map(model, *given, WORD, **options)
        no_row = "no row 3; the map has rows 0 to 2"
        for says, at in ((no_row, ("state", 3, 0)), ("no token 13", ("state", 0, 13)), ("no head 4", ("head", 0, 4))):
            with pytest.raises(BertcoreError, match=says):
                patched_at(model, both[1], *at)

    def test_a_progress_that_raises_stops_it(self):
        shares = []

        def step(share):
            shares.append(share)
            if share > 0.3:
                raise InterruptedError

        model = tiny_model()
        with pytest.raises(InterruptedError):
            patching_map(model, *texts(model), WORD, "attention", max_tokens=30, progress=step)
        assert shares == sorted(shares) and 0.3 < shares[-1] < 0.5
        shares.clear()
        patching_map(model, *texts(model), WORD, "attention", progress=shares.append)
        assert shares == pytest.approx([2 / 3, 1])  # the first layer is patched with two to compute


@pytest.mark.slow
def test_the_maps_are_those_of_transformer_lens(tmp_path):
    """But for "attention": in its BERT that point comes after the residual connection and LayerNorm."""
    lens = pytest.importorskip("transformer_lens", reason="TransformerLens is not installed")
    from transformer_lens import patching
    from transformer_lens.model_bridge import TransformerBridge
    from transformers import BertForMaskedLM, BertTokenizerFast

    assert lens
    model = tiny_model(("mlm",), num_hidden_layers=3)
    save_checkpoint(model, TOKENIZER, tmp_path)
    theirs = TransformerBridge.boot_transformers(
        str(tmp_path),
        hf_model=BertForMaskedLM.from_pretrained(tmp_path, attn_implementation="eager").eval(),
        tokenizer=BertTokenizerFast.from_pretrained(tmp_path),
    )
    ours = [TOKENIZER.encode(text) for text in ("The cat [MASK] very.", "The dog [MASK] very.")]
    text, other = (as_text(model, encoding.ids, encoding.segments) for encoding in ours)
    tokens = [torch.tensor([encoding.ids]) for encoding in ours]

    def metric(logits):
        return logits[0, MASKED].log_softmax(-1)[CAT]

    with torch.inference_mode():
        _, cache = theirs.run_with_cache(tokens[1])
        given = theirs, tokens[0], cache, metric
        found = {
            "state": patching.get_act_patch_resid_pre(*given),
            "feed-forward": patching.get_act_patch_mlp_out(*given),
            "head": patching.get_act_patch_attn_head_out_all_pos(*given),
        }
    for part, values in found.items():
        mine = patching_map(model, text, other, WORD, part).patched
        assert np.abs(mine[: len(values)] - values.numpy()).max() < 1e-4, part
        assert values.std() > 1e-3, part
