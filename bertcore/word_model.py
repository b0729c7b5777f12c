"""An opened model: what it says of words and texts. `LoadedModel` adds looking inside, and two models side by side.

B texts, S tokens, H hidden. Positions count from 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.merging import word_groups
from bertcore.analysis.predict import (
    cut_off_mask,
    next_sentence,
    predict_masks,
    replaced_probabilities,
    sentence_order,
    top_words,
)
from bertcore.analysis.sentence_vectors import sentence_vectors
from bertcore.analysis.vectors import cosine
from bertcore.analysis.words import Surprise, surprises
from bertcore.checkpoint.sentence_pooling import Pooling
from bertcore.errors import BertcoreError
from bertcore.measured_model import MeasuredModel, Texts, pairs_of
from bertcore.progress import ReportProgress, progress_bar
from bertcore.results import Filled, Results, TokenSurprise
from bertcore.tokenizer.tokenizer import Encoding

Pairs = Sequence[tuple[str, str | None]]  # texts a and b
T = TypeVar("T")
R = TypeVar("R")
_NO_MASK = "There is no [MASK] in the text; write one where a word should be predicted."
_TEXTS_AT_ONCE = 2048  # tokenised at a time: a file of a million would fill the memory


class WordModel(MeasuredModel):
    """A checkpoint with the methods that words and whole texts are asked about with."""

    @overload
    def fill(self, a: str, b: str | None = None, *, top: int = 5) -> Filled: ...
    @overload
    def fill(self, a: Texts, b: Texts | None = None, *, top: int = 5) -> Results[Filled]: ...
    def fill(self, a: str | Texts, b: str | Texts | None = None, *, top: int = 5) -> Filled | Results[Filled]:
        """The `top` likeliest words for every [MASK], likeliest first: masks, then words (token, id, probability).

        `.next_sentence`, `.sentence_order`, `.similarity` and `.replaced` are what other heads say of the text, as far
        as the model has them. Raises BertcoreError for a `top` below 1, for a mask that is cut off or that there is no
        MLM head for, and where no head says anything: no mask, and no verdict either.

        >>> filled = m.fill("The cat sat on the [MASK].", "It was warm.", top=3)
        >>> len(filled), len(filled[0])
        (1, 3)
        >>> filled[0][0].probability > filled[0][1].probability
        True
        >>> 0 < filled.next_sentence.is_next < 1
        True
        """
        pairs, is_single = pairs_of(a, b)
        if is_single:
            return self._filled(*pairs[0], top)
        return Results(_for_each("Filling masks", pairs, lambda pair, _: self._filled(*pair, top)))

    def _filled(self, a: str, b: str | None, top: int) -> Filled:
        encoding = self.encode(a, b)
        masks = self.masks(encoding)
        if masks and "mlm" in self.missing:
            raise BertcoreError(self.missing["mlm"])
        outputs = predict_masks(self.bert, encoding.ids, encoding.segments, positions=masks)
        rows = () if outputs.mlm_logits is None else outputs.mlm_logits  # (R,V)
        filled = Filled([top_words(row, self.tokenizer, top) for row in rows], encoding, masks)
        if b and outputs.next_sentence_logits is not None:
            filled.next_sentence = next_sentence(outputs.next_sentence_logits)
        if b and outputs.sentence_order_logits is not None:
            filled.sentence_order = sentence_order(outputs.sentence_order_logits)
        if b and self.checkpoint.pooling is not None:
            filled.similarity = cosine(*self.embed([a, b]))
        if outputs.replaced_logits is not None:
            filled.replaced = replaced_probabilities(outputs.replaced_logits)
        if not masks and not filled.verdicts:
            no_verdict = [self.missing["nsp"]] if b else []
            raise BertcoreError(" ".join([self.missing.get("mlm", _NO_MASK), *no_verdict]))
        return filled

    @overload
    def score(self, a: str, b: str | None = None) -> float: ...
    @overload
    def score(self, a: Texts, b: Texts | None = None) -> NDArray[np.float64]: ...
    def score(self, a: str | Texts, b: str | Texts | None = None) -> float | NDArray[np.float64]:
        """Pseudo-log-likelihood of a text in nats, or of each of several (B): the sum of ln p of each token, all others
        seen.

        Salazar et al. 2020. Of two sentences with the same number of tokens, the model prefers the one with the higher
        score. Warns where a text is longer than the model reads: its score is of the beginning. Raises BertcoreError
        where there is no MLM head, or no mask in the vocabulary.

        >>> m.score(["The cat sat on the mat.", "Mat the on sat cat the."]).shape
        (2,)
        """
        pairs, is_single = pairs_of(a, b)
        found, cut = self._surprises("Scoring texts", pairs, lambda _, each: -float(each.bits.sum()) * math.log(2))
        self._warn_of_cut(cut, len(pairs))
        return found[0] if is_single else np.array(found)

    @overload
    def surprise(self, a: str, b: str | None = None, *, whole_words: bool = False) -> TokenSurprise: ...
    @overload
    def surprise(self, a: Texts, b: Texts | None = None, *, whole_words: bool = False) -> Results[TokenSurprise]: ...
    def surprise(
        self, a: str | Texts, b: str | Texts | None = None, *, whole_words: bool = False
    ) -> TokenSurprise | Results[TokenSurprise]:
        """How little the model expects each token, all others seen: -log2 p in bits (S), 0 for special tokens.

        `whole_words` hides the later pieces of a word with each of its pieces (Kauf and Ivanova 2023).
        Warns and raises as `score` does.

        >>> m.surprise("A cat sat.").scores.shape
        (6,)
        """

        def by_token(encoding: Encoding, found: Surprise) -> TokenSurprise:
            return TokenSurprise(encoding.tokens, found.by_token(len(encoding)), found.pseudo_perplexity)

        pairs, is_single = pairs_of(a, b)
        found, cut = self._surprises("Measuring surprise", pairs, by_token, whole_words)
        self._warn_of_cut(cut, len(pairs))
        return found[0] if is_single else Results(found)

    def _surprises(
        self, description: str, pairs: Pairs, answer: Callable[[Encoding, Surprise], R], whole_words: bool = False
    ) -> tuple[list[R], int]:
        """The answers, and how many texts were cut off."""
        cut = 0

        def answered(portion: Pairs, progress: ReportProgress) -> list[R]:
            nonlocal cut
            encodings = [self.encode(*pair) for pair in portion]
            cut += sum(encoding.dropped > 0 for encoding in encodings)
            groups = [word_groups(encoding) for encoding in encodings] if whole_words else None
            found = surprises(self.bert, encodings, self.tokenizer.mask_id, groups=groups, progress=progress)
            return [answer(*each) for each in zip(encodings, found, strict=True)]

        return [each for portion in _for_each(description, _portions(pairs), answered) for each in portion], cut

    def embed(self, a: str | Texts, *, pooling: Literal["mean", "cls"] | None = None) -> NDArray[np.float32]:
        """The vector of a text (H), or of each of several (B,H): the mean of its last hidden states, special tokens
        too, or that of [CLS].

        Absent, `pooling` is what the folder of a sentence encoder says, which may also scale vectors to length 1;
        "mean" for any other model. Warns as `score` does.

        >>> m.embed("One text.").shape == (m.config.hidden_size,)
        True
        """
        check_choice("pooling", pooling or "mean", ("mean", "cls"))
        way = Pooling(pooling, normalised=False) if pooling else self.checkpoint.pooling or Pooling("mean", False)
        pairs, is_single = pairs_of(a)
        cut = 0

        def embedded(portion: Pairs, progress: ReportProgress) -> NDArray[np.float32]:
            nonlocal cut
            encodings = [self.encode(*pair) for pair in portion]
            cut += sum(encoding.dropped > 0 for encoding in encodings)
            return sentence_vectors(self.bert, encodings, way, progress=progress)

        vectors = np.concatenate(_for_each("Embedding texts", _portions(pairs), embedded))  # (B,H)
        self._warn_of_cut(cut, len(pairs))
        return vectors[0] if is_single else vectors

    def masks(self, encoding: Encoding, required: bool = False) -> list[int]:
        """Positions of its masks. Raises BertcoreError where one is cut off, and where they are required and there are
        none."""
        if cut := cut_off_mask(self.tokenizer, encoding):
            raise BertcoreError(cut)
        masks = [i for i, token_id in enumerate(encoding.ids) if token_id == self.tokenizer.mask_id]
        if required and not masks:
            raise BertcoreError(_NO_MASK)
        return masks


def _for_each(description: str, texts: Sequence[T], answer: Callable[[T, ReportProgress], R]) -> list[R]:
    """The answer to each text, with a progress bar."""
    answers: list[R] = []
    with progress_bar(description) as step:
        for text in texts:
            answers.append(answer(text, lambda share: step((len(answers) + share) / len(texts))))
            step(len(answers) / len(texts))
    return answers


def _portions(pairs: Pairs) -> list[Pairs]:
    """One at least, so that no texts give an empty result of the right shape."""
    return [pairs[first : first + _TEXTS_AT_ONCE] for first in range(0, max(1, len(pairs)), _TEXTS_AT_ONCE)]


def check_choice(name: str, given: str, choices: tuple[str, ...]) -> None:
    if given not in choices:
        raise BertcoreError(f"There is no {name} {given!r}; choose one of {', '.join(choices)}.")
