"""How likely a word is, of one piece or several, and how surprising a sentence: against one pass for each number."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tokenizers import AddedToken, pre_tokenizers
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import BPE

from bertcore.analysis.passes import as_text
from bertcore.analysis.predict import softmax, word_rank
from bertcore.analysis.trace import trace
from bertcore.analysis.words import Surprise, pieces_at, surprises, word_probability
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.family_models import MASKED, PAIR, SHAPES, TOKENIZER, family_model, pair_text, segments_for
from tests.engine.models import tiny_model

families = pytest.mark.parametrize("family", SHAPES)
COMFORT, ABLE, CAT, MASK = (TOKENIZER.raw.token_to_id(token) for token in ("comfort", "##able", "cat", "[MASK]"))


def row_of(model: Bert, ids: list[int], segments: list[int], position: int) -> np.ndarray:
    logits = trace(model, ids, segments, mlm_positions=[position]).mlm_logits
    assert logits is not None
    return np.asarray(logits[0])


class TestWordProbability:
    @families
    def test_one_piece_is_the_row_of_the_mask(self, family: str) -> None:
        model = family_model(family)
        segments = segments_for(model)
        expected = word_rank(row_of(model, PAIR.ids, segments, MASKED), CAT)
        found = word_probability(model, TOKENIZER, pair_text(model), MASKED, [CAT])
        assert found == pytest.approx(expected.probability, rel=1e-4)

    @families
    def test_pieces_are_filled_from_left_to_right(self, family: str) -> None:
        model = family_model(family)
        segments = segments_for(model)
        wider = [*segments[:MASKED], segments[MASKED], *segments[MASKED:]]
        before, after = PAIR.ids[:MASKED], PAIR.ids[MASKED + 1 :]
        first = word_rank(row_of(model, [*before, MASK, MASK, *after], wider, MASKED), COMFORT)
        second = word_rank(row_of(model, [*before, COMFORT, MASK, *after], wider, MASKED + 1), ABLE)
        found = word_probability(model, TOKENIZER, pair_text(model), MASKED, [COMFORT, ABLE])
        assert found == pytest.approx(first.probability * second.probability, rel=1e-4)

    def test_all_tokens_together_make_one(self) -> None:
        model = family_model("bert")
        count = model.config.vocab_size
        found = [word_probability(model, TOKENIZER, pair_text(model), MASKED, [i]) for i in range(count)]
        assert sum(found) == pytest.approx(1, abs=1e-5)

    def test_what_cannot_be_is_a_sentence(self) -> None:
        model = family_model("bert")
        with pytest.raises(BertcoreError, match="no token 13"):
            word_probability(model, TOKENIZER, pair_text(model), 13, [CAT])
        with pytest.raises(BertcoreError, match="41 tokens.*40"):
            word_probability(model, TOKENIZER, as_text(model, [5] * 40), 3, [COMFORT, ABLE])
        with pytest.raises(BertcoreError, match="masked-word"):
            word_probability(tiny_model(()), TOKENIZER, pair_text(tiny_model(())), MASKED, [CAT])


class TestPieces:
    def test_a_word_is_cut_as_the_tokenizer_cuts_it(self) -> None:
        assert pieces_at("cat", TOKENIZER, PAIR, MASKED) == [CAT]
        assert pieces_at(" Comfortable ", TOKENIZER, PAIR, MASKED) == [COMFORT, ABLE]
        assert pieces_at("##able", TOKENIZER, PAIR, MASKED) == [ABLE]

    @pytest.mark.parametrize("word", ["", "  ", "日本", "cat🙂"])
    def test_what_the_vocabulary_cannot_write_is_a_sentence(self, word: str) -> None:
        with pytest.raises(BertcoreError, match="cannot spell"):
            pieces_at(word, TOKENIZER, PAIR, MASKED)

    def test_a_byte_level_vocabulary_knows_the_space_before(self) -> None:
        words = (*SPECIAL_TOKENS, "Ġ", "c", "a", "t", "ca", "cat", "Ġcat")
        merges = [("c", "a"), ("ca", "t"), ("Ġ", "cat")]
        raw = RawTokenizer(BPE({word: i for i, word in enumerate(words)}, merges, unk_token="[UNK]"))
        raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        raw.add_special_tokens([AddedToken(token, special=True, lstrip=token == "[MASK]") for token in SPECIAL_TOKENS])
        tokenizer = Tokenizer(raw, lowercase=False)
        for text in ("cat [MASK] cat", "cat cat cat", "[MASK]", "cat[MASK]"):
            encoding = tokenizer.encode(text)
            position = 2 if len(encoding) > 3 else 1
            spaced = text.startswith("cat ")
            assert pieces_at("cat", tokenizer, encoding, position) == [words.index("Ġcat" if spaced else "cat")]


class TestSurprise:
    @families
    @pytest.mark.parametrize("max_tokens", [4096, 30])
    def test_each_token_masked_in_turn(self, family: str, max_tokens: int) -> None:
        model = family_model(family)
        encoding = TOKENIZER.encode("The comfortable cat", "It was very!")
        encoding = replace(encoding, segments=segments_for(model, encoding))
        found = surprises(model, [encoding], MASK, max_tokens=max_tokens)[0]
        words = [i for i, part in enumerate(encoding.parts) if part != "special"]
        assert found.positions.tolist() == words
        bits = []
        for i in words:
            ids = [*encoding.ids[:i], MASK, *encoding.ids[i + 1 :]]
            row = row_of(model, ids, encoding.segments, i)
            bits.append(-math.log2(softmax(row)[encoding.ids[i]]))
        assert found.bits == pytest.approx(bits, abs=1e-4)
        product = math.prod(2**-bit for bit in bits)
        assert found.pseudo_perplexity == pytest.approx(product ** (-1 / len(bits)), rel=1e-4)

    def test_later_pieces_of_a_word_can_be_hidden_too(self) -> None:
        model = family_model("bert")
        encoding = TOKENIZER.encode("The comfortable cat")  # [CLS] the comfort ##able cat [SEP]
        found = surprises(model, [encoding], MASK, groups=[[0, 1, 2, 2, 3, 4]])[0]
        plain = surprises(model, [encoding], MASK)[0]
        hidden = [*encoding.ids[:2], MASK, MASK, *encoding.ids[4:]]
        row = row_of(model, hidden, encoding.segments, 2)
        assert found.bits[1] == pytest.approx(-math.log2(softmax(row)[COMFORT]), abs=1e-4)
        assert abs(found.bits[1] - plain.bits[1]) > 1e-3
        assert found.bits[[0, 2, 3]] == pytest.approx(plain.bits[[0, 2, 3]], abs=1e-5)

    def test_even_odds_by_hand(self) -> None:
        found = Surprise(np.array([1, 3]), np.array([1.0, 3.0]))
        assert found.pseudo_perplexity == 4.0
        assert found.by_token(5).tolist() == [0, 1, 0, 3, 0]

    def test_no_words_no_perplexity(self) -> None:
        found = surprises(family_model("bert"), [TOKENIZER.encode("")], MASK)[0]
        assert len(found.bits) == 0 and math.isnan(found.pseudo_perplexity)
