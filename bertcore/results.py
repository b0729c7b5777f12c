"""What a LoadedModel answers with: lists and arrays that are tables too (`bertcore.table`).

S tokens, L layers, N heads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.interventions import PatchedPart
from bertcore.analysis.predict import NextSentence, SentenceOrder, WordGuess
from bertcore.analysis.trace import ACTIVATIONS, ARRAYS, Trace, points_of
from bertcore.config import BertConfig
from bertcore.errors import AbsentError, BertcoreError
from bertcore.table import Grid, Picture, Table, as_frame, attention, bars, cells, element, escape, valued_tokens
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

    def picture(self) -> Picture:
        """The words of each mask with bars."""
        tokens = self.encoding.tokens
        lists = [
            element("p", escape(f"{tokens[position]} at position {position}"), class_="unit")
            + bars([(word.token, word.probability) for word in words])
            for position, words in zip(self.positions, self, strict=True)
        ]
        said = [] if self.next_sentence is None else [f"B follows A: {self.next_sentence.is_next:.0%}"]
        said += [] if self.sentence_order is None else [f"A stands before B: {self.sentence_order.in_order:.0%}"]
        said += [] if self.similarity is None else [f"similarity of A and B: {self.similarity:.2f}"]
        if self.replaced is not None:
            lists.append(valued_tokens(tokens, self.replaced.tolist(), "probability of being replaced", signed=False))
        kinds = zip(tokens, token_kinds(self.encoding, self.positions), strict=True)
        words = [element("span", escape(token), class_=f"token {kind}") for token, kind in kinds]
        text = element("div", *words, class_="text")
        return Picture(
            "Words for each [MASK]" if self else "What the heads say", text + "".join(lists), "; ".join(said)
        )


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

    def picture(self) -> Picture:
        """The likeliest word of each layer and mask, on the colour of its probability."""
        values = np.array([[words[0].probability for words in masks] for masks in self])
        words = [[f"{words[0].token} {words[0].probability:.0%}" for words in masks] for masks in self]
        layers = ["embeddings", *(f"layer {layer}" for layer in range(len(self) - 1))]
        masks = [f"[MASK] at {position}" for position in self.positions]
        body = cells(values, layers, masks, "probability", signed=False, words=words)
        return Picture("Words after each layer", body, "The likeliest word, if the model stopped there.")


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

    def picture(self) -> Picture:
        body = valued_tokens(self.tokens, self.scores.tolist(), "bits", signed=False)
        return Picture("Surprise of each token", body, f"Pseudo-perplexity {self.pseudo_perplexity:.1f}.")


@dataclass(frozen=True, repr=False)
class TokenAttribution(TokenScores):
    """How much each token supports a prediction, in nats of its ln p; below 0: against it."""

    prediction: str  # the word, the label, "next sentence", "number" or "target"
    value: float  # ln p of the prediction; a "number" itself
    baseline: float | None  # the same with every word masked; None where the method has no baseline
    completeness_error: float | None  # sum of scores - (value - baseline)

    def picture(self) -> Picture:
        body = valued_tokens(self.tokens, self.scores.tolist(), "nats", signed=True)
        return Picture(f"What supports {self.prediction}", body, f"ln p {self.value:.2f}; blue speaks against it.")


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
        places = {"head": range(self.map.shape[1])} if self.part == "head" else {"token": self.tokens}
        return Grid({"layer": range(len(self.map)), **places}, {"share": self.map}).rows()

    def picture(self) -> Picture:
        """A cell for each layer and token, or head."""
        is_head, layers = self.part == "head", [f"layer {layer}" for layer in range(len(self.map))]
        names = [f"head {head}" for head in range(self.map.shape[1])] if is_head else self._places()
        rows = ["embeddings", *layers[:-1]] if self.part == "state" else layers
        note = f"{self.target}: {self.score:.2f} here, {self.other_score:.2f} in the other text. "
        note += f"1: this {self.part} alone makes all of the difference, 0: none."
        return Picture(f"Patching: {self.target}", cells(self.map, rows, names, "of the difference", signed=True), note)

    def _places(self) -> list[str]:
        pairs = zip(self.tokens, self.other_tokens, strict=True)
        return [ours if ours == other else f"{ours} / {other}" for ours, other in pairs]


@dataclass(frozen=True, repr=False, init=False)
class TracedText(Table, Trace):
    """A trace with the text that it is of; a row for each token. `t["layer.0.attention.probs"]` is a hook point."""

    encoding: Encoding
    config: BertConfig

    def __init__(self, encoding: Encoding, config: BertConfig, arrays: Mapping[str, Any]) -> None:
        """`arrays` are those that were kept; asking for another one is an error."""
        segment_ids = np.array(encoding.segments)  # as typed, whatever the model makes of them
        vars(self).update(arrays, encoding=encoding, config=config, segment_ids=segment_ids)

    def __getattr__(self, name: str) -> Any:
        if name in ARRAYS:
            raise AbsentError(f"This trace has no {name}; name it in keep= of the call that made it.")
        raise AttributeError(f"a trace has no attribute {name!r}")

    def __getitem__(self, point: str) -> NDArray[np.float32]:
        """What passed at a hook point. Raises BertcoreError for one that a trace does not keep: `m.run` has them all.

        >>> t = m.trace("The cat sat.")
        >>> t["layer.0.attention.probs"].shape
        (6, 6, 6)
        """
        for name in ACTIVATIONS:
            points = points_of(name, self.config)
            if point in points:
                array: NDArray[np.float32] = getattr(self, name)
                return array if name.endswith(("embeddings", "sum")) else array[points.index(point)]
        raise BertcoreError(f"A trace does not keep {point!r}; ask for it with m.run(text, keep=[{point!r}]).")

    def __repr__(self) -> str:
        kept = vars(self).get("attentions")
        shape = "" if kept is None else f": {len(kept)} layers, {kept.shape[1]} heads"
        return f"<trace of {len(self.tokens)} tokens{shape}>"

    @property
    def tokens(self) -> list[str]:
        """(S)"""
        return self.encoding.tokens

    def rows(self) -> list[dict[str, Any]]:
        listed = zip(self.tokens, self.encoding.ids, self.encoding.segments, strict=True)
        return [{"position": at, "token": token, "id": i, "segment": s} for at, (token, i, s) in enumerate(listed)]

    def picture(self) -> Picture:
        """The heads, to look through."""
        body, note = attention(self.attentions, self.tokens, token_kinds(self.encoding))
        return Picture("Attention", body, note, script="attention")

    def to_pandas(self, layer: int | None = None, head: int | None = None) -> Any:
        """One head's attention (S,S) as a pandas.DataFrame: rows look, columns are looked at; layers and heads from 0.

        Without them the tokens. Raises BertcoreError where pandas is not installed.
        """
        if layer is None or head is None:
            return as_frame(self.rows())
        return as_frame(self.attentions[layer, head], index=self.tokens, columns=self.tokens)


def token_kinds(encoding: Encoding, masks: Sequence[int] = ()) -> list[str]:
    """What a token is coloured for: "mask", or its part: "special", "a", "b" (S)."""
    return ["mask" if position in masks else part for position, part in enumerate(encoding.parts)]


class Activations(Table, dict[str, NDArray[np.float32]]):
    """What passed at some hook points for one text: point -> array, without padding. A row for each point."""

    def __init__(self, encoding: Encoding, arrays: Mapping[str, NDArray[np.float32]]) -> None:
        super().__init__(arrays)
        self.encoding = encoding

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "point": point,
                "shape": " x ".join(map(str, value.shape)),
                "mean": float(value.mean()),
                "std": float(value.std()),
            }
            for point, value in self.items()
        ]
