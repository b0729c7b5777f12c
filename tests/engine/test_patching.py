"""Activation patching: each cell against the change made alone, what must come back whole, and TransformerLens."""

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import torch

from bertcore.analysis.effects import patched_at, patching_map
from bertcore.analysis.interventions import PatchedPart, combine, put
from bertcore.analysis.passes import Text, as_text
from bertcore.analysis.targets import SimilarityTarget, Target
from bertcore.analysis.trace import activations, trace
from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.hooks import Intervention, hidden_points
from tests.engine.family_models import MASKED, PAIR, SHAPES, TOKENIZER, family_model, segments_for
from tests.engine.models import tiny_model

OTHER = TOKENIZER.encode("The dog [MASK] very.", "It was comfortable!")  # one word replaced, at 2
CAT, DOG = (TOKENIZER.id(word) or 0 for word in ("cat", "dog"))
WORD = Target("mlm", CAT, MASKED)
VECTOR = tuple(np.random.default_rng(1).normal(size=32).tolist())
parts = pytest.mark.parametrize("part", get_args(PatchedPart))


def texts(model: Bert, other: Any = OTHER) -> tuple[Text, Text]:
    return as_text(model, PAIR.ids, segments_for(model)), as_text(model, other.ids, segments_for(model, other))


def alone(model: Bert, text: Text, target: Target, changes: Any = None) -> float:
    """The target in one pass of its own."""
    with torch.inference_mode():
        return float(target.of(model, text.hidden(model, hook=Intervention(changes or {}))))


class TestCells:
    @pytest.mark.parametrize("family", SHAPES)
    @parts
    @pytest.mark.parametrize("max_tokens", [4096, 30])
    def test_each_is_the_change_made_alone(self, family: str, part: PatchedPart, max_tokens: int) -> None:
        model = family_model(family)
        text, other = texts(model)
        found = patching_map(model, text, other, WORD, part, max_tokens=max_tokens)
        rows, columns = {"state": (4, 13), "head": (3, 4)}.get(part, (3, 13))
        assert found.patched.shape == (rows, columns)
        expected = np.array(
            [
                [alone(model, text, WORD, patched_at(model, other, part, row, place)) for place in range(columns)]
                for row in range(rows)
            ]
        )
        assert np.abs(found.patched - expected).max() < 1e-5
        assert (found.text, found.other) == pytest.approx(
            (alone(model, text, WORD), alone(model, other, WORD)), abs=1e-5
        )
        assert np.abs(found.patched - found.text).max() > 1e-3
        assert np.allclose(found.fractions, (found.patched - found.text) / (found.other - found.text))

    def test_a_head_at_one_position(self) -> None:
        model = family_model("bert")
        text, other = texts(model)
        found = patching_map(model, text, other, WORD, "head", position=MASKED)
        points = [f"layer.{layer}.attention.context_heads" for layer in range(3)]
        expected = [
            [alone(model, text, WORD, {point: put((head, MASKED), value[head, MASKED])}) for head in range(4)]
            for point, value in activations(model, other, points).items()
        ]
        assert np.abs(found.patched - expected).max() < 1e-5
        everywhere = patching_map(model, text, other, WORD, "head")
        assert np.abs(found.patched[-1] - everywhere.patched[-1]).max() < 1e-5  # above it only [MASK] is read
        assert np.abs(found.patched[0] - everywhere.patched[0]).max() > 1e-3

    def test_a_trace_shows_the_patched_pass(self) -> None:
        model = family_model("bert")
        text, other = texts(model)
        found = patching_map(model, text, other, Target("mlm", CAT, MASKED, "logit"))
        shown = trace(model, PAIR.ids, PAIR.segments, changes=patched_at(model, other, "state", 2, 5))
        assert shown.mlm_logits is not None
        assert shown.mlm_logits[MASKED, CAT] == pytest.approx(found.patched[2, 5], abs=1e-5)
        theirs = trace(model, OTHER.ids, OTHER.segments)
        assert np.abs(shown.hidden_states[2, 5] - theirs.hidden_states[2, 5]).max() < 1e-6


class TestCompleteness:
    @pytest.mark.parametrize("family", SHAPES)
    def test_all_positions_of_a_layer_give_the_other_text(self, family: str) -> None:
        model = family_model(family)
        text, other = texts(model)
        wanted = alone(model, other, WORD)
        for point in hidden_points(3):
            value = activations(model, other, [point])[point]
            assert alone(model, text, WORD, {point: put((), value)}) == wanted
        cells = combine(*(patched_at(model, other, "state", 1, place) for place in range(len(text))))
        assert alone(model, text, WORD, cells) == wanted

    @pytest.mark.parametrize("family", SHAPES)
    @pytest.mark.parametrize("parts_patched", [("head",), ("attention",), ("head", "feed-forward")])
    def test_all_that_layers_add_gives_the_other_text(
        self, family: str, parts_patched: tuple[PatchedPart, ...]
    ) -> None:
        """With the embeddings, that is all a pass consists of: what is left follows from them."""
        model = family_model(family)
        text, other = texts(model)
        counts = {"head": 4, "attention": len(text), "feed-forward": len(text)}
        cells = [patched_at(model, other, "state", 0, place) for place in range(len(text))]
        for part in parts_patched:
            cells += [patched_at(model, other, part, row, place) for row in range(3) for place in range(counts[part])]
        assert alone(model, text, WORD, combine(*cells)) == alone(model, other, WORD)

    @pytest.mark.parametrize("family", SHAPES)
    def test_heads_of_all_layers_without_the_embeddings_do_not(self, family: str) -> None:
        """The token itself reaches the top beside the heads: the test above can fail."""
        model = family_model(family)
        text, other = texts(model)
        heads = [patched_at(model, other, "head", row, head) for row in range(3) for head in range(4)]
        at_word = Target("mlm", CAT, 2)  # where the texts differ
        assert abs(alone(model, text, at_word, combine(*heads)) - alone(model, other, at_word)) > 1e-4

    @parts
    def test_some_places_are_columns_of_the_whole_map(self, part: PatchedPart) -> None:
        model = family_model("bert")
        text, other = texts(model)
        whole = patching_map(model, text, other, WORD, part)
        some = patching_map(model, text, other, WORD, part, columns=[3, 1])
        assert some.columns == (3, 1) and np.abs(some.patched - whole.patched[:, [3, 1]]).max() < 1e-5
        with pytest.raises(BertcoreError, match="There is no (head|token) 13"):
            patching_map(model, text, other, WORD, part, columns=[13])

    @pytest.mark.parametrize("family", SHAPES)
    def test_the_word_replaced_is_all_of_the_lowest_row_and_the_mask_of_the_highest(self, family: str) -> None:
        model = family_model(family)
        shares = patching_map(model, *texts(model), WORD).fractions
        lowest, highest = np.eye(13)[2], np.eye(13)[MASKED]
        assert np.abs(shares[0] - lowest).max() < 1e-4
        assert np.abs(shares[-1] - highest).max() < 1e-4


class TestTargets:
    @pytest.mark.parametrize(
        ("tasks", "target", "changes"),
        [
            (("mlm",), Target("mlm", CAT, MASKED, "logit"), {}),
            (("mlm",), Target("mlm", CAT, MASKED, against=DOG), {}),
            (("mlm", "nsp"), Target("nsp"), {}),
            (("classify",), Target("classify", 2), {"labels": ("bad", "so so", "good")}),
            (("classify",), Target("classify", 2, against=0), {"labels": ("bad", "so so", "good")}),
            (("tag",), Target("tag", 1, 5), {"labels": ("O", "B-PER", "I-PER")}),
            (("span",), Target("span", 0, 8), {}),
            (("span",), Target("span", 1, 9, against=2), {}),
            (("mlm",), SimilarityTarget(vector=VECTOR), {}),
            (("mlm",), SimilarityTarget(vector=VECTOR, pooling="cls"), {}),
        ],
        ids=lambda value: value.head if isinstance(value, Target) else "",
    )
    @parts
    def test_every_head_can_be_asked_about(
        self, tasks: tuple[str, ...], target: Target, changes: dict[str, Any], part: PatchedPart
    ) -> None:
        model = tiny_model(tasks, **changes)
        text, other = texts(model)
        found = patching_map(model, text, other, target, part)
        row, place = np.unravel_index(np.abs(found.patched - found.text).argmax(), found.patched.shape)
        changed = alone(model, text, target, patched_at(model, other, part, int(row), int(place)))
        assert found.patched[row, place] == pytest.approx(changed, abs=1e-5)
        assert abs(found.patched[row, place] - found.text) > 1e-3

    def test_the_difference_of_two_words_is_that_of_their_logits(self) -> None:
        model = tiny_model()
        text, _ = texts(model)
        logits = [alone(model, text, Target("mlm", word, MASKED, "logit")) for word in (CAT, DOG)]
        assert alone(model, text, Target("mlm", CAT, MASKED, against=DOG)) == pytest.approx(
            logits[0] - logits[1], abs=1e-5
        )
        with pytest.raises(BertcoreError, match="There is no token 999 in this model's vocabulary"):
            alone(model, text, Target("mlm", CAT, MASKED, against=999))

    def test_similarity_is_the_cosine_of_the_mean_state(self) -> None:
        model = tiny_model()
        text, other = texts(model)
        with torch.inference_mode():
            ours, theirs = (each.hidden(model)[0].mean(0) for each in (text, other))
        target = SimilarityTarget(vector=tuple(theirs.tolist()))
        expected = float(ours @ theirs / ours.norm() / theirs.norm())
        assert alone(model, text, target) == pytest.approx(expected, abs=1e-6)
        assert alone(model, other, target) == pytest.approx(1, abs=1e-6)


class TestRefusals:
    def test_other_lengths_say_so(self) -> None:
        model = tiny_model()
        with pytest.raises(BertcoreError, match="The texts have 13 and 5 tokens"):
            patching_map(model, *texts(model, TOKENIZER.encode("The cat .")), WORD)

    def test_no_difference_says_so(self) -> None:
        model = tiny_model()
        with pytest.raises(BertcoreError, match=r"nearly the same score \(-[\d.]+ and -[\d.]+\)"):
            patching_map(model, *texts(model, PAIR), WORD)

    def test_what_is_not_there_says_so(self) -> None:
        model = tiny_model()
        text, other = texts(model)
        with pytest.raises(BertcoreError, match="no part 'neuron'; choose one of state, attention"):
            patching_map(model, text, other, WORD, "neuron")  # type: ignore[arg-type]
        with pytest.raises(BertcoreError, match="no token 13; this text has tokens 0 to 12"):
            patching_map(model, text, other, WORD, "head", position=13)
        with pytest.raises(BertcoreError, match="only be chosen for heads"):
            patching_map(model, text, other, WORD, position=3)
        with pytest.raises(BertcoreError, match="no row 3; the map has rows 0 to 2"):
            patched_at(model, other, "state", 3, 0)
        with pytest.raises(BertcoreError, match="no token 13"):
            patched_at(model, other, "state", 0, 13)
        with pytest.raises(BertcoreError, match="no head 4"):
            patched_at(model, other, "head", 0, 4)

    def test_a_progress_that_raises_stops_it(self) -> None:
        shares: list[float] = []

        def step(share: float) -> None:
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
def test_the_maps_are_those_of_transformer_lens(tmp_path: Path) -> None:
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

    def metric(logits: torch.Tensor) -> torch.Tensor:
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
        mine = patching_map(model, text, other, WORD, part).patched  # type: ignore[arg-type]
        assert np.abs(mine[: len(values)] - values.numpy()).max() < 1e-4, part
        assert values.std() > 1e-3, part
