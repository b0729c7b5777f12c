"""Examples of any kind to features.

Passages are cut into windows that overlap as run_squad.py of google-research/bert does it, documents to be summarised
are read as by BertSum (Liu and Lapata 2019, section 3.1); of a tagged word the first piece carries the tag.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.tasks.examples import (
    KINDS,
    AnswerExample,
    ChoiceExample,
    Example,
    Kind,
    SummaryExample,
    TaggedExample,
    TextExample,
)
from bertcore.tasks.features.kinds import (
    ChoiceFeatures,
    Features,
    Ragged,
    SpanFeatures,
    SummaryFeatures,
    TagFeatures,
    TextFeatures,
)
from bertcore.tasks.features.tokenise import Pieces, SequenceWriter, portions, text_ids, text_pieces
from bertcore.tokenizer.framing import Framing
from bertcore.tokenizer.tokenizer import Tokenizer


def text_features(
    kind: Kind, examples: Sequence[TextExample], tokenizer: Tokenizer, labels: tuple[str, ...], max_length: int
) -> TextFeatures:
    """Sentences or pairs with one label ("classify"), a number ("regress") or several labels ("multilabel").

    Raises BertcoreError for a label that `labels` does not have, or what is no number.
    """
    writer, framing = SequenceWriter(), tokenizer.framing
    for portion in portions(len(examples)):
        texts = [(examples[i].text_a, examples[i].text_b or None) for i in portion]
        of_a = text_ids(tokenizer, [a for a, _ in texts])
        of_b = iter(text_ids(tokenizer, [b for _, b in texts if b]))
        for a, (_, b) in zip(of_a, texts, strict=True):
            writer.add(*framing.fitted(a, next(of_b) if b else None, max_length))
    answers = _ANSWERS[kind](examples, labels)
    known = all(example.label is not None for example in examples)
    numbers = np.arange(len(examples))
    return TextFeatures(kind, "classify", examples, labels, *writer.done(), numbers, known, answers)


def choice_features(examples: Sequence[ChoiceExample], tokenizer: Tokenizer, max_length: int) -> ChoiceFeatures:
    """The beginning with each of its endings, as pairs. Raises BertcoreError where there is no such ending."""
    writer, framing = SequenceWriter(), tokenizer.framing
    for portion in portions(len(examples)):
        pairs = [(examples[i].context, ending or None) for i in portion for ending in examples[i].endings]
        of_a = text_ids(tokenizer, [a for a, _ in pairs])
        of_b = iter(text_ids(tokenizer, [b for _, b in pairs if b]))
        for a, (_, b) in zip(of_a, pairs, strict=True):
            writer.add(*framing.fitted(a, next(of_b) if b else None, max_length))
    counts = [len(example.endings) for example in examples]
    answers = np.array([_ending(i, example) for i, example in enumerate(examples)], dtype=np.int64)
    known = all(example.label is not None for example in examples)
    numbers, starts = np.repeat(np.arange(len(examples)), counts), np.cumsum([0, *counts])
    return ChoiceFeatures("choice", "choice", examples, (), *writer.done(), numbers, known, starts, answers)


def label_number(place: int, label: str, numbers: dict[str, int], what: str = "label") -> int:
    """The label's number. Raises BertcoreError where there is no such label."""
    if label not in numbers:
        known = ", ".join(list(numbers)[:12])
        raise BertcoreError(
            f"Example {place + 1} has the {what} “{label}”, which the model does not have; it has {known}."
        )
    return numbers[label]


def _classes(examples: Sequence[TextExample], labels: tuple[str, ...]) -> NDArray[np.int64]:
    numbers = {label: number for number, label in enumerate(labels)}
    return np.array(
        [
            NO_LABEL if example.label is None else label_number(i, str(example.label), numbers)
            for i, example in enumerate(examples)
        ],
        dtype=np.int64,
    )


def _numbers(examples: Sequence[TextExample], labels: tuple[str, ...]) -> NDArray[np.float32]:
    return np.array([_number(i, example) for i, example in enumerate(examples)], dtype=np.float32)


def _number(place: int, example: TextExample) -> float:
    if example.label is None:
        return math.nan
    try:
        number = float(example.label)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise BertcoreError(f"Example {place + 1} has “{example.label}” where a number is expected.")
    return number


def _label_sets(examples: Sequence[TextExample], labels: tuple[str, ...]) -> NDArray[np.float32]:
    numbers = {label: number for number, label in enumerate(labels)}
    table = np.zeros((len(examples), len(labels)), dtype=np.float32)
    for i, example in enumerate(examples):
        if example.label is None:
            table[i] = math.nan
        elif isinstance(example.label, tuple):
            table[i, [label_number(i, label, numbers) for label in example.label]] = 1.0
        else:
            raise BertcoreError(f"Example {i + 1} has “{example.label}” where a list of labels is expected.")
    return table


_ANSWERS: dict[Kind, Callable[[Sequence[TextExample], tuple[str, ...]], NDArray]] = {
    "classify": _classes,
    "regress": _numbers,
    "multilabel": _label_sets,
}


def _ending(place: int, example: ChoiceExample) -> int:
    if not example.endings:
        raise BertcoreError(f"Example {place + 1} has no endings to choose from.")
    if example.label is None:
        return NO_LABEL
    if not 0 <= example.label < len(example.endings):
        raise BertcoreError(
            f"Example {place + 1} says that ending {example.label + 1} is right, but has {len(example.endings)}."
        )
    return example.label


DOC_STRIDE, MAX_QUESTION_TOKENS = 128, 64  # the defaults of google-research/bert


def span_features(
    examples: Sequence[AnswerExample],
    tokenizer: Tokenizer,
    max_length: int,
    doc_stride: int = DOC_STRIDE,
) -> SpanFeatures:
    """Question and passage as a pair. Where the passage does not fit, a window begins every `doc_stride` tokens of it.

    The question loses what is beyond MAX_QUESTION_TOKENS, or beyond half of the room. A window that does not hold
    the whole answer (the first one given) is labelled with position 0, [CLS].
    Raises BertcoreError for an answer that does not stand where it is said to, or a room without place for a passage.
    """
    framing = tokenizer.framing
    room = max_length - framing.pair.specials
    if room < 2 or doc_stride < 1:
        raise BertcoreError(
            f"A window of {max_length} tokens with a stride of {doc_stride} has no room for a passage; raise them."
        )
    writer, offsets = SequenceWriter(), []
    passage: list[tuple[int, int, int]] = []
    answers: list[tuple[int, int]] = []
    example_of: list[int] = []
    for portion in portions(len(examples)):
        questions = text_ids(tokenizer, [examples[i].question for i in portion])
        passages = text_pieces(tokenizer, [examples[i].passage for i in portion])
        for i, question, pieces in zip(portion, questions, passages, strict=True):
            kept = question[: min(MAX_QUESTION_TOKENS, room // 2)]
            spans = np.array(pieces.offsets, dtype=np.int32).reshape(-1, 2)
            answer = _answer_tokens(i, examples[i], spans)
            offsets.append(spans)
            begin = len(framing.pair.before) + len(kept) + len(framing.pair.between)
            for first, count in windows(len(pieces.ids), room - len(kept), doc_stride):
                ids, segments = framing.framed(kept, pieces.ids[first : first + count])
                writer.add(ids, segments, len(question) - len(kept))
                passage.append((begin, count, first))
                answers.append(_in_window(answer, begin, count, first))
                example_of.append(i)
    starts = np.cumsum([0, *(len(spans) for spans in offsets)])
    return SpanFeatures(
        "span",
        "span",
        examples,
        (),
        *writer.done(),
        np.array(example_of, dtype=np.int64),
        True,  # no answer is an answer too
        np.array(answers, dtype=np.int64).reshape(-1, 2),
        np.array(passage, dtype=np.int64).reshape(-1, 3),
        Ragged(np.concatenate([np.zeros((0, 2), np.int32), *offsets]), starts),
    )


def windows(tokens: int, room: int, stride: int) -> Iterator[tuple[int, int]]:
    """First token and number of tokens of each window; the last one ends with the passage. At least one."""
    first = 0
    while first + room < tokens:
        yield first, room
        first += min(room, stride)
    yield first, tokens - first


def _answer_tokens(place: int, example: AnswerExample, offsets: NDArray[np.int32]) -> tuple[int, int] | None:
    """First and last token of the passage that share a character with the answer; None without one."""
    if not example.answers:
        return None
    text, start = example.answers[0]
    if not text or start < 0 or example.passage[start : start + len(text)] != text:
        raise BertcoreError(
            f"Example {place + 1} ({example.id}): the answer “{text}” is not at character {start} of its passage."
        )
    touched = np.flatnonzero((offsets[:, 1] > start) & (offsets[:, 0] < start + len(text)))
    return (int(touched[0]), int(touched[-1])) if len(touched) else None


def _in_window(answer: tuple[int, int] | None, begin: int, count: int, first: int) -> tuple[int, int]:
    """Tokens of the passage as places in a window; 0 and 0 where it does not hold all of them."""
    if answer is None or answer[0] < first or answer[1] >= first + count:
        return 0, 0
    return begin + answer[0] - first, begin + answer[1] - first


def tag_features(
    examples: Sequence[TaggedExample], tokenizer: Tokenizer, labels: tuple[str, ...], max_length: int, head: str = "tag"
) -> TagFeatures:
    """The words with a space between them, tokenised as a typed sentence is; `head` may be "crf".

    Words that lie beyond `max_length` tokens are not seen: they have no label, and are predicted as "O".
    Raises BertcoreError for a tag that `labels` does not have, or as many tags as there are no words.
    """
    writer, framing = SequenceWriter(), tokenizer.framing
    room = max(0, max_length - framing.single.specials)
    first_pieces: list[list[int]] = []
    for portion in portions(len(examples)):
        for pieces, i in zip(
            text_pieces(tokenizer, [" ".join(examples[i].words) for i in portion]), portion, strict=True
        ):
            ids, segments = framing.framed(pieces.ids[:room], None)
            first_pieces.append(_first_pieces(pieces, examples[i].words, room, len(framing.single.before), len(ids)))
            writer.add(ids, segments, max(0, len(pieces.ids) - room))
    all_ids, all_segments, cut = writer.done()
    words = Ragged.of(first_pieces)
    answers = Ragged(_answers(examples, words, labels), all_ids.starts)
    known = all(example.tags is not None for example in examples)
    numbers = np.arange(len(examples))
    return TagFeatures("tag", head, examples, labels, all_ids, all_segments, cut, numbers, known, words, answers)


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
    return [label_number(place, tag, numbers, "tag") for tag in example.tags]


def summary_features(examples: Sequence[SummaryExample], tokenizer: Tokenizer, max_length: int) -> SummaryFeatures:
    """All sentences in one sequence, [CLS] before and [SEP] after each, segments 0 and 1 by turns.

    Sentences from the first on that does not fit as a whole are left out; a first sentence too long alone is cut.
    Raises BertcoreError for a document without sentences, or with as many labels as it has no sentences.
    """
    framing, writer = tokenizer.framing, SequenceWriter()
    if max_length < framing.single.specials:
        raise BertcoreError(f"Sequences of {max_length} tokens have no room for a sentence; allow more.")
    firsts: list[list[int]] = []
    for portion in portions(len(examples)):
        documents = [examples[i] for i in portion]
        ids = iter(text_ids(tokenizer, list(chain.from_iterable(document.sentences for document in documents))))
        for i, document in zip(portion, documents, strict=True):
            _check(i, document)
            sentences = [next(ids) for _ in document.sentences]
            tokens, segments, places, cut = _one_sequence(sentences, framing, max_length)
            writer.add(tokens, segments, cut)
            firsts.append(places)
    rows = Ragged.of(firsts)
    flat = [_labels(document, len(places)) for document, places in zip(examples, firsts, strict=True)]
    answers = Ragged(np.array(list(chain.from_iterable(flat)), dtype=np.float32), rows.starts)
    known = all(document.labels is not None for document in examples)
    numbers = np.arange(len(examples))
    return SummaryFeatures("summarise", "summarise", examples, (), *writer.done(), numbers, known, rows, answers)


def _one_sequence(
    sentences: list[list[int]], framing: Framing, max_length: int
) -> tuple[list[int], bytearray, list[int], int]:
    """Ids, segments, the places where sentences begin, and how many tokens there was no room for."""
    ids: list[int] = []
    segments, places, cut = bytearray(), [], 0
    specials = framing.single.specials
    for number, sentence in enumerate(sentences):
        if number and len(ids) + len(sentence) + specials > max_length:
            cut += sum(map(len, sentences[number:]))
            break
        framed, _, lost = framing.fitted(sentence, None, max_length)
        cut += lost
        places.append(len(ids))
        ids += framed
        segments += bytes((number % 2,)) * len(framed)
    return ids, segments, places, cut


def _labels(document: SummaryExample, count: int) -> list[float]:
    if document.labels is None:
        return [math.nan] * count
    return [float(label) for label in document.labels[:count]]


def _check(place: int, document: SummaryExample) -> None:
    if not document.sentences:
        raise BertcoreError(f"Document {place + 1} has no sentences; leave it out.")
    if document.labels is not None and len(document.labels) != len(document.sentences):
        raise BertcoreError(
            f"Document {place + 1} has {len(document.sentences)} sentences and {len(document.labels)} labels."
        )


_EXAMPLES: dict[Kind, type] = {
    "tag": TaggedExample,
    "span": AnswerExample,
    "choice": ChoiceExample,
    "summarise": SummaryExample,
}


def make_features(
    kind: Kind,
    examples: Sequence[Example],
    tokenizer: Tokenizer,
    labels: Sequence[str] = (),
    *,
    max_length: int,
    crf: bool = False,
    doc_stride: int = DOC_STRIDE,
    need_answers: bool = False,
) -> Features:
    """What the model reads, tokenised on all cores; at most `max_length` tokens a sequence.

    `labels` are what "classify", "multilabel" and "tag" choose from, in the model's order; `crf` tags with a CRF;
    `doc_stride` is for "span". With `need_answers` (for training) an example without one is
    refused. Raises BertcoreError for what does not fit, with the number of the example; ValueError for no such kind.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no kind {kind!r}; there are {', '.join(KINDS)}")
    if not examples:
        raise BertcoreError("There are no examples; give at least one.")
    wanted = _EXAMPLES.get(kind, TextExample)
    if wrong := next((example for example in examples if not isinstance(example, wanted)), None):
        raise ValueError(f"{kind} takes {wanted.__name__}, not {type(wrong).__name__}")
    features = _make(kind, examples, tokenizer, tuple(labels), max_length, crf, doc_stride)
    if need_answers and not features.labelled:
        raise BertcoreError(f"Example {_first_unlabelled(examples) + 1} has no answer to learn from; give it one.")
    return features


def _first_unlabelled(examples: Sequence[Any]) -> int:
    """The number of the first example without an answer, from 0; -1 if all have one."""
    fields = ("tags", "label", "labels")
    return next(
        (i for i, example in enumerate(examples) if any(getattr(example, field, "") is None for field in fields)), -1
    )


def _make(
    kind: Kind,
    examples: Sequence[Any],
    tokenizer: Tokenizer,
    labels: tuple[str, ...],
    max_length: int,
    crf: bool,
    doc_stride: int,
) -> Features:
    if kind == "tag":
        return tag_features(examples, tokenizer, labels, max_length, "crf" if crf else "tag")
    if kind == "span":
        return span_features(examples, tokenizer, max_length, doc_stride)
    if kind == "choice":
        return choice_features(examples, tokenizer, max_length)
    if kind == "summarise":
        return summary_features(examples, tokenizer, max_length)
    return text_features(kind, examples, tokenizer, labels, max_length)
