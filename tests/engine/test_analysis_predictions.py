"""What a prediction rests on: heads, tokens, layers and pieces; how likely and surprising words are; over time."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from torch.utils._python_dispatch import TorchDispatchMode

from bertcore.analysis.effects import covered, gradient_x_input, head_effects, integrated_gradients, leave_one_out
from bertcore.analysis.interventions import ablate
from bertcore.analysis.over_time import words_over_time
from bertcore.analysis.passes import Batch, as_text, chunks, layer_lens, predict_heads
from bertcore.analysis.predict import follow_words, softmax, top_words, word_rank
from bertcore.analysis.targets import Target
from bertcore.analysis.trace import trace
from bertcore.analysis.words import Surprise, pieces_at, surprises, word_probability
from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.model.hooks import Intervention
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.family_tokenizers import byte_level
from tests.engine.models import (
    MASKED,
    PAIR,
    SHAPES,
    TOKENIZER,
    VOCABULARY,
    family_model,
    pair_text,
    segments_for,
    tiny_model,
)

CAT = 6
WORD = Target("mlm", CAT, MASKED)
families = pytest.mark.parametrize("family", SHAPES)


def log_probability(model, changes=None, ids=None):
    found = trace(model, ids or PAIR.ids, segments_for(model), mlm_positions=[MASKED], changes=changes)
    return math.log(softmax(found.mlm_logits[0])[CAT])


class TestPredict:
    @given(
        logits=arrays.arrays(np.float32, len(VOCABULARY), elements=st.floats(-200, 200, width=32)), k=st.integers(1, 99)
    )
    def test_top_words_and_ranks_against_brute_force(self, logits, k):
        exact = np.exp(logits.astype(np.longdouble) - logits.max())
        exact /= exact.sum()
        words = top_words(logits, TOKENIZER, k)
        assert len(words) == min(k, len(VOCABULARY))
        assert sorted(exact, reverse=True)[: len(words)] == pytest.approx([w.probability for w in words], abs=1e-9)
        assert len({w.id for w in words}) == len(words)
        for word in words:
            assert word.token == VOCABULARY[word.id] and word.probability == pytest.approx(float(exact[word.id]))
        for token_id in (0, 7, len(VOCABULARY) - 1):
            rank = word_rank(logits, token_id)
            assert rank.rank == 1 + sum(other > logits[token_id] for other in logits)
            assert rank.probability == pytest.approx(float(exact[token_id]))
            assert rank.surprise_bits == pytest.approx(-math.log2(exact[token_id]))


LABELS = {"labels": ("O", "B-PER", "I-PER")}
SEVERAL = {"labels": ("food", "school"), "problem_type": "multi_label_classification"}
SCORE = {"labels": ("score",), "problem_type": "regression"}


class TestTargets:
    """Every head can be asked about: the number is its softmax or sigmoid, and the removal of a head changes it."""

    @pytest.mark.parametrize(
        ("changes", "target", "expected"),
        [
            (LABELS, Target("classify", 2), lambda logits: logits[0].log_softmax(-1)[2]),
            (SEVERAL, Target("classify", 1), lambda logits: logits[0, 1].sigmoid().log()),
            (SCORE, Target("classify", 0, measure="logit"), lambda logits: logits[0, 0]),
            (LABELS, Target("classify", 2, against=0), lambda logits: logits[0, 2] - logits[0, 0]),
            (LABELS, Target("tag", 1, 3), lambda logits: logits[0, 3].log_softmax(-1)[1]),
            ({}, Target("span", 0, 8), lambda logits: logits[0, :, 0].log_softmax(-1)[8]),
            ({}, Target("span", 1, 9), lambda logits: logits[0, :, 1].log_softmax(-1)[9]),
            ({}, Target("span", 1, 9, against=2), lambda logits: logits[0, 9, 1] - logits[0, 2, 1]),
            ({}, Target("choice", measure="logit"), lambda logits: logits[0, 0]),
            ({}, Target("nsp", 1), lambda logits: logits[0].log_softmax(-1)[1]),
            ({}, Target("rtd", 1, 4), lambda logits: (-logits[0, 4]).sigmoid().log()),
        ],
    )
    def test_each_head_gives_its_number(self, changes, target, expected):
        model = tiny_model((target.head,), **changes)
        text = pair_text(model)
        with torch.inference_mode():
            hidden = text.hidden(model)
            read = hidden[:, 0] if target.head in ("classify", "choice", "nsp") else hidden
            wanted = float(expected(model.logits(target.head, read)))
            assert float(target.of(model, hidden)[0]) == pytest.approx(wanted, abs=1e-5)
            off = text.hidden(model, hook=Intervention(ablate([(1, 3)])))
            without = float(target.of(model, off)[0])
        intact, effects = head_effects(model, text, target)
        assert intact == pytest.approx(wanted, abs=1e-5)
        assert intact + effects[1, 3] == pytest.approx(without, abs=1e-5)
        lost = leave_one_out(model, text, target, TOKENIZER.pad_id)
        assert lost.value == pytest.approx(wanted, abs=1e-5) and np.abs(lost.scores).max() > 0
        path = integrated_gradients(model, text, target, steps=64)
        assert path.value == pytest.approx(wanted, abs=1e-5)
        assert abs(path.completeness_error) < 1e-2

    @pytest.mark.parametrize(
        ("heads", "target", "match"),
        [
            (("choice",), Target("choice"), "not a probability"),
            (("choice",), Target("classify"), "no classification head"),
            (("mlm", "nsp"), Target("mlm", CAT, 13), "no token 13.*0 to 12"),
            (("mlm", "nsp"), Target("mlm", CAT, -1), "no token -1"),
            (("mlm", "nsp"), Target("mlm", 10_000, MASKED), "no token 10000 in this model's vocabulary"),
            (("mlm", "nsp"), Target("sop"), "no SOP head"),
            ((), WORD, "masked-word"),
        ],
    )
    def test_what_the_model_cannot_say_is_a_sentence(self, heads, target, match):
        model = tiny_model(heads)
        with pytest.raises(BertcoreError, match=match):
            head_effects(model, pair_text(model), target)


class TestAblation:
    @families
    @pytest.mark.parametrize("max_tokens", [4096, 30])
    def test_all_heads_at_once_are_all_heads_one_by_one(self, family, max_tokens):
        model = family_model(family)
        intact, found = head_effects(model, pair_text(model), WORD, max_tokens=max_tokens)
        assert intact == pytest.approx(log_probability(model), abs=1e-5)
        expected = [[log_probability(model, ablate({(i, n)})) for n in range(4)] for i in range(3)]
        assert np.abs(intact + found - expected).max() <= 1e-5
        assert np.abs(found).max() > 1e-3

    def test_positions_are_the_ones_given_and_progress_rises_to_the_end(self):
        model, positions, shares = family_model("bert"), list(reversed(PAIR.positions)), list[float]()
        text = as_text(model, PAIR.ids, PAIR.segments, positions)
        intact, _ = head_effects(model, text, WORD, max_tokens=30, progress=shares.append)
        row = trace(model, PAIR.ids, PAIR.segments, positions, mlm_positions=[MASKED]).mlm_logits[0]
        assert intact == pytest.approx(math.log(softmax(row)[CAT]), abs=1e-5)
        assert len(shares) == 6 and shares == sorted(shares) and shares[-1] == 1


class TestAttribution:
    @families
    def test_gradient_times_input_against_small_steps_and_the_path_integral_adds_up(self, family):
        model = family_model(family).double()
        text, step = pair_text(model), 1e-5
        found = gradient_x_input(model, text, WORD)
        own = model.embeddings(text.ids[None], text.segments, text.positions)
        for token in (0, MASKED, 9):
            longer, shorter = own.clone(), own.clone()
            longer[:, token] *= 1 + step
            shorter[:, token] *= 1 - step
            slope = (WORD.of(model, model.encoder(longer)) - WORD.of(model, model.encoder(shorter))) / (2 * step)
            assert found.scores[token] == pytest.approx(float(slope), abs=1e-6)
        assert found.value == pytest.approx(log_probability(model), abs=1e-6)
        empty = covered(text, TOKENIZER.pad_id, TOKENIZER.special_ids)
        found = integrated_gradients(model, text, WORD, baseline=empty, steps=200, max_tokens=500)
        assert found.baseline == pytest.approx(log_probability(model, ids=empty.ids.tolist()), abs=1e-6)
        assert found.value == pytest.approx(log_probability(model), abs=1e-6)
        assert abs(found.completeness_error) <= 1e-5
        assert found.scores.sum() - (found.value - found.baseline) == pytest.approx(found.completeness_error)
        kept = [i for i, token in enumerate(PAIR.ids) if token in TOKENIZER.special_ids]
        assert np.abs(found.scores[kept]).max() == 0 and np.abs(found.scores).max() > 1e-3

    def test_the_path_integral_against_many_small_steps(self):
        model = family_model("bert").double()
        target = Target("mlm", CAT, MASKED, "logit")
        few, found = (integrated_gradients(model, pair_text(model), target, steps=steps) for steps in (1, 100))
        assert abs(few.completeness_error) > 100 * abs(found.completeness_error)
        text = pair_text(model)
        own = model.embeddings(text.ids[None], text.segments, text.positions)
        total, count = torch.zeros_like(own), 150
        for k in range(count):
            point = (own * (k + 0.5) / count).requires_grad_()
            target.of(model, model.encoder(point)).sum().backward()
            total += point.grad / count
        assert found.scores == pytest.approx((own * total).sum(-1)[0].numpy(), abs=1e-3)

    def test_gradients_flow_where_the_caller_wants_none(self):
        model = tiny_model().requires_grad_(True)  # as after training
        with torch.inference_mode():
            found = gradient_x_input(model, pair_text(model), WORD)
            path = integrated_gradients(model, pair_text(model), WORD)
        assert np.abs(found.scores).max() > 1e-3 and np.abs(path.scores).max() > 1e-3
        assert all(parameter.grad is None for parameter in model.parameters())

    @families
    @pytest.mark.parametrize("max_tokens", [4096, 40])
    def test_each_token_covered_in_turn(self, family, max_tokens):
        model = family_model(family)
        found = leave_one_out(model, pair_text(model), WORD, TOKENIZER.mask_id, max_tokens=max_tokens)
        for token in range(len(PAIR)):
            ids = [*PAIR.ids[:token], TOKENIZER.mask_id, *PAIR.ids[token + 1 :]]
            expected = log_probability(model) - log_probability(model, ids=ids)
            assert found.scores[token] == pytest.approx(expected, abs=1e-5)
        assert found.scores[MASKED] == pytest.approx(0, abs=1e-5)  # it is [MASK] already
        assert covered(as_text(model, [2, 7, 4, 9, 3]), 0, (2, 3, 4)).ids.tolist() == [2, 0, 4, 0, 3]


class TestLens:
    @families
    def test_each_layer_is_a_model_that_ends_there(self, family):
        model = family_model(family)
        whole = trace(model, PAIR.ids, segments_for(model))
        positions = [MASKED, 0, 8]
        found = layer_lens(model, whole.hidden_states, positions)
        assert found.shape == (4, 3, model.config.vocab_size)
        for layer in range(4):
            ends = ablate(layers_off=range(layer, 3))
            logits = trace(model, PAIR.ids, segments_for(model), mlm_positions=positions, changes=ends).mlm_logits
            assert np.abs(found[layer] - logits).max() <= 1e-4

    def test_ranks_by_layer_and_bad_input(self):
        model = family_model("bert")
        logits = layer_lens(model, trace(model, PAIR.ids, PAIR.segments).hidden_states, [MASKED, 8])
        path = follow_words(logits, [CAT, 9])
        for layer, place in np.ndindex(4, 2):
            rank = word_rank(logits[layer, place], (CAT, 9)[place])
            assert path.rank[layer, place] == rank.rank
            assert path.probability[layer, place] == pytest.approx(rank.probability)
        with pytest.raises(BertcoreError, match="no token 5"):
            layer_lens(model, np.zeros((4, 5, 32), np.float32), [5])
        with pytest.raises(BertcoreError, match="masked-word"):
            layer_lens(tiny_model(()), np.zeros((3, 5, 32), np.float32), [0])


class TestText:
    @pytest.mark.parametrize(
        ("ids", "segments", "positions", "match"),
        [
            ([], [], None, "no text"),
            ([5] * 41, [0] * 41, None, "41 tokens.*40"),
            ([5, 999], [0, 0], None, "token id 999"),
            ([5, 6], [0, 2], None, "segment 2.*0 to 1"),
            ([5, 6], [0, 0, 0], None, "2 tokens, but a segment is given for 3"),
            ([5, 6], [0, 0], [0, 40], "position 40"),
        ],
    )
    def test_what_the_model_cannot_read_is_a_sentence(self, ids, segments, positions, match):
        with pytest.raises(BertcoreError, match=match):
            as_text(tiny_model(), ids, segments, positions)

    def test_a_pair_where_the_vocabulary_knows_two_segments_and_the_model_one(self):
        model = tiny_model(("mlm",), pooler=False, model_type="roberta", type_vocab_size=1)
        text = as_text(model, [5, 6, 7], [0, 1, 1])
        assert text.segments.tolist() == [0, 0, 0]

    @pytest.mark.parametrize(("count", "length", "most"), [(7, 10, 25), (7, 10, 1), (3, 10, 1000), (0, 10, 100)])
    def test_chunks_hold_everything_once(self, count, length, most):
        parts = [range(count)[part] for part in chunks(count, length, most)]
        assert [i for part in parts for i in part] == list(range(count))
        assert all(len(part) == 1 or len(part) * length <= most for part in parts)


class _LargestTensor(TorchDispatchMode):
    """How many numbers the largest tensor has that any operation makes."""

    numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        for each in made if isinstance(made, tuple | list) else [made]:
            if isinstance(each, torch.Tensor):
                self.numbers = max(self.numbers, each.numel())
        return made


class TestPredictHeads:
    @families
    def test_says_what_a_trace_says(self, family):
        model = family_model(family)
        traced = trace(model, PAIR.ids, segments_for(model), mlm_positions=[MASKED, 1])
        (fast,) = predict_heads(model, Batch.of([pair_text(model)]), [[MASKED, 1]])
        for name, array in vars(fast).items():
            if array is None:
                assert getattr(traced, name) is None
            else:
                assert np.abs(array - getattr(traced, name)).max() <= 1e-5

    def test_never_holds_the_attention_of_all_heads(self):
        model = tiny_model(max_position_embeddings=256)
        ids, square = [5] * 256, model.config.num_attention_heads * 256 * 256
        with _LargestTensor() as traced:
            trace(model, ids, [0] * 256, mlm_positions=[3])
        with _LargestTensor() as fast:
            predict_heads(model, Batch.of([as_text(model, ids, [0] * 256)]), [[3]])
        assert fast.numbers < square <= traced.numbers


# --- how likely a word is, of one piece or several, and how surprising a sentence

COMFORT, ABLE, MASK = (TOKENIZER.raw.token_to_id(token) for token in ("comfort", "##able", "[MASK]"))


def row_of(model, ids, segments, position):
    return np.asarray(trace(model, ids, segments, mlm_positions=[position]).mlm_logits[0])


class TestWordProbability:
    @families
    def test_one_piece_is_the_row_of_the_mask_and_several_are_filled_from_left_to_right(self, family):
        model = family_model(family)
        segments = segments_for(model)
        alone = word_rank(row_of(model, PAIR.ids, segments, MASKED), CAT)
        found = word_probability(model, TOKENIZER, pair_text(model), MASKED, [CAT])
        assert found == pytest.approx(alone.probability, rel=1e-4)
        wider = [*segments[:MASKED], segments[MASKED], *segments[MASKED:]]
        before, after = PAIR.ids[:MASKED], PAIR.ids[MASKED + 1 :]
        first = word_rank(row_of(model, [*before, MASK, MASK, *after], wider, MASKED), COMFORT)
        second = word_rank(row_of(model, [*before, COMFORT, MASK, *after], wider, MASKED + 1), ABLE)
        found = word_probability(model, TOKENIZER, pair_text(model), MASKED, [COMFORT, ABLE])
        assert found == pytest.approx(first.probability * second.probability, rel=1e-4)

    def test_what_cannot_be_asked(self):
        model = family_model("bert")
        text = pair_text(model)
        for asked, read, position, says in (
            (model, text, 13, "no token 13"),
            (model, as_text(model, [5] * 40), 3, "41 tokens.*40"),
            (tiny_model(()), text, MASKED, "masked-word"),
        ):
            with pytest.raises(BertcoreError, match=says):
                word_probability(asked, TOKENIZER, read, position, [COMFORT, ABLE])


class TestPieces:
    def test_a_word_is_cut_as_the_tokenizer_cuts_it(self):
        assert pieces_at("cat", TOKENIZER, PAIR, MASKED) == [CAT]
        assert pieces_at(" Comfortable ", TOKENIZER, PAIR, MASKED) == [COMFORT, ABLE]
        assert pieces_at("##able", TOKENIZER, PAIR, MASKED) == [ABLE]
        for word in ("", "  ", "日本", "cat🙂"):
            with pytest.raises(BertcoreError, match="cannot spell"):
                pieces_at(word, TOKENIZER, PAIR, MASKED)

    def test_a_byte_level_vocabulary_knows_the_space_before(self):
        tokenizer = Tokenizer(byte_level())
        for text in ("cat [MASK] cat", "cat cat cat", "[MASK]", "cat[MASK]"):
            written = " cat" if text.startswith("cat ") else "cat"
            encoding = tokenizer.encode(text)
            position = encoding.tokens.index("<mask>" if "[MASK]" in text else "Ġcat")
            expected = tokenizer.raw.encode(written, add_special_tokens=False).ids
            assert pieces_at("cat", tokenizer, encoding, position) == expected


class TestSurprise:
    @families
    @pytest.mark.parametrize("max_tokens", [4096, 30])
    def test_each_token_masked_in_turn(self, family, max_tokens):
        model = family_model(family)
        encoding = TOKENIZER.encode("The comfortable cat", "It was very!")
        encoding = replace(encoding, segments=segments_for(model, encoding))
        found = surprises(model, [encoding], MASK, max_tokens=max_tokens)[0]
        words = [i for i, part in enumerate(encoding.parts) if part != "special"]
        assert found.positions.tolist() == words
        bits = []
        for i in words:
            row = row_of(model, [*encoding.ids[:i], MASK, *encoding.ids[i + 1 :]], encoding.segments, i)
            bits.append(-math.log2(softmax(row)[encoding.ids[i]]))
        assert found.bits == pytest.approx(bits, abs=1e-4)
        product = math.prod(2**-bit for bit in bits)
        assert found.pseudo_perplexity == pytest.approx(product ** (-1 / len(bits)), rel=1e-4)

    def test_later_pieces_of_a_word_can_be_hidden_too(self):
        model = family_model("bert")
        encoding = TOKENIZER.encode("The comfortable cat")  # [CLS] the comfort ##able cat [SEP]
        found = surprises(model, [encoding], MASK, groups=[[0, 1, 2, 2, 3, 4]])[0]
        plain = surprises(model, [encoding], MASK)[0]
        hidden = [*encoding.ids[:2], MASK, MASK, *encoding.ids[4:]]
        row = row_of(model, hidden, encoding.segments, 2)
        assert found.bits[1] == pytest.approx(-math.log2(softmax(row)[COMFORT]), abs=1e-4)
        assert abs(found.bits[1] - plain.bits[1]) > 1e-3
        assert found.bits[[0, 2, 3]] == pytest.approx(plain.bits[[0, 2, 3]], abs=1e-5)

    def test_perplexity_by_hand_and_of_no_words(self):
        found = Surprise(np.array([1, 3]), np.array([1.0, 3.0]))
        assert found.pseudo_perplexity == 4.0
        assert found.by_token(5).tolist() == [0, 1, 0, 3, 0]
        found = surprises(family_model("bert"), [TOKENIZER.encode("")], MASK)[0]
        assert len(found.bits) == 0 and math.isnan(found.pseudo_perplexity)


# --- what the snapshots of a run say for a masked word


def _snapshot(folder, loved_word):
    """A checkpoint whose MLM bias makes it say one word, whatever it reads."""
    model = tiny_model(("mlm",))
    model.mlm.bias[TOKENIZER.id(loved_word)] = 900
    save_checkpoint(model, TOKENIZER, folder)
    return folder


def test_each_snapshot_that_the_run_has_kept_says_its_own_word(tmp_path):
    snapshots = [_snapshot(tmp_path / word, word) for word in ("cat", "dog")]
    guesses = words_over_time([*snapshots, tmp_path / "gone"], "the [MASK] ran")
    assert [(path, guess.token) for path, guess in guesses.items()] == list(zip(snapshots, ("cat", "dog"), strict=True))
    assert all(guess.probability > 0.99 for guess in guesses.values())
    for text, says in (("the cat ran", r"Write \[MASK\]"), ("the cat ran " * 30 + "[MASK]", "too long")):
        with pytest.raises(BertcoreError, match=says):
            words_over_time(snapshots, text)
