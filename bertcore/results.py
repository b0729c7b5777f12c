"""What a LoadedModel answers with: lists and arrays that are tables too (`bertcore.table`).

S tokens, L layers, N heads.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.interventions import PatchedPart
from bertcore.analysis.predict import NextSentence, SentenceOrder, WordGuess
from bertcore.analysis.trace import Trace
from bertcore.table import Table, as_frame
from bertcore.tasks.features.predictions import Prediction
from bertcore.tokenizer.tokenizer import Encoding


class Filled(Table, list[list[WordGuess]]):
    """The likeliest words for each [MASK] of a text (masks, then words), and what other heads say of the text.

    A verdict is None where the model has no such head, or the text has no second part.
    """

    def __init__(self, guesses: Sequence[list[WordGuess]], encoding: Encoding, positions: Sequence[int]) -> None:
        super().__init__(guesses)
        self.encoding = encoding
        self.positions = list(positions)  # of the masks, counted from 0
        self.next_sentence: NextSentence | None = None
        self.sentence_order: SentenceOrder | None = None
        self.similarity: float | None = None  # cosine of A and B, of a sentence encoder
        self.replaced: NDArray[np.float64] | None = None  # (S) probability that each token was replaced (ELECTRA)

    @property
    def verdicts(self) -> dict[str, Any]:
        """What other heads say, by name."""
        names = ("next_sentence", "sentence_order", "similarity", "replaced")
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    def __repr__(self) -> str:
        said = {name: value for name, value in self.verdicts.items() if name != "replaced"}  # a number for each token
        return "".join([super().__repr__()[:-1], *(f"\n  {name}: {value}" for name, value in said.items()), ">"])

    def rows(self) -> list[dict[str, Any]]:
        return [
            {"position": position, "place": place, **asdict(word)}
            for position, words in zip(self.positions, self, strict=True)
            for place, word in enumerate(words, 1)
        ]


class LensWords(Table, list[list[list[WordGuess]]]):
    """The likeliest words for each [MASK] at each layer: layers (0: the embeddings), then masks, then words."""

    def __init__(self, words: Sequence[list[list[WordGuess]]], positions: Sequence[int]) -> None:
        super().__init__(words)
        self.positions = list(positions)  # of the masks, counted from 0

    def rows(self) -> list[dict[str, Any]]:
        return [
            {"layer": layer, "position": position, "place": place, **asdict(word)}
            for layer, masks in enumerate(self)
            for position, words in zip(self.positions, masks, strict=True)
            for place, word in enumerate(words, 1)
        ]


@dataclass(frozen=True, repr=False)
class TokenScores(Table):
    """A number for each token of a text; 0 for those that are not counted."""

    tokens: list[str]  # (S)
    scores: NDArray[np.float64]  # (S)

    def rows(self) -> list[dict[str, Any]]:
        return [
            {"token": token, "score": score} for token, score in zip(self.tokens, self.scores.tolist(), strict=True)
        ]


@dataclass(frozen=True, repr=False)
class TokenSurprise(TokenScores):
    """How little the model expects each token, in bits."""

    pseudo_perplexity: float  # 2 to the mean bits; 1 if all were certain


@dataclass(frozen=True, repr=False)
class TokenAttribution(TokenScores):
    """How much each token supports a prediction, in nats of its ln p; below 0: against it."""

    prediction: str  # the word, the label, "next sentence", "number" or "target"
    value: float  # ln p of the prediction; a "number" itself
    baseline: float | None  # the same with every word masked; None where the method has no baseline
    completeness_error: float | None  # sum of scores - (value - baseline)


@dataclass(frozen=True)
class HeadReport:
    """What one attention head does in one text (`bertcore.analysis.attention_heads`)."""

    layer: int  # from 0
    head: int  # from 0
    kind: str  # such as "previous token", or "mixed"
    kind_score: float  # 0..1
    entropy_nats: float
    mean_distance_tokens: float
    a_to_b: float | None  # share of attention that A's tokens pay to B's; None without B
    on_special: float  # share of attention on special tokens


@dataclass(frozen=True, repr=False)
class PatchedText(Table):
    """How much of the difference between two texts each place carries (`bertcore.analysis.effects`)."""

    tokens: list[str]  # (S)
    other_tokens: list[str]  # (S)
    target: str  # the prediction, such as "her against his"
    score: float  # of the text, in nats of ln p (a number or similarity: itself)
    other_score: float  # of the other
    part: PatchedPart
    patched: NDArray[np.float64]  # the scores that the shares are of
    # "state": (L+1,S) from the embeddings up; "attention", "feed-forward": (L,S); "head": (L,N)
    map: NDArray[np.float64]  # (patched - score) / (other_score - score)

    def rows(self) -> list[dict[str, Any]]:
        """One for each place; a state's layer 0 is the embeddings, all others count from 0."""
        places: list[dict[str, Any]]
        if self.part == "head":
            places = [{"head": head} for head in range(self.map.shape[1])]
        else:
            places = [{"position": at, "token": token} for at, token in enumerate(self.tokens)]
        return [
            {"layer": layer, **place, "share": share}
            for layer, shares in enumerate(self.map.tolist())
            for place, share in zip(places, shares, strict=True)
        ]


class Predictions(Table, list["Prediction"]):
    """What a fine-tuned model says of each text; what a prediction consists of hangs on the task."""

    def rows(self) -> list[dict[str, Any]]:
        return [{"answer": prediction.answer, **asdict(prediction)} for prediction in self]


@dataclass(frozen=True, repr=False)
class TracedText(Table, Trace):
    """A trace with the text that it is of; a row for each token."""

    encoding: Encoding

    def __repr__(self) -> str:
        layers, heads, tokens, _ = self.attentions.shape
        return f"<trace of {tokens} tokens: {layers} layers, {heads} heads>"

    @property
    def tokens(self) -> list[str]:
        """(S)"""
        return self.encoding.tokens

    def rows(self) -> list[dict[str, Any]]:
        encoding = self.encoding
        return [
            {"position": position, "token": token, "id": id_, "segment": segment}
            for position, (token, id_, segment) in enumerate(
                zip(encoding.tokens, encoding.ids, self.segment_ids.tolist(), strict=True)
            )
        ]

    def to_pandas(self, layer: int | None = None, head: int | None = None) -> Any:
        """One head's attention (S,S) as a pandas.DataFrame: rows look, columns are looked at; layers and heads from 0.

        Without them the tokens. Raises BertcoreError where pandas is not installed.
        """
        if layer is None or head is None:
            return as_frame(self.rows())
        return as_frame(self.attentions[layer, head], index=self.tokens, columns=self.tokens)
