"""tag: a tag for each word of a sentence (Devlin et al. 2019, section 5.3); of a word the first piece carries it.

With a CRF whole sequences of tags are scored (model/crf.py). W words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.tag_schemes import detect_scheme, entity_spans
from bertcore.tasks.kinds import base
from bertcore.tasks.packed import Floats, Ints, Pieces, Ragged, SequenceWriter, portions, text_pieces
from bertcore.tasks.spec import Columns, TaskSpec

if TYPE_CHECKING:
    from torch import Tensor

    from bertcore.model.bert import Bert
    from bertcore.model.output_heads import LinearChainCrf

OUTSIDE = "O"  # the tag of a word that the model did not see
WORD_COLUMNS: Columns = {"text": ("words", "tokens"), "label": ("tags", "ner_tags")}
ENTITY_METRICS = ("f1", "precision", "recall", "accuracy")  # of tags that mark no entities there is accuracy only
_SENTENCES_AT_ONCE = 64
_WORD_OR_SIGN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class TaggedExample(base.Example):
    """A sentence in words, and a tag for each of them."""

    answer_field = "tags"
    words: tuple[str, ...]
    tags: tuple[str, ...] | None = None


@dataclass(frozen=True)
class TagFeatures(base.Features):
    """A sequence for each example. `answers`: per token the number of its word's tag, else -100."""

    words: Ragged  # per token: the word that it is the first piece of, else -1


@dataclass(frozen=True)
class TagsPrediction(base.Prediction):
    answer_field = "tags"
    tags: tuple[str, ...]  # one for each word; "O" for words that the model did not see
    probabilities: tuple[float, ...]  # of each word's tag (with a CRF over all sequences of tags); 0 where not seen
    words_cut: int  # how many were not seen


class Tag(base.TaskKind[TaggedExample, TagFeatures]):
    name = head = "tag"
    example = TaggedExample
    answer_fields = ("tags",)
    pipeline = "token-classification"
    metrics = ENTITY_METRICS
    has_labels = has_confusion = True
    missing_head = "This model has no tagging head."
    takes_b = False
    several_answers = takes_crf = reads_as_typed = True
    tasks = (
        TaskSpec(
            "tag", "tag", "Tag the words in a text", "conll", ENTITY_METRICS, columns=WORD_COLUMNS, sample="names"
        ),
    )

    def typed(self, text_a: str, text_b: str | None) -> TaggedExample:
        """A is cut into words and signs."""
        return TaggedExample(tuple(_WORD_OR_SIGN.findall(text_a)))

    def features(self, examples: Sequence[TaggedExample], reading: base.Reading) -> TagFeatures:
        """The words with a space between them, tokenised as a typed sentence is.

        Words that lie beyond `max_length` tokens are not seen: they have no label, and are predicted as "O".
        Raises BertcoreError for a tag that `labels` does not have, or as many tags as there are no words.
        """
        writer, framing = SequenceWriter(), reading.tokenizer.framing
        room = max(0, reading.max_length - framing.single.specials)
        first_pieces: list[list[int]] = []
        for portion in portions(len(examples)):
            texts = text_pieces(reading.tokenizer, [" ".join(examples[i].words) for i in portion])
            for i, pieces in zip(portion, texts, strict=True):
                ids, segments = framing.framed(pieces.ids[:room], None)
                before = len(framing.single.before)
                first_pieces.append(_first_pieces(pieces, examples[i].words, room, before, len(ids)))
                writer.add(i, ids, segments, max(0, len(pieces.ids) - room))
        words = Ragged.of(first_pieces)
        answers = Ragged(_answers(examples, words, reading.labels), words.starts)
        head = "crf" if reading.crf else self.head
        return base.packed(TagFeatures, self, examples, writer, answers, labels=reading.labels, words=words, head=head)

    def batch_labels(self, features: TagFeatures, units: Ints, sequences: Ints) -> Ints:
        answers: Ints = features.answers.padded(sequences, NO_LABEL)  # (B,S)
        return answers

    def loss(self, model: Bert, logits: Tensor, batch: base.TaskBatch) -> Tensor:
        """With a CRF the negative log-likelihood of the whole sequences of tags, by the word: on the scale of a tagger
        without one."""
        if batch.head != "crf":
            return super().loss(model, logits, batch)
        assert model.crf is not None
        has_label = batch.labels >= 0
        likelihood = model.crf.log_likelihood(logits.float(), batch.labels.clamp(min=0), has_label)  # (B)
        return -likelihood.sum() / has_label.sum().clamp(min=1)

    def decode(
        self, features: TagFeatures, logits: Sequence[Floats], settings: base.DecodeSettings
    ) -> list[TagsPrediction]:
        """(S,K) of each: a tag for each word, read off its first piece."""
        found = []
        for portion in portions(len(logits), _SENTENCES_AT_ONCE):
            seen = [features.words[unit] >= 0 for unit in portion]
            scores = [logits[unit][is_first] for unit, is_first in zip(portion, seen, strict=True)]  # (W,K) each
            for unit, is_first, tags, likely in zip(portion, seen, *self._tagged(scores, settings.crf), strict=True):
                names = [OUTSIDE] * len(features.examples[unit].words)
                probabilities = [0.0] * len(names)
                for row, word in enumerate(features.words[unit][is_first].tolist()):
                    names[word] = features.labels[tags[row]]
                    probabilities[word] = float(likely[row, tags[row]])
                found.append(TagsPrediction(tuple(names), tuple(probabilities), len(names) - int(is_first.sum())))
        return found

    def measure(
        self, gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], labels: list[str]
    ) -> dict[str, Any]:
        """accuracy (of words), and precision, recall, f1 of entities if the tags mark entities."""
        words = list(zip(base.flat(gold), base.flat(predicted), strict=True))
        metrics = {"accuracy": sum(right == given for right, given in words) / max(1, len(words))}
        if detect_scheme(labels or set(base.flat(gold))) != "none":
            metrics |= entity_scores(gold, predicted)
        return metrics

    def unit_answer(self, features: TagFeatures, scored: base.ScoredUnit) -> base.UnitAnswer:
        """With a CRF a word has the probability of its tag over all sequences of tags, and the loss of a sentence is
        that of its whole sequence, by the word."""
        labels, logits, losses, crf = features.answers[scored.number], scored.logits, scored.losses, scored.crf
        asked = np.flatnonzero(labels >= 0)
        [tags], [likely] = self._tagged([logits[asked]], crf)
        if crf is not None:
            losses = -np.log(np.maximum(likely[np.arange(len(asked)), labels[asked]], 1e-30))
        else:
            losses = losses[asked]
        places = tuple(
            self._one_of(features.labels, shares, label, tag, position, loss)
            for shares, label, tag, position, loss in zip(
                likely, labels[asked].tolist(), tags, asked.tolist(), losses.tolist(), strict=True
            )
        )
        mean = float(losses.mean()) if len(losses) else float("nan")
        return base.UnitAnswer(range(1), "", "", mean if crf is None else _sequence_loss(logits, labels, crf), places)

    def written(self, example: TaggedExample) -> tuple[str, str | None, str]:
        tags = example.tags or ("",) * len(example.words)
        marked = (f"{word} [{tag}]" for word, tag in zip(example.words, tags, strict=True) if tag not in ("O", ""))
        return " ".join(example.words), None, ", ".join(marked)

    def label_words(self, example: TaggedExample) -> Iterable[str]:
        return example.tags or ()

    def answer_numbers(self, features: TagFeatures, units: Ints) -> tuple[Sequence[str], NDArray]:
        return features.labels, features.answers.joined(units)

    def lines(self, prediction: TagsPrediction, example: TaggedExample) -> list[tuple[str | float, str]]:
        return list(zip(prediction.tags, example.words, strict=True))

    def _tagged(self, scores: Sequence[Floats], crf: LinearChainCrf | None) -> tuple[list[list[int]], list[Floats]]:
        """Of the words (W,K) of each sentence: the best tags (W), and how likely each tag is (W,K)."""
        if crf is None:
            return [row.argmax(axis=-1).tolist() for row in scores], [self.probabilities(row) for row in scores]
        emissions, is_word = _padded(scores, crf)
        shares = crf.marginals(emissions, is_word).double().cpu().numpy()
        likely = [row[: len(words)] for row, words in zip(shares, scores, strict=True)]
        return crf.decode(emissions, is_word), likely


def _first_pieces(pieces: Pieces, words: Sequence[str], room: int, before: int, length: int) -> list[int]:
    """(length) the word that each token is the first piece of, else -1; `before` special tokens stand in front."""
    words_begun = [-1] * length
    # A word begins with the space before it, as some tokens do.
    begins = [0, *accumulate(len(word) + (i > 0) for i, word in enumerate(words[:-1]))]
    seen: set[int] = set()
    for place, (start, _) in enumerate(pieces.offsets[:room], before):
        word = bisect_right(begins, start) - 1
        if word not in seen:
            seen.add(word)
            words_begun[place] = word
    return words_begun


def _answers(examples: Sequence[TaggedExample], words: Ragged, labels: tuple[str, ...]) -> NDArray[np.int32]:
    """(T) the tag's number where a word begins, else -100."""
    numbers = {label: number for number, label in enumerate(labels)}
    tags = Ragged.of(_tag_numbers(i, example, numbers) for i, example in enumerate(examples))
    is_first = words.values >= 0
    example_of = np.repeat(np.arange(len(examples)), words.lengths)
    answers = np.full(len(words.values), NO_LABEL, dtype=np.int32)
    answers[is_first] = tags.values[tags.starts[example_of[is_first]] + words.values[is_first]]
    return answers


def _tag_numbers(place: int, example: TaggedExample, numbers: dict[str, int]) -> list[int]:
    if example.tags is None:
        return [NO_LABEL] * len(example.words)
    if len(example.tags) != len(example.words):
        raise BertcoreError(f"Example {place + 1} has {len(example.words)} words and {len(example.tags)} tags.")
    return [base.label_number(place, tag, numbers, "tag") for tag in example.tags]


def _padded(scores: Sequence[Floats], crf: LinearChainCrf) -> tuple[Tensor, Tensor]:
    """Scores (B,W,K) where the CRF is, and which of them are a word's (B,W); W is at least 1."""
    import torch

    longest = max(1, *map(len, scores))
    rows = np.zeros((len(scores), longest, len(crf.start)), dtype=np.float32)
    for row, words in zip(rows, scores, strict=True):
        row[: len(words)] = words
    is_word = np.arange(longest) < np.array([len(words) for words in scores])[:, None]
    return torch.from_numpy(rows).to(crf.start.device), torch.from_numpy(is_word).to(crf.start.device)


def _sequence_loss(logits: Floats, labels: NDArray, crf: LinearChainCrf) -> float:
    """Of one sentence: logits (S,K), labels (S)."""
    import torch

    asked = labels >= 0
    emissions, is_word = _padded([logits[asked]], crf)
    right = torch.zeros(is_word.shape, dtype=torch.int64, device=emissions.device)
    right[is_word] = torch.from_numpy(labels[asked].astype(np.int64)).to(emissions.device)
    with torch.no_grad():
        return -float(crf.log_likelihood(emissions, right, is_word)) / max(1, int(asked.sum()))


def entity_scores(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> dict[str, float]:
    """Precision, recall and F1 of all entities, as conlleval and seqeval count them: a found one counts if its first
    word, last word and type are right.

    0 where there is nothing to find, or nothing was predicted. Raises BertcoreError for what is no tag of entities.
    """
    there, found = (
        {(i, *span) for i, tags in enumerate(side) for span in entity_spans(tags)} for side in (gold, predicted)
    )
    right, f1 = len(there & found), 2 * len(there & found) / max(1, len(there) + len(found))
    return {"precision": right / max(1, len(found)), "recall": right / max(1, len(there)), "f1": f1}
