"""What if: each intervention by an identity, by its effect, and against the same thing done by hand."""

import copy
from typing import Any

import numpy as np
import pytest
import torch

from bertcore.analysis.interventions import (
    EMBEDDINGS,
    ablate,
    check_heads,
    check_rows,
    combine,
    drop_embedding,
    parse_heads,
    parse_positions,
    put,
    set_attention_row,
)
from bertcore.analysis.passes import Batch, as_text, predict_heads
from bertcore.analysis.residual import residual_stream, strongest_neurons
from bertcore.analysis.trace import Trace, activations, trace
from bertcore.analysis.words import surprises
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.hooks import Changes
from tests.engine.family_models import MASKED, PAIR, SHAPES, TOKENIZER, family_model, pair_text, segments_for
from tests.engine.models import tiny_config, tiny_model

OTHER = TOKENIZER.encode("A bird sang on.", "The dog was very.")
PROBS = "layer.1.attention.probs"
families = pytest.mark.parametrize("family", SHAPES)


def run(model: Bert, changes: Changes | None = None, encoding: Any = PAIR) -> Trace:
    return trace(model, encoding.ids, segments_for(model, encoding), changes=changes)


def difference(first: Trace, second: Trace) -> float:
    assert first.mlm_logits is not None and second.mlm_logits is not None
    return float(np.abs(first.mlm_logits - second.mlm_logits).max())


def by_hand(model: Bert, layers: list[int]) -> torch.Tensor:
    """The last hidden states where only these layers run."""
    text = as_text(model, PAIR.ids, segments_for(model))
    with torch.no_grad():
        hidden = model.embeddings(text.ids[None], text.segments, text.positions)
        for layer in layers:
            hidden = model.encoder.layer(layer)(hidden)
        return model.encoder(hidden, start=model.encoder.depth)  # the final norm, where there is one


class TestHeads:
    @pytest.mark.parametrize("family", [family for family in SHAPES if family != "albert"])  # its layers share weights
    def test_off_is_the_same_as_no_output_weights(self, family: str) -> None:
        model = family_model(family)
        off = run(model, ablate({(1, 2), (1, 0), (2, 3)}, config=model.config))
        cut = copy.deepcopy(model)
        for layer, head in ((1, 2), (1, 0), (2, 3)):
            width = model.config.head_size
            cut.encoder.layer(layer).attention.output.weight[:, head * width : (head + 1) * width] = 0
        assert difference(off, run(cut)) <= 1e-5
        assert difference(off, run(model)) > 1e-3

    @families
    def test_none_off_changes_nothing(self, family: str) -> None:
        model = family_model(family)
        assert difference(run(model, ablate(set())), run(model)) <= 1e-6
        with pytest.raises(BertcoreError, match="no head 9; each layer of this model has heads 0 to 3"):
            run(model, ablate({(1, 9)}))

    def test_what_stands_before_is_untouched(self) -> None:
        model = family_model("bert")
        off, intact = run(model, ablate({(1, 0)})), run(model)
        assert np.array_equal(off.hidden_states[:2], intact.hidden_states[:2])
        assert not np.allclose(off.hidden_states[2], intact.hidden_states[2], atol=1e-3)


class TestLayers:
    @families
    @pytest.mark.parametrize("off", [{0}, {2}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}])
    def test_off_is_the_same_as_not_there(self, family: str, off: set[int]) -> None:
        model = family_model(family)
        found = run(model, ablate(layers_off=off, config=model.config))
        expected = by_hand(model, [layer for layer in range(3) if layer not in off])
        assert np.abs(found.hidden_states[-1] - expected[0].numpy()).max() <= 1e-5
        assert difference(found, run(model)) > 1e-3

    def test_a_layer_that_is_off_adds_nothing(self) -> None:
        """Nor do its neurons fire."""
        model = family_model("bert")
        parts = ("attention.output", "feed_forward.activation", "feed_forward.output")
        points = [f"layer.{layer}.{part}" for layer in (1, 2) for part in parts]
        seen = activations(model, pair_text(model), points, changes=ablate(layers_off={1}))
        assert [bool(seen[point].any()) for point in points] == [False] * 3 + [True] * 3

    def test_a_layer_that_is_off_hands_on_what_others_left(self) -> None:
        model = family_model("bert")
        other = activations(model, as_text(model, OTHER.ids[: len(PAIR)], PAIR.segments), ["layer.0.output"])[
            "layer.0.output"
        ]
        for order in (lambda a, b: combine(a, b), lambda a, b: combine(b, a)):
            found = run(model, order(ablate(layers_off={1}), {"layer.0.output": put((), other)}))
            assert np.array_equal(found.hidden_states[2], other)

    def test_a_second_pass_forgets_the_first(self) -> None:
        model = family_model("bert")
        changes = ablate(layers_off={1})
        first, _, again = run(model, changes), run(model, changes, OTHER), run(model, changes)
        assert difference(first, again) == 0


class TestAttention:
    @families
    def test_a_row_or_pattern_replaced_by_itself(self, family: str) -> None:
        model = family_model(family)
        intact = run(model)
        own = intact.attentions[1, 2]
        assert difference(run(model, set_attention_row(1, 2, 3, own[3])), intact) <= 1e-6
        assert difference(run(model, {PROBS: put((2,), own)}), intact) <= 1e-6

    @families
    def test_a_row_of_one_token_gives_that_tokens_value(self, family: str) -> None:
        model = family_model(family)
        intact = run(model)
        changed = run(model, set_attention_row(1, 2, 3, np.eye(len(PAIR))[5]))
        assert np.array_equal(changed.attentions[1, 2, 3], np.eye(len(PAIR))[5])
        others = np.ones_like(intact.attentions[1], dtype=bool)
        others[2, 3] = False
        assert np.array_equal(changed.attentions[1][others], intact.attentions[1][others])
        assert difference(changed, intact) > 1e-3
        heads = activations(
            model,
            pair_text(model),
            ["layer.1.attention.context_heads"],
            changes=set_attention_row(1, 2, 3, np.eye(len(PAIR))[5]),
        )["layer.1.attention.context_heads"]
        assert np.allclose(heads[2, 3], intact.values[1, 2, 5], atol=1e-6)

    def test_an_empty_pattern_is_a_head_switched_off(self) -> None:
        model = family_model("bert")
        empty = {PROBS: put((2,), np.zeros((len(PAIR), len(PAIR))))}
        assert difference(run(model, empty), run(model, ablate({(1, 2)}))) <= 1e-6

    def test_two_changes_in_one_layer_act_in_order(self) -> None:
        model = family_model("bert")
        size = len(PAIR)
        pattern, row = np.full((size, size), 1 / size), np.eye(size)[0]
        whole = {"layer.0.attention.probs": put((1,), pattern)}
        both = run(model, combine(whole, set_attention_row(0, 1, 4, row)))
        expected = pattern.copy()
        expected[4] = row
        assert np.allclose(both.attentions[0, 1], expected)
        swapped = run(model, combine(set_attention_row(0, 1, 4, row), whole))
        assert np.allclose(swapped.attentions[0, 1], pattern)


class TestPatch:
    POINTS = ("embeddings.sum", "embeddings.output", "layer.0.attention.value", "layer.1.middle", "layer.2.output")

    @families
    @pytest.mark.parametrize("point", POINTS)
    def test_its_own_activation_changes_nothing(self, family: str, point: str) -> None:
        model = family_model(family)
        own = activations(model, pair_text(model), [point])[point]
        assert difference(run(model, {point: put((), own)}), run(model)) <= 1e-6
        assert difference(run(model, {point: put((..., [2, 5], slice(None)), own[..., [2, 5], :])}), run(model)) <= 1e-6

    @families
    def test_all_of_another_text_at_a_layer_is_that_text(self, family: str) -> None:
        model = family_model(family)
        ids = OTHER.ids[: len(PAIR)]
        assert len(ids) == len(PAIR)
        other = trace(model, ids, segments_for(model))
        patched = run(model, {"layer.1.output": put((), other.hidden_states[2])})
        assert difference(patched, other) <= 1e-6 and difference(patched, run(model)) > 1e-3

    def test_some_tokens_from_other_places_of_a_longer_text(self) -> None:
        model = family_model("bert")
        other = trace(model, list(range(5, 25)), [0] * 20).hidden_states[1]
        patched = run(model, {"layer.0.output": put(([1, 4],), other[[19, 2]])}).hidden_states[1]
        expected = run(model).hidden_states[1]
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
    def test_what_does_not_fit_is_a_sentence(self, value: Any, where: Any, match: str) -> None:
        with pytest.raises(BertcoreError, match=match):
            run(family_model("bert"), {"layer.0.output": put(where, value)})


class TestEmbeddings:
    @families
    @pytest.mark.parametrize("which", EMBEDDINGS)
    def test_dropped_is_the_same_as_a_table_of_zeros(self, family: str, which: Any) -> None:
        model = family_model(family)
        if which == "segment" and not model.config.type_vocab_size:
            return  # a point that never passes
        found = run(model, drop_embedding(which))
        cut = copy.deepcopy(model)
        # the MLM head reads the token table too, so compare what stands before it
        getattr(cut.embeddings, which).weight.zero_()
        assert np.abs(found.hidden_states[-1] - run(cut).hidden_states[-1]).max() <= 1e-5
        assert np.abs(found.hidden_states[-1] - run(model).hidden_states[-1]).max() > 1e-3

    def test_an_unknown_one_is_a_sentence(self) -> None:
        with pytest.raises(BertcoreError, match="word"):
            drop_embedding("word")  # type: ignore[arg-type]


class TestWritten:
    CONFIG = tiny_config(num_hidden_layers=4)

    @pytest.mark.parametrize(
        ("written", "heads"),
        [
            ("3.4,4.1", {(2, 3), (3, 0)}),
            (" 1.1 , 1.1", {(0, 0)}),
            ("2", {(1, 0), (1, 1), (1, 2), (1, 3)}),
            ("2,3.1", {(1, 0), (1, 1), (1, 2), (1, 3), (2, 0)}),
        ],
    )
    def test_heads(self, written: str, heads: set[tuple[int, int]]) -> None:
        assert parse_heads(written, self.CONFIG) == heads

    @pytest.mark.parametrize(
        ("written", "match"),
        [
            ("5.1", "no layer 5; this model has layers 1 to 4"),
            ("4.5", "no head 5; each layer of this model has heads 1 to 4"),
            ("0.1", "no layer 0"),
            ("1.0", "no head 0"),
            ("", "is not a head"),
            ("1.2.3", "is not a head"),
            ("1,-2", "'-2' is not a head"),
            ("٣", "is not a head"),
            ("9" * 5000, "is not a head"),
        ],
    )
    def test_no_heads(self, written: str, match: str) -> None:
        with pytest.raises(BertcoreError, match=match):
            parse_heads(written, self.CONFIG)

    def test_places(self) -> None:
        assert parse_positions("5=1, 6 = 0,5=1") == {5: 1, 6: 0}

    @pytest.mark.parametrize("written", ["", "5", "5=", "=1", "5=-1", "5=1;6=1", "5=1,5=0", "5=x"])
    def test_no_places(self, written: str) -> None:
        with pytest.raises(BertcoreError, match="cannot be read|two values"):
            parse_positions(written)

    def test_checks(self) -> None:
        check_heads({(0, 0), (3, 3)}, self.CONFIG)
        check_rows([0, 4], 5)
        for heads in ({(-1, 0)}, {(0, -1)}, {(4, 0)}):
            with pytest.raises(BertcoreError):
                ablate(heads, config=self.CONFIG)
        with pytest.raises(BertcoreError, match="no layer 4; this model has layers 0 to 3"):
            ablate(layers_off={4}, config=self.CONFIG)
        with pytest.raises(BertcoreError, match="no token 5"):
            check_rows([5], 5)


def test_a_changed_segment_or_position_is_another_trace() -> None:
    model = family_model("bert")
    segments, positions = list(PAIR.segments), list(PAIR.positions)
    for place, value in parse_positions("5=1,6=1").items():
        segments[place] = value
    positions[2] = 9
    intact = run(model)
    assert difference(trace(model, PAIR.ids, segments), intact) > 1e-3
    assert difference(trace(model, PAIR.ids, PAIR.segments, positions), intact) > 1e-3
    assert difference(trace(model, PAIR.ids, PAIR.segments, PAIR.positions), intact) == 0


def test_a_point_that_the_model_does_not_pass_is_a_sentence() -> None:
    with pytest.raises(BertcoreError, match="embeddings.segment"):
        activations(family_model("distilbert"), pair_text(family_model("distilbert")), ["embeddings.segment"])


class TestPointsOfTheHeads:
    @pytest.mark.parametrize(
        ("point", "array"),
        [("pooler.output", "pooled"), ("mlm.logits", "mlm_logits"), ("nsp.logits", "next_sentence_logits")],
    )
    def test_what_is_changed_there_shows(self, point: str, array: str) -> None:
        model = tiny_model(("mlm", "nsp"))
        changes = {point: torch.zeros_like}
        assert np.abs(run(model).arrays()[array]).max() > 1e-3
        assert np.abs(run(model, changes).arrays()[array]).max() == 0
        (fast,) = predict_heads(model, Batch.of([pair_text(model)]), [[MASKED]], changes)
        assert np.abs(vars(fast)[array]).max() == 0

    def test_the_pooler_reaches_the_verdict(self) -> None:
        model = tiny_model(("mlm", "nsp"))
        before, after = run(model), run(model, {"pooler.output": torch.zeros_like})
        assert np.abs(before.next_sentence_logits - after.next_sentence_logits).max() > 1e-3


class TestPointsThatNeverPass:
    @pytest.mark.parametrize("point", ["layer.0.attention.prob", "layer.9.output", "nsp.logits", "embeddings"])
    def test_are_named(self, point: str) -> None:
        model = tiny_model(("mlm",), pooler=False)
        with pytest.raises(BertcoreError, match=point):
            run(model, {point: torch.zeros_like, "layer.0.output": torch.clone})

    def test_with_the_reason_where_the_family_lacks_them(self) -> None:
        with pytest.raises(BertcoreError, match=r"embeddings\.segment.*DistilBERT has no segments"):
            run(family_model("distilbert"), drop_embedding("segment"))

    @pytest.mark.parametrize(
        "ask",
        [
            lambda model, changes: predict_heads(model, Batch.of([pair_text(model)]), [[]], changes),
            lambda model, changes: surprises(model, [PAIR], TOKENIZER.mask_id, changes=changes),
            lambda model, changes: strongest_neurons(model, pair_text(model), changes=changes),
            lambda model, changes: residual_stream(model, pair_text(model), changes=changes),
            lambda model, changes: activations(model, pair_text(model), [], changes=changes),
        ],
    )
    def test_in_every_analysis(self, ask: Any) -> None:
        with pytest.raises(BertcoreError, match="no such point"):
            ask(family_model("bert"), {"no such point": torch.zeros_like})
